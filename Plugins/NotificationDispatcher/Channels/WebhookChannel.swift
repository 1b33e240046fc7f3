internal import StockbusCrypto
internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusText

/// A POST of JSON. Every attempt for one alert has the same `Idempotency-Key`, by which a receiver recognises a repetition.
struct WebhookChannel: Channel {
  private let address: WebAddress
  private let body: NotificationTemplate
  private let fields: HTTPFields
  private let secrets: [String]
  private let signature: WebhookSignature?
  private let limits: HTTPLimits
  private let name: String
  private let transport: any HTTPTransport
  private let clock: any Timekeeper
  let retries: RetryPolicy

  init(_ options: WebhookSettings, _ name: String, _ tools: ChannelTools) throws {
    if options.url.revealed.isEmpty { throw ChannelOff(reason: "its url is empty") }
    address = try WebAddress(options.url.revealed)
    body = try NotificationTemplate(options.body, NotificationTemplate.channelNames)
    var fields = HTTPFields()
    try fields.set("User-Agent", "stockbus")
    for (name, value) in options.headers.entries { try fields.set(name, value.revealed) }
    try fields.set("Content-Type", "application/json")
    self.fields = fields
    secrets = options.headers.entries.map(\.name)
    signature = options.secret.flatMap { WebhookSignature(secret: $0) }
    limits = options.posting.limits
    retries = options.posting.retries
    self.name = name
    transport = options.posting.transport(tools)
    clock = tools.clock
  }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    let text = body.filled(notification.values(channel: name), escape: WebhookBody.escaped)
    var request = HTTPRequest(.post, address, fields: fields, body: Array(text.utf8))
    do throws(HTTPError) {
      try request.fields.set("Idempotency-Key", notification.delivery)
      if let signature { try signature.sign(&request, id: notification.delivery, at: clock.wall) }
    } catch { throw DeliveryError("\(error)", isTransient: false) }
    try await request.deliver(by: transport, limits, secrets, clock)
  }
}

extension HTTPRequest {
  /// Makes one attempt: every status but 2xx is a failure.
  func deliver(
    by transport: any HTTPTransport, _ limits: HTTPLimits, _ secrets: [String], _ clock: any Timekeeper
  ) async throws(DeliveryError) {
    let response: HTTPResponse
    do throws(HTTPError) { response = try await transport.send(self, limits: limits, secrets: secrets, clock: clock) } catch {
      // This includes a response that is too long: its status is not known, so the attempt counts as failed.
      throw DeliveryError(error.description, isTransient: error.isTransient)
    }
    if response.isSuccess { return }
    // The error does not contain the response's text, which may repeat the request.
    throw DeliveryError(
      "\(address) answers with status \(response.status)", isTransient: response.isTransient, asked: response.retryAfter(now: clock.wall))
  }
}

/// The signature of the Standard Webhooks specification (standardwebhooks.com): HMAC-SHA256 over id, time and body.
struct WebhookSignature: Sendable {
  private let key: [UInt8]

  /// Takes `whsec_` followed by Base64, or any other text unchanged; nil if it is empty, or the Base64 is malformed.
  init?(secret: Secret) {
    let text = secret.revealed
    let bytes = text.hasPrefix("whsec_") ? Base64.decode(String(text.dropFirst(6))) : Array(text.utf8)
    guard let bytes, !bytes.isEmpty else { return nil }
    key = bytes
  }

  func sign(_ request: inout HTTPRequest, id: String, at time: Timestamp) throws(HTTPError) {
    let seconds = String(time.ns / 1_000_000_000)
    try request.fields.set("Webhook-Id", id)
    try request.fields.set("Webhook-Timestamp", seconds)
    try request.fields.set("Webhook-Signature", "v1," + code(id: id, seconds: seconds, body: request.body))
  }

  /// The signature in Base64.
  func code(id: String, seconds: String, body: [UInt8]) -> String {
    Base64.encode(Digest.hmac(Array("\(id).\(seconds).".utf8) + body, key: key))
  }
}
