#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A value as it comes back from JSON.
public func written<V: Codable>(_ value: V) throws -> V { try JSONDecoder().decode(V.self, from: JSONEncoder().encode(value)) }

/// The JSON of a value, with sorted keys.
public func encoded(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// The value of a JSON text; nil if it is refused.
public func read<V: Decodable>(_: V.Type, _ json: String) -> V? { try? JSONDecoder().decode(V.self, from: Data(json.utf8)) }

/// A value that comes back from a JSON text of which some words are others: numbers, texts, `null`, lists that are empty. Nil if it is
/// refused.
public func damaged<V: Codable>(_ value: V, _ random: inout SplitMix) throws -> V? {
  var words = words(of: try encoded(value))
  let places = words.indices.filter { !",:[]{}".contains(words[$0]) && !(words.indices.contains($0 + 1) && words[$0 + 1] == ":") }
  let others = [
    "0", "-1", "1", "2", "255", "65535", "4294967295", "-9223372036854775808", "9223372036854775807", "4611686018427387904", "1e300",
    "null", "true", "false", #""""#, #""A""#, #""*""#, "[]", "{}",
  ]
  for _ in 0...random.upTo(2) where !places.isEmpty {
    let place = places[random.upTo(places.count - 1)]
    words[place] = random.oneIn(2) ? others[random.upTo(others.count - 1)] : words[places[random.upTo(places.count - 1)]]
  }
  return read(V.self, words.joined())
}

/// Numbers, texts, words and single signs.
private func words(of text: String) -> [String] {
  var words: [String] = []
  var word = ""
  var (isText, isEscaped) = (false, false)
  for character in text {
    if isText {
      word.append(character)
      isText = character != "\"" || isEscaped
      isEscaped = character == "\\" && !isEscaped
    } else if ",:[]{}".contains(character) {
      if !word.isEmpty { words.append(word) }
      words.append(String(character))
      word = ""
    } else {
      word.append(character)
      isText = character == "\""
    }
  }
  return word.isEmpty ? words : words + [word]
}
