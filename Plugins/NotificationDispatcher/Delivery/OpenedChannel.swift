internal import StockbusFiles
internal import StockbusNetwork
internal import StockbusPlugin

/// The access of channels to the outside: the real tools, or a script in a test.
struct ChannelTools: Sendable {
  var clock: any Timekeeper
  /// Returns the HTTP transport: one for each file of certificates, with or without the proxies of the environment.
  var transport: @Sendable (_ certificates: String?, _ usesProxy: Bool) -> any HTTPTransport
  var programs: any ProgramRunner
  /// The process's environment.
  var environment: [String: String]
  var console: @Sendable (String) async throws -> Void
}

/// The result of setting up a channel.
struct OpenedChannel: Sendable {
  let name: String
  let kind: String
  let number: Int
  let options: NotificationChannelOptions
  /// Nil if the channel cannot be used here, for the reason in `fault`.
  let channel: (any Channel)?
  let fault: String?

  /// Opens all channels. Throws where a file cannot be written.
  ///
  /// - Parameters:
  ///   - opened: the files that an earlier instance has written to.
  ///   - keepsPlaces: channels that can be set back know their places.
  ///   - mark: where an earlier run has left a channel's file.
  ///   - noticed: called with the changes that others have made to a file.
  static func open(
    _ settings: [ChannelSettings], _ tools: ChannelTools, opened: Set<String> = [], keepsPlaces: Bool = false,
    mark: (_ channel: String) -> (place: FileMark, isLeft: Bool)? = { _ in nil }, files: RunFiles = RunFiles(),
    noticed: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> [OpenedChannel] {
    try zip(settings, ChannelSettings.names(settings)).enumerated().map { number, pair in
      let (channel, name) = pair
      let made: (any Channel)?
      let fault: String?
      do {
        made = try make(channel, name, tools, opened, keepsPlaces, mark(name), files, noticed)
        fault = nil
      } catch let off as ChannelOff {
        made = nil
        fault = off.reason
      }
      return OpenedChannel(
        name: name, kind: channel.chosen.name, number: number, options: channel.common, channel: made, fault: fault)
    }
  }

  private static func make(
    _ settings: ChannelSettings, _ name: String, _ tools: ChannelTools, _ opened: Set<String>, _ keepsPlaces: Bool,
    _ mark: (place: FileMark, isLeft: Bool)?, _ files: RunFiles,
    _ noticed: @escaping @Sendable (String) -> Void
  ) throws -> any Channel {
    switch settings {
    case .desktop(let options): try DesktopChannel(options, tools)
    case .webhook(let options): try WebhookChannel(options, name, tools)
    case .ntfy(let options): try NtfyChannel(options, tools)
    case .email(let options): try EmailChannel(options, name, tools)
    case .command(let options): try CommandChannel(options, name, tools)
    case .file(let options):
      try FileChannel(options, appends: opened.contains(options.path), keepsPlace: keepsPlaces, mark: mark, files: files, noticed: noticed)
    case .console: ConsoleChannel(print: tools.console)
    }
  }
}

/// Why a configured channel is off: it has no address, or its program does not exist.
struct ChannelOff: Error {
  let reason: String
}
