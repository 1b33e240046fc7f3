internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusProcesses
internal import StockbusSystem

/// Sends an e-mail through a program with sendmail's interface: recipients as arguments, the message on standard input.
struct EmailChannel: Channel {
  private let program: String
  private let options: EmailSettings
  private let subject: NotificationTemplate
  private let name: String
  private let tools: ChannelTools
  var retries: RetryPolicy { RetryPolicy(attempts: options.attempts, first: options.backoff) }

  init(_ options: EmailSettings, _ name: String, _ tools: ChannelTools) throws {
    guard let found = ProgramSearch.find(options.program, in: tools.environment) else {
      throw ChannelOff(reason: "there is no program \(shown(options.program))")
    }
    program = found
    self.options = options
    subject = try NotificationTemplate(options.subject, NotificationTemplate.channelNames)
    self.name = name
    self.tools = tools
  }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    let mail = MailMessage(
      from: options.from, to: options.to, subject: subject.filled(notification.values(channel: name)),
      body: notification.alert.message + "\n\n" + Self.details(notification), id: notification.delivery, date: tools.clock.wall)
    // -i: a line with a single dot does not end the message; the recipients follow `--`, so that none is taken for an option.
    let arguments = ["-i", "-f", options.from, "--"] + options.to
    try await ProgramCall(
      program, arguments, environment: ProgramEnvironment.minimal(tools.environment), input: Array(mail.text.utf8), timeout: options.timeout
    ).deliver(by: tools)
  }

  private static func details(_ notification: Notification) -> String {
    """
    Rule:   \(notification.alert.rule)
    Symbol: \(notification.alert.symbol)
    Price:  \(notification.price)
    Time:   \(notification.alert.time)
    Alert:  \(notification.id)

    """
  }
}

/// Checks of mail addresses.
enum MailAddress {
  /// Why a text is not a usable address; nil if it is one: it has one `@`, and no character that ends a line, a header or an argument.
  static func fault(in text: String) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let isPlain = text.unicodeScalars.allSatisfy { $0.value > 32 && $0.value != 127 && !"<>()[],;:\\\"".unicodeScalars.contains($0) }
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, isPlain, text.utf8.count <= 254, !text.hasPrefix("-") else {
      return "\(shown(text)) is not a mail address"
    }
    return nil
  }
}
