internal import LibC
internal import StockbusPacking
package import StockbusPlugin
internal import StockbusSystem

/// One plugin in this process, for a host that has started the process and uses the process protocol with it.
///
/// There is one instance, and no supervision: a process that fails reports why and ends, and the host starts another one.
package struct HostedPlugin {
  /// The parts of the program that a hosted plugin needs.
  package struct Surroundings: Sendable {
    /// Finds the plugin, and the event types that its input may have: those of the program, and of the bundles in the list.
    package let find: @Sendable (_ name: String, _ bundle: String?, _ more: [String]) throws -> (plugin: Plugin, types: [any Event.Type])
    /// The context of the component.
    package let context: @Sendable (HostedContext) throws -> Context
    /// Where the component runs.
    package let executor: (any TaskExecutor)?

    package init(
      find: @escaping @Sendable (String, String?, [String]) throws -> (plugin: Plugin, types: [any Event.Type]),
      context: @escaping @Sendable (HostedContext) throws -> Context, executor: (any TaskExecutor)?
    ) {
      self.find = find
      self.context = context
      self.executor = executor
    }
  }

  /// Hosts a plugin on the standard streams, to its end. Other output to standard output then goes to standard error, and so into the
  /// host's log. Returns false if something has failed; the host has been notified then.
  package static func onStandardStreams(_ surroundings: Surroundings) async -> Bool {
    let (input, output) = (dup(0), dup(1))
    let nothing = open("/dev/null", O_RDONLY)
    guard input >= 0, output >= 0, nothing >= 0, dup2(nothing, 0) >= 0, dup2(2, 1) >= 0 else { return false }
    close(nothing)
    let hosted = HostedPlugin(
      wire: HostWire(FileDescriptor(rawValue: input)), voice: HostVoice(FileDescriptor(rawValue: output)), surroundings: surroundings)
    return await hosted.run()
  }

  private let wire: HostWire
  private let voice: HostVoice
  private let surroundings: Surroundings

  private func run() async -> Bool {
    do {
      let greeting = try await wire.hello()
      guard let id = greeting["component"]?.text else { throw HostWire.Broken() }
      guard let reads = ColumnLayout(json: greeting["columns"]), let columns = ColumnLayout(json: greeting["emits_columns"]) else {
        throw HostWire.Broken()
      }
      let framing = reads.isEmpty && columns.isEmpty ? "binary" : ProgramRole.framingWithColumns
      voice.answer(["hello": 1, "framing": .string(framing)])
      guard case .other(let message)? = try await wire.next(), let start = message["start"], let name = start["plugin"]?.text else {
        throw HostWire.Broken()
      }
      let mark = ConfigNode.Mark(file: id, line: 1, column: 1)
      var more: [String] = []
      if case .array(let paths)? = start["bundles"] { more = paths.compactMap(\.text) }
      let (plugin, types) = try surroundings.find(name, start["bundle"]?.text, more)
      let upstream = try greeting["takes"]?.text.map { takes in
        guard let type = types.first(where: { $0.eventName == takes }) else { throw HostingError("there is no event type \(shown(takes))") }
        return type
      }
      let options = ConfigNode(start["options"] ?? [:], at: mark)
      guard let blueprint = plugin.blueprint(for: [upstream].compactMap(\.self), options: options) else {
        throw HostingError("\(name) does not take this input")
      }
      let reports = HostedReports(voice)
      let context = try surroundings.context(
        HostedContext(id: id, runtime: ConfigNode(start["runtime"] ?? [:], at: mark), reports: reports, voice: voice)
      )
      let assembly: Blueprint.Assembly
      do throws(Problems) { assembly = try blueprint.assembly(options, at: mark, reading: reads) } catch {
        throw HostingError(error.sorted.map(\.message).joined(separator: "; "))
      }
      if assembly.columns != columns { throw HostingError("it has other columns here than in the run") }
      let life = HostedLife(blueprint, assembly, context, reports, voice, surroundings.executor)
      if let upstream { try await HostedFeed(wire, life).serve(upstream) } else { try await publish(life) }
      return true
    } catch {
      voice.say(["failed": .string("\(error)".cut(toBytes: 4096))])
      return false
    }
  }

  /// Runs a source: sends its events to the host, and handles the host's messages at the same time.
  private func publish(_ life: HostedLife) async throws {
    guard let output = life.slot.output else { throw HostingError("it emits nothing") }
    let sink = try HostedOutputs.sink(of: output, life)
    life.begin()
    // Unstructured, because the host may send no further message; the end of the process ends it.
    let listener = HostListener(wire, life)
    let listening = Task { await listener.listen() }
    defer { listening.cancel() }
    try await sink()
    try await life.end()
    voice.say(["ended": true])
  }
}

/// The parts from which the context of a hosted component is made.
package struct HostedContext: Sendable {
  package let id: String
  /// The mapping at `runtime` of the host's configuration.
  package let runtime: ConfigNode
  package let reports: HostedReports
  private let voice: HostVoice

  init(id: String, runtime: ConfigNode, reports: HostedReports, voice: HostVoice) {
    self.id = id
    self.runtime = runtime
    self.reports = reports
    self.voice = voice
  }

  /// Passes log lines on to the host.
  package func say(log line: String, _ level: String) { voice.say(["log": .string(line.cut(toBytes: 4096)), "level": .string(level)]) }
}

/// Why a plugin cannot be hosted.
package struct HostingError: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// Handles the messages of a source's host.
private final class HostListener: @unchecked Sendable {
  // Unchecked, because the wire is used by the one task that listens.
  private let wire: HostWire
  private let life: HostedLife

  init(_ wire: HostWire, _ life: HostedLife) {
    self.wire = wire
    self.life = life
  }

  /// Listens until the source is to end, or the host has closed its end.
  func listen() async {
    while case .other(let message)? = try? await wire.next() {
      if message["stop"] != nil { break }
      await life.perform(message)
    }
    life.cancel()
  }
}
