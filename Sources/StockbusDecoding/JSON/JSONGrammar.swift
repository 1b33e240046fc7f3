/// Whether a text is JSON (RFC 8259), by the same reader that messages of venues go through.
public enum JSONGrammar {
  /// Why `text` is not one JSON value, and at which byte, such as `byte 17: ':' is expected`; nil where it is.
  public static func fault(in text: String) -> String? {
    var tape = JSONTape(limit: max(1, text.utf8.count))
    var text = text
    do {
      try text.withUTF8 { bytes in try tape.read(bytes) }
      return nil
    } catch { return "\(error)" }
  }
}
