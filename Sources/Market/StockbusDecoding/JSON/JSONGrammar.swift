/// Checks whether a text is JSON (RFC 8259), with the parser for venues' messages.
package enum JSONGrammar {
  /// Why `text` is not one JSON value, and at which byte, such as `byte 17: ':' is expected`; nil if `text` is valid.
  package static func fault(in text: String) -> String? {
    var tape = JSONTape(limit: max(1, text.utf8.count))
    var text = text
    do {
      try text.withUTF8 { bytes in try tape.read(bytes) }
      return nil
    } catch { return "\(error)" }
  }
}
