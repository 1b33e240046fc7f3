internal import StockbusDecoding
internal import StockbusPlugin

/// How an event is written as a line.
struct RecordForm<E: Event>: Sendable {
  let isRaw: Bool
  private let encoder = EventEncoder<E>()

  init(_ format: RecordingFormat) { isRaw = E.self == RawMessage.self && format != .jsonl }

  /// Writes the record with its line end.
  func write(_ event: E, to out: inout ByteWriter) {
    if isRaw, let message = event as? RawMessage {
      var text = message.text
      text.withUTF8 { CaptureLine.write(received: message.received, text: $0, to: &out) }
    } else {
      encoder.encodeJSON(event, to: &out)
      out.reserve(1)
      out.put(10)
    }
  }
}
