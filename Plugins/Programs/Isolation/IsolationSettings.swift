package import StockbusPlugin

/// The options of a component's own process.
package struct IsolationSettings: Options {
  @Setting("Variables for the process besides PATH, HOME, LANG, LC_ALL and TZ.", count: 0...1000)
  package var environment: Mapping<Secret> = [:]
  @Setting(
    "How long a batch of events, a command, the start or the end may take; then the process is killed.",
    in: .milliseconds(10) ... .seconds(86_400))
  package var timeout = Duration.seconds(10)
  @Setting("Limits of the system for the process.") package var limits = ProgramLimits()
  package init() {}

  package func validate(_ problems: inout OptionProblems) { environment.checkNames(&problems) }
}

extension Mapping<Secret> {
  /// Reports names that no variable can have.
  func checkNames(_ problems: inout OptionProblems) {
    for (name, _) in entries where name.isEmpty || name.contains("=") || name.contains("\0") {
      problems.add("'environment': \(shown(name)) is not the name of a variable", at: "environment")
    }
  }
}
