internal import ArgumentParser
internal import Programs
internal import StockbusConfig
internal import StockbusInstruments
internal import StockbusLoading
internal import StockbusPlugin
internal import StockbusProgram
internal import StockbusRuntime

/// Hosts one plugin for another process of this program, which has started this one and uses its standard streams; see `isolation:
/// process`.
struct HostPlugin: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: PluginProcess.command, abstract: "Runs a plugin for another process of this program.", shouldDisplay: false)
  }

  func run() async throws {
    var catalogue = Program.current.catalogue
    // Only this process loads the library, so a crash in it affects no other process.
    catalogue.probesLibraries = false
    let pool = WorkerPool.shared
    let surroundings = HostedPlugin.Surroundings(
      find: { [catalogue] name, bundle, more in try Self.find(name, bundle, more, in: catalogue) }, context: Self.context, executor: pool)
    // On the threads of a run, where a woken task runs next to the one that woke it.
    let hasWorked = await withTaskExecutorPreference(pool) { await HostedPlugin.onStandardStreams(surroundings) }
    if !hasWorked { throw ExitCode.failure }
  }

  private static func find(
    _ name: String, _ bundle: String?, _ more: [String], in catalogue: Catalogue
  ) throws -> (plugin: Plugin, types: [any Event.Type]) {
    let loaded = try more.map { try PluginBundle(at: $0).plugin(catalogue) }
    let types = catalogue.events + loaded.flatMap(\.eventTypes)
    if let bundle {
      let plugin = try PluginBundle(at: bundle).plugin(catalogue)
      return (plugin, types + plugin.eventTypes)
    }
    guard let plugin = catalogue[name] else { throw HostingError("there is no plugin \(shown(name))") }
    return (plugin.knowing { types }, types)
  }

  private static func context(_ hosted: HostedContext) throws -> Context {
    let settings = try RunSettings.decode(hosted.runtime, at: hosted.runtime.mark)
    let pool = WorkerPool.shared
    var instruments = Instruments()
    instruments.zone = settings.dateZone
    let logger = Logger(label: "stockbus") { _ in HostedLogHandler(hosted: hosted) }
    var shared = Context.Shared(settings, clock: SteadyTimekeeper(SystemTimekeeper(), logger), logger: logger, notices: hosted.reports)
    (shared.waiting, shared.services) = (pool.parking, Services(instruments))
    return Context(id: hosted.id, shared, counters: hosted.reports.counters, helpers: pool)
  }
}

/// Passes log lines on to the host, which has its own level.
private struct HostedLogHandler: LogHandler {
  let hosted: HostedContext
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let more = metadata.merging(event.metadata ?? [:]) { $1 }.filter { $0.key != "component" }.sorted { $0.key < $1.key }
    let details = more.isEmpty ? "" : " (\(more.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))"
    hosted.say(log: "\(event.message)\(details)", event.level.rawValue)
  }
}
