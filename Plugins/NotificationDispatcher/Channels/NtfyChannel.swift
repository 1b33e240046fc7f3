internal import StockbusNetwork
internal import StockbusPlugin

/// Sends a message through a ntfy server, published as JSON, so that no part of it is in a header (docs.ntfy.sh/publish, "Publish as
/// JSON").
struct NtfyChannel: Channel {
  private let address: WebAddress
  private let options: NtfySettings
  private let fields: HTTPFields
  private let limits: HTTPLimits
  private let transport: any HTTPTransport
  private let clock: any Timekeeper
  var retries: RetryPolicy { options.posting.retries }

  init(_ options: NtfySettings, _ tools: ChannelTools) throws {
    if options.topic.revealed.isEmpty { throw ChannelOff(reason: "its topic is empty") }
    address = try WebAddress(options.server)
    var fields = HTTPFields()
    try fields.set("User-Agent", "stockbus")
    try fields.set("Content-Type", "application/json")
    if let token = options.token { try fields.set("Authorization", "Bearer \(token.revealed)") }
    self.fields = fields
    self.options = options
    limits = options.posting.limits
    transport = options.posting.transport(tools)
    clock = tools.clock
  }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    let message: JSONValue = [
      "topic": .string(options.topic.revealed), "title": .string(notification.alert.rule),
      "message": .string(notification.alert.message), "priority": .number(notification.isUrgent ? 5 : options.priority),
      "tags": .array(options.tags.map(JSONValue.string)),
    ]
    var request = HTTPRequest(.post, address, fields: fields, body: Array(message.description.utf8))
    do throws(HTTPError) { try request.fields.set("Idempotency-Key", notification.delivery) } catch {
      throw DeliveryError("\(error)", isTransient: false)
    }
    try await request.deliver(by: transport, limits, [], clock)
  }
}
