internal import StockbusPlugin
internal import StockbusProcesses
internal import StockbusSystem

/// A program that is run for each alert: an argument vector, no shell.
struct CommandChannel: Channel {
  private let program: String
  private let arguments: [NotificationTemplate]
  private let environment: [String: String]
  private let timeout: Duration
  private let name: String
  private let tools: ChannelTools
  let retries: RetryPolicy

  init(_ options: CommandSettings, _ name: String, _ tools: ChannelTools) throws {
    guard let found = ProgramSearch.find(options.run[0], in: tools.environment) else {
      throw ChannelOff(reason: "there is no program \(shown(options.run[0]))")
    }
    program = found
    arguments = try options.run.dropFirst().map { try NotificationTemplate($0, NotificationTemplate.channelNames) }
    environment = ProgramEnvironment.minimal(tools.environment)
      .merging(options.environment.entries.map { ($0.name, $0.value.revealed) }) { _, second in second }
    timeout = options.timeout
    retries = RetryPolicy(attempts: options.attempts, first: options.backoff)
    self.name = name
    self.tools = tools
  }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    let values = notification.values(channel: name)
    // An argument ends at a zero byte, so zero bytes are removed from values.
    let filled = arguments.map { $0.filled(values) { $0.filter { $0 != "\0" } } }
    if let option = firstOption(filled) {
      throw DeliveryError(
        "\(shown(option, limit: 40)) would be read as an option by the program; write -- before it, if the program supports that",
        isTransient: false)
    }
    try await ProgramCall(program, filled, environment: environment, timeout: timeout).deliver(by: tools)
  }

  /// The first argument that a value has turned into an option: it begins with a value that begins with `-`, and no `--` is before it.
  private func firstOption(_ filled: [String]) -> String? {
    for (argument, text) in zip(arguments, filled) {
      if argument.beginsWithValue { if text.utf8.first == UInt8(ascii: "-") { return text } } else if text == "--" { return nil }
    }
    return nil
  }
}
