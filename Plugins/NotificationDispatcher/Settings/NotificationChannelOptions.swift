internal import StockbusNetwork
package import StockbusPlugin

/// The options that every channel has.
package struct NotificationChannelOptions: Options {
  @Setting("The channel's name in rules and commands; by default its kind.", length: 1...40) package var name: String?
  @Setting("False disables it; a command can enable it.") package var enabled = true
  @Setting("Sends nothing in the quiet hours.") package var heedsQuietHours = true
  @Setting("The most alerts in a time; further ones are dropped and counted.") package var rate = Rate.max

  package init() {}

  init(heedsQuietHours: Bool) { self.heedsQuietHours = heedsQuietHours }
}

/// How a channel posts to a server.
package struct PostingOptions: Options {
  @Setting("How long an attempt may take.", in: .milliseconds(1) ... .seconds(600)) public var timeout = Duration.seconds(10)
  @Setting("The number of attempts before the alert becomes a dead letter.", in: 1...100) package var attempts = 8
  @Setting("The first pause between attempts; each is up to twice as long as the one before.", in: .milliseconds(1) ... .seconds(3600))
  package var backoff = Duration.seconds(1)
  @Setting("A file of certificates (PEM) that are trusted in addition to the system's.", length: 1...) public var certificates: String?
  @Setting("Uses the proxy that https_proxy, http_proxy and no_proxy name.") package var proxy = false

  package init() {}

  package var files: [FileUse] { certificates.map { [.reading($0, at: "certificates", takesStream: false)] } ?? [] }

  var retries: RetryPolicy { RetryPolicy(attempts: attempts, first: backoff) }
  /// Only the status of a response is used.
  var limits: HTTPLimits { HTTPLimits(connect: timeout, whole: timeout, redirects: 0, body: 1 << 16) }

  func transport(_ tools: ChannelTools) -> any HTTPTransport { tools.transport(certificates, proxy) }
}
