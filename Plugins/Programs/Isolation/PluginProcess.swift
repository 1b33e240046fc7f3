internal import LibC
package import StockbusPlugin

extension Isolation {
  /// Isolation by processes of this program, or of the one at `program`, in which the command `PluginProcess.command` hosts one plugin.
  package static func processes(of program: String? = nil) -> Isolation {
    let program = program ?? PluginProcess.ownProgram
    return Isolation(options: IsolationSettings.self) { hosted in
      PluginProcess.blueprint(of: hosted.blueprint).adapted(options: hosted.plugin.options) { node, mark in
        PluginProcess.options(hosted, node, at: mark, program)
      }
    }
  }
}

/// A plugin in a separate process, as a program that uses the protocol.
package enum PluginProcess {
  /// The command, which help does not list.
  package static var command: String { "host-plugin" }

  /// A program with the event types of the plugin.
  static func blueprint(of hosted: Blueprint) -> Blueprint {
    switch (hosted.inputs.first, hosted.output) {
    case (nil, let output?): ProgramSourcePlugin.bind(output)
    case (let input?, nil): ProgramSinkPlugin.bind(input)
    case (let input?, let output?): processor(input, output)
    case (nil, nil): preconditionFailure("a component takes or emits events")
    }
  }

  private static func processor<I: Event, O: Event>(_: I.Type, _: O.Type) -> Blueprint { .asyncProcessor(ProgramProcessor<I, O>.self) }

  /// The options of that program, which gets the plugin and its options when it starts.
  static func options(_ hosted: Isolation.Hosted, _ node: ConfigNode?, at mark: ConfigNode.Mark, _ program: String) -> ConfigNode {
    func entry(_ key: String, _ value: ConfigNode) -> ConfigNode.Entry { .init(key: key, mark: mark, value: value) }
    func word(_ text: String) -> ConfigNode { ConfigNode(.scalar(text), at: mark, isQuoted: true) }
    var start = [
      entry("plugin", word(hosted.plugin.name)), entry("options", node ?? ConfigNode(.map([]), at: mark)),
      entry("runtime", hosted.runtime ?? ConfigNode(.map([]), at: mark)),
    ]
    if !hosted.bundles.isEmpty { start.append(entry("bundles", ConfigNode(.list(hosted.bundles.map(word)), at: mark))) }
    if let bundle = hosted.plugin.bundle { start.append(entry("bundle", word(bundle))) }
    var entries = [
      entry("run", ConfigNode(.list([word(program), word(command)]), at: mark)), entry("options", ConfigNode(.map(start), at: mark)),
    ]
    if !hosted.columns.isEmpty {
      let kinds = hosted.columns.columns.map { entry($0.name, word($0.kind.rawValue)) }
      entries.append(entry("extra_columns", ConfigNode(.map(kinds), at: mark)))
    }
    // Its keys are options of a program too.
    if case .map(let own) = hosted.process.value { entries += own }
    return ConfigNode(.map(entries), at: mark)
  }

  /// The file of this program; on Linux also if it was replaced after the start.
  static var ownProgram: String {
    #if os(Linux)
    "/proc/\(getpid())/exe"
    #else
    CommandLine.arguments.first ?? ""
    #endif
  }
}

extension ProgramSettings {
  /// True for a program that hosts a plugin.
  var hostsPlugin: Bool { run.last == PluginProcess.command }
}
