extension String {
  /// The text where it has at most so many bytes, or else as many whole characters of it as fit into them, and an ellipsis.
  package func cut(toBytes limit: Int) -> String {
    if utf8.count <= limit { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while end > startIndex, String.Index(end, within: self) == nil { end = utf8.index(before: end) }
    return String(self[..<end]) + "…"
  }
}
