#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Documents as JSON, always written the same way.
package enum JSONDocument {
  package static func text(_ document: some Encodable, isPretty: Bool = false) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = isPretty ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
    // Plain values can always be encoded.
    guard let data = try? encoder.encode(document) else { preconditionFailure("the document cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }

  /// Nil if the bytes are not such a document.
  package static func read<D: Decodable>(_: D.Type, _ bytes: [UInt8]) -> D? {
    try? JSONDecoder().decode(D.self, from: Data(bytes))
  }
}
