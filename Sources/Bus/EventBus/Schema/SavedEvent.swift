internal import MarketData

/// An event of any type as text, to be decoded when its type is known.
package struct SavedEvent: Sendable, Codable {
  private let json: String

  package init<E: Event>(_ event: E) { json = E.schema.json(event) }

  package init(from decoder: any Decoder) throws { json = try decoder.singleValueContainer().decode(String.self) }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(json)
  }

  /// Nil if it is no event of this type.
  package func event<E: Event>(_: E.Type) -> E? {
    [UInt8](json.utf8).withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      return try? E.schema.decodeJSON(&reader)
    }
  }
}
