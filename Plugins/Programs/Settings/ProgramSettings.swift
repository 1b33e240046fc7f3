package import StockbusPlugin

/// The limits of the system's resources for a program.
package struct ProgramLimits: Options {
  @Setting("The most memory (address space); by default unlimited.", in: .kibibytes(1024) ... .gibibytes(1024)) package var memory:
    ByteSize?
  @Setting("The most processor time; then the system kills it.", in: .seconds(1) ... .seconds(31_536_000)) package var cpu: Duration?
  @Setting("The most open files.", in: 8...1_048_576) package var files = 256
  package init() {}
}

/// The protocol with a program.
package enum ProgramProtocol: String, Choice {
  case messages, lines
}

/// How a program is run, for all kinds of component that are programs.
package struct ProgramSettings: Options {
  @Setting("The program and its arguments, such as [python3, cheap.py]; no shell interprets them.", count: 1...1000)
  package var run: [String]
  @Setting(
    "messages (with acknowledgements), or lines for programs that do not know stockbus, such as awk and jq: each event is a line.")
  package var `protocol` = ProgramProtocol.messages
  @Setting("How an event is written on a plain line; csv is without a header. json by default.") package var format: PlainFormat?
  @Setting("The program's own options.") package var options: Mapping<FreeValue> = [:]
  @Setting("Variables for the program besides PATH, HOME, LANG, LC_ALL and TZ.", count: 0...1000)
  package var environment: Mapping<Secret> = [:]
  @Setting("The folder in which it works; by default that of stockbus.", length: 1...4096) package var folder: String?
  @Setting(
    "How long a reply may take, and how long the program may run after the end of its input; then it is killed.",
    in: .milliseconds(10) ... .seconds(86_400))
  package var timeout = Duration.seconds(10)
  @Setting("Limits of the system for the process.") package var limits = ProgramLimits()
  package init() {}

  package var files: [FileUse] { run.first.map { [.running($0, at: "run", item: 0)] } ?? [] }

  package func validate(_ problems: inout OptionProblems) {
    if run.first?.isEmpty == true { problems.add("'run' begins with the program, which must not be empty", at: "run") }
    if run.contains(where: { $0.contains("\0") }) { problems.add("'run' contains a NUL character", at: "run") }
    if `protocol` == .lines {
      if !options.entries.isEmpty {
        problems.add("'options' need 'protocol: messages'; with plain lines, write the program's options in 'run'", at: "options")
      }
    } else if format != nil {
      problems.add("'format' is for 'protocol: lines'; messages are JSON", at: "format")
    }
    environment.checkNames(&problems)
  }
}
