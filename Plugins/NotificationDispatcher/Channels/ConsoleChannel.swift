/// Prints a line on standard output, above anything that is drawn there.
struct ConsoleChannel: Channel {
  let print: @Sendable (String) async throws -> Void
  var retries: RetryPolicy { RetryPolicy() }

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    do { try await print(notification.line) } catch { throw DeliveryError("standard output: \(error)", isTransient: false) }
  }
}
