package import StockbusPlugin

/// `plugin.yaml` in a plugin's folder: the description that the commands `plugin …` use.
package struct PluginManifest: Options {
  package enum Kind: String, Sendable, CaseIterable, Choice {
    case source, processor, sink
  }

  /// Where a plugin's code runs.
  package enum Home: String, Sendable, CaseIterable, Choice {
    /// Part of its author's own program, which is stockbus with this plugin.
    case program
    /// In a separate process, which uses the process protocol.
    case process
    /// In this process, from a library.
    case loaded
  }

  @Setting("The plugin's name.", length: 1...PluginName.longest) package var name: String
  @Setting("What kind of component it is.") package var kind: Kind
  @Setting("Where its code runs.") package var home: Home
  @Setting("What it does, in a sentence with a full stop.", length: 1...500) package var doc: String
  @Setting("The event types that it takes.", count: 0...100) package var takes: [String] = []
  @Setting("The event type that it emits.", length: 1...100) package var emits: String?
  @Setting("The columns beside the events that it adds, by name with their kinds; only for a process.", count: 0...ColumnLayout.limit)
  package var extraColumns: ExtraColumns = [:]
  @Setting("The program and its arguments; not for a loaded plugin.", count: 0...100) package var run: [String] = []
  @Setting("The command that builds it, and its arguments.", count: 0...100) package var build: [String] = []
  @Setting("The command that runs its tests, and its arguments.", count: 0...100) package var test: [String] = []
  @Setting("What a configuration may write under the plugin's 'options', by name; only for a process.", count: 0...1000) package
    var options: Mapping<DeclaredOption> = [:]
  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if let fault = PluginName.fault(name) { problems.add(fault, at: "name") }
    if doc.last != "." { problems.add("'doc' must be a sentence with a full stop", at: "doc") }
    if kind == .source, !takes.isEmpty { problems.add("a source takes nothing", at: "takes") }
    if kind != .source, takes.isEmpty { problems.add("'takes' is missing: the event types that it takes, such as [trade]", at: "takes") }
    if kind == .sink, emits != nil { problems.add("a sink emits nothing", at: "emits") }
    if kind != .sink, emits == nil { problems.add("'emits' is missing: the event type that it emits, such as trade", at: "emits") }
    if !extraColumns.entries.isEmpty, home != .process || kind == .sink {
      problems.add("'extra_columns' is for sources and processors with 'home: process'", at: "extra_columns")
    }
    if home == .loaded, !run.isEmpty { problems.add("a loaded plugin runs no program", at: "run") }
    if home != .loaded, run.isEmpty { problems.add("'run' is missing: the program and its arguments", at: "run") }
    if run.first?.isEmpty == true { problems.add("'run' begins with the program, which must not be empty", at: "run") }
    for (name, option) in options.entries {
      if let fault = option.fault { problems.add("option \(shown(name)): \(fault)", at: "options") }
    }
  }

  package static let file = "plugin.yaml"

  /// Reads the manifest from a plugin's folder; throws all problems with their places.
  package static func read(_ folder: String) throws(Problems) -> PluginManifest {
    try BundleFile.read(folder == "." ? file : folder + "/" + file, missing: "a plugin's folder needs one; 'plugin new' writes it")
  }
}
