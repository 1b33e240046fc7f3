/// Limits for a configuration. Exceeding one is a located problem that names the limit.
package struct ConfigLimits: Sendable, Hashable {
  /// Bytes of one file.
  package var fileBytes = 4 << 20
  /// Nesting of lists and mappings with aliases expanded; the document's own mapping is the first level.
  package var depth = 64
  /// Scalars, lists and mappings of one document, including keys and with aliases expanded.
  package var nodes = 100_000
  /// Bytes of one scalar, before and after its variables are replaced.
  package var scalarBytes = 1 << 20
  /// Bytes of all scalars and keys of one document with aliases expanded; and of all texts with variables.
  package var totalBytes = 16 << 20
  /// Nesting of `${…}` inside each other's defaults.
  package var variableDepth = 16
  /// Problems with variables that are reported per file.
  package var variableProblems = 1_000
  /// Files of one folder.
  package var filesPerFolder = 1_000

  package init() {}

  /// `1 MiB`, `100 bytes`.
  static func bytes(_ count: Int) -> String {
    if count >= 1 << 20, count % (1 << 20) == 0 { return "\(count >> 20) MiB" }
    if count >= 1 << 10, count % (1 << 10) == 0 { return "\(count >> 10) KiB" }
    return count == 1 ? "1 byte" : "\(grouped(count)) bytes"
  }

  /// `100,000`.
  static func grouped(_ count: Int) -> String {
    var text = ""
    for (index, digit) in String(count).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
