#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// JSON documents of a declared type, always written the same way.
package enum JSONDocument {
  /// - Parameter inSnakeCase: whether keys are written as `last_seq`, and not as declared.
  package static func text(_ document: some Encodable, isPretty: Bool = false, inSnakeCase: Bool = false) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = isPretty ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
    if inSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    // Plain values can always be encoded.
    guard let data = try? encoder.encode(document) else { preconditionFailure("the document cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }

  /// Throws an `EncodingError` if the document has a value that JSON does not have, such as an infinite number.
  package static func encode(_ document: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(document))
  }

  /// Throws a `DecodingError` if the bytes are not such a document.
  package static func decode<D: Decodable>(_: D.Type, _ bytes: [UInt8], inSnakeCase: Bool = false) throws -> D {
    let decoder = JSONDecoder()
    if inSnakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    return try decoder.decode(D.self, from: Data(bytes))
  }

  /// Nil if the bytes are not such a document.
  package static func read<D: Decodable>(_: D.Type, _ bytes: [UInt8], inSnakeCase: Bool = false) -> D? {
    try? decode(D.self, bytes, inSnakeCase: inSnakeCase)
  }
}
