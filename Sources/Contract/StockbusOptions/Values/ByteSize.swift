/// A number of bytes, written with its unit: `64KiB`, `10MB`, `512B`.
///
/// `KiB`, `MiB`, `GiB` and `TiB` are powers of 1024, `KB` (or `kB`), `MB`, `GB` and `TB` powers of 1000 (IEC 80000-13).
public struct ByteSize: Hashable, Comparable, Sendable {
  /// Never negative.
  public let bytes: Int

  /// A size of `bytes` bytes. Traps if the number is negative.
  public init(bytes: Int) {
    precondition(bytes >= 0, "a size cannot be negative")
    self.bytes = bytes
  }

  public static func bytes(_ count: Int) -> ByteSize { ByteSize(bytes: count) }
  public static func kibibytes(_ count: Int) -> ByteSize { ByteSize(bytes: count << 10) }
  public static func mebibytes(_ count: Int) -> ByteSize { ByteSize(bytes: count << 20) }
  public static func gibibytes(_ count: Int) -> ByteSize { ByteSize(bytes: count << 30) }

  public static func < (a: ByteSize, b: ByteSize) -> Bool { a.bytes < b.bytes }

  /// If several units divide a size, the first one in this list is used.
  private static let units: [(name: String, bytes: Int)] = [
    ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000),
    ("KiB", 1 << 10), ("KB", 1000), ("B", 1),
  ]
}

extension ByteSize: CustomStringConvertible {
  /// The size in the largest unit that divides it: `64KiB`, `1500KB`, `513B`.
  public var description: String {
    if bytes == 0 { return "0B" }
    let unit = Self.units.first { bytes % $0.bytes == 0 } ?? ("B", 1)
    return "\(bytes / unit.bytes)\(unit.name)"
  }
}

extension ByteSize: ScalarOption {
  public init(option text: String) throws(OptionTextError) {
    var rest = text[...]
    guard let number = DecimalText(&rest) else { throw .mismatch }
    if rest.first == " " { rest = rest.dropFirst() }
    let name = rest == "kB" ? "KB" : String(rest)
    guard let unit = Self.units.first(where: { $0.name == name }) else { throw Self.unknownUnit(name, in: text) }
    do throws(DecimalText.Failure) {
      guard let bytes = Int(exactly: try number.times(Int128(unit.bytes))) else { throw .tooLarge }
      self.init(bytes: bytes)
    } catch {
      throw .because(error == .tooFine ? "not a whole number of bytes" : "too large")
    }
  }

  private static func unknownUnit(_ name: String, in text: String) -> OptionTextError {
    guard text.count <= 20 else { return .mismatch }
    if name.isEmpty { return .hint("write a unit, such as \(text)KiB or \(text)B") }
    let number = text.dropLast(name.count).filter { $0 != " " }
    // `64K` and `64mb` are each used with two meanings.
    if let letter = name.uppercased().first, "KMGT".contains(letter), ["", "B", "IB"].contains(name.uppercased().dropFirst()) {
      return .hint("write \(number)\(letter)iB or \(number)\(letter)B")
    }
    return .hint("units are B, KiB, MiB, GiB, TiB, KB, MB, GB and TB")
  }

  public static var optionType: OptionType { OptionType("size", plural: "sizes", phrase: "a size such as 64KiB") }
  public static var optionSample: String { "64KiB" }
  public static var optionSchema: JSONValue { OptionSchema.text(#"[0-9]+(\.[0-9]+)? ?([KMGT]i?B|kB|B)"#) }
  public var optionText: String { description }
}
