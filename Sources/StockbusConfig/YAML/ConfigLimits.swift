/// What a configuration may cost; whatever is beyond gives a located problem that names the limit.
public struct ConfigLimits: Sendable, Hashable {
  /// Bytes of one file.
  public var fileBytes = 4 << 20
  /// Levels of lists and mappings inside of each other, aliases expanded; the document's own mapping is the first.
  public var depth = 64
  /// Scalars, lists and mappings of one document, keys included, every alias counted as what it stands for.
  public var nodes = 100_000
  /// Bytes of one scalar, before and after its variables are replaced.
  public var scalarBytes = 1 << 20
  /// Bytes of all scalars and keys of one document together, aliases expanded; and of all texts that variables went into.
  public var totalBytes = 16 << 20
  /// Levels of `${…}` inside of each other's defaults.
  public var variableDepth = 16
  /// Problems with variables of one file that are told.
  public var variableProblems = 1_000
  /// Files of one folder.
  public var filesPerFolder = 1_000

  public init() {}

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
