internal import MarketData

/// What to say of a text such as `plugin:filter`, where YAML wants a blank behind the colon to see a key; nil unless it begins with one of
/// `keys` and a colon. What stands behind it is not repeated, as it may be a secret.
public func missingBlank(_ text: String, among keys: some Sequence<String>) -> String? {
  guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
  let key = text[..<colon]
  guard keys.contains(where: { $0 == key }), text.utf8.index(after: colon) != text.utf8.endIndex else { return nil }
  return "a blank is missing behind the colon of '\(visible(String(key), limit: 80)):'; write '\(visible(String(key), limit: 80)): …'"
}
