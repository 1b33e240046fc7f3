internal import EventBus
internal import MarketData

/// What a message says of its event in the header `Stockbus-Event`: the type's name, and a fingerprint of its declaration.
///
/// The fingerprint is the 64-bit FNV-1a hash, in 16 hexadecimal digits, of the text `name(field:layout,field:layout,…)`. So a reader that
/// was built with other fields sees at once that it would read something else.
struct EventMark: Sendable, Hashable {
  let text: String

  init<E: Event>(_: E.Type) {
    let fields = E.schema.fields.map { "\($0.name):\($0.layout)" }.joined(separator: ",")
    let hash = Self.hash("\(E.eventName)(\(fields))".utf8)
    let digits = String(hash, radix: 16)
    text = "\(E.eventName) \(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }

  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hash
  }
}
