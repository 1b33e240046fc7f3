internal import MarketData

/// The hint for a text such as `plugin:filter`, which lacks the space that YAML requires after the colon of a key; nil unless the text
/// begins with one of `keys` and a colon. The hint does not repeat the rest of the text, which may be a secret.
package func missingBlank(_ text: String, among keys: some Sequence<String>) -> String? {
  guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
  let key = text[..<colon]
  guard keys.contains(where: { $0 == key }), text.utf8.index(after: colon) != text.utf8.endIndex else { return nil }
  return "a space is missing after the colon of '\(visible(String(key), limit: 80)):'; write '\(visible(String(key), limit: 80)): …'"
}
