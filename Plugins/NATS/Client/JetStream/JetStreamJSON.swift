internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusText

/// The JSON of JetStream's requests and replies: keys in snake_case.
enum JetStreamJSON {
  static func decode<T: Decodable>(_: T.Type, _ bytes: [UInt8]) throws(NATSError) -> T {
    if let value = JSONDocument.read(T.self, bytes, inSnakeCase: true) { return value }
    throw .protocolViolation(
      "a malformed reply of JetStream: \(String(decoding: bytes.prefix(200), as: UTF8.self).printable)")
  }

  static func encode(_ value: some Encodable) -> String {
    JSONDocument.text(value, inSnakeCase: true)
  }
}

/// A number of a message, or of messages, in a reply. No stream has more than `Int64.max`, so a larger number is not a valid reply; and a
/// successor or a sum of such numbers is a number too.
struct StreamNumber: Decodable, Sendable {
  let value: UInt64

  init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(UInt64.self)
    if value < UInt64(Int64.max) { return }
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "a sequence number that no stream has"))
  }
}

/// The error in a reply.
struct JetStreamFault: Decodable, Sendable {
  var code: Int?
  var errCode: Int?
  var description: String?

  var problem: JetStreamProblem {
    JetStreamProblem(code: code ?? 0, number: errCode ?? 0, text: (description ?? "without a reason").printable)
  }
}
