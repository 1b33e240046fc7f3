public import MarketData

/// A type that a field may have: how it is written, read and compared.
public protocol FieldValue: Sendable, Comparable {
  static var kind: FieldKind { get }
  /// The layout, if the codec knows it and needs no call.
  static var layout: FieldLayout { get }
  /// The most bytes that a written value takes; nil if each value gives its own in `width`.
  static var fixedWidth: Int? { get }
  var width: Int { get }
  /// Writes the bare value. The codec has reserved `width` bytes, and adds quotation marks and escapes.
  func write(to out: inout ByteWriter)
  /// Reads the bare value, unescaped and without quotation marks.
  init(from text: inout ByteReader) throws(TextError)
}

/// Layouts that the codec reads and writes itself; all other types go through their conformance.
public enum FieldLayout: UInt8, BitwiseCopyable, Sendable {
  case symbol, fixedPoint, time, int64, uint32, text, other
}

/// The kind of a field, as the documentation names it.
public enum FieldKind: String, Sendable {
  case symbol, text, decimal, integer, time, choice

  /// True if JSON writes it between quotation marks.
  @inlinable public var isQuoted: Bool { self == .symbol || self == .text || self == .choice }
}

extension FieldValue {
  @inlinable public var width: Int { Self.fixedWidth ?? 0 }
  @inlinable public static var layout: FieldLayout { .other }
}

extension Symbol: FieldValue {
  @inlinable public static var layout: FieldLayout { .symbol }
  @inlinable public static var kind: FieldKind { .symbol }
  @inlinable public static var fixedWidth: Int? { 64 }
  @inlinable public func write(to out: inout ByteWriter) { out.put(utf8) }
  @inlinable public init(from text: inout ByteReader) throws(TextError) { try self.init(utf8: text.rest()) }
}

extension FieldValue where Self: FixedPoint {
  @inlinable public static var layout: FieldLayout { .fixedPoint }
  @inlinable public static var kind: FieldKind { .decimal }
  @inlinable public static var fixedWidth: Int? { 24 }
  @inlinable public func write(to out: inout ByteWriter) { out.put(fixedPoint: raw) }
  @inlinable public init(from text: inout ByteReader) throws(TextError) {
    var decimals: UInt8 = 0
    self.init(raw: try text.fixedPoint(decimals: &decimals))
  }
}
extension Price: FieldValue {}
extension Quantity: FieldValue {}
extension Percent: FieldValue {}

extension Timestamp: FieldValue {
  @inlinable public static var layout: FieldLayout { .time }
  @inlinable public static var kind: FieldKind { .time }
  @inlinable public static var fixedWidth: Int? { 40 }
  @inlinable public func write(to out: inout ByteWriter) { out.put(iso8601: self, form: .shortest) }
  @inlinable public init(from text: inout ByteReader) throws(TextError) { self = try text.iso8601() }
}

extension Int64: FieldValue {
  @inlinable public static var layout: FieldLayout { .int64 }
  @inlinable public static var kind: FieldKind { .integer }
  @inlinable public static var fixedWidth: Int? { 24 }
  @inlinable public func write(to out: inout ByteWriter) { out.put(integer: self) }
  @inlinable public init(from text: inout ByteReader) throws(TextError) { self = try text.integer() }
}

extension UInt32: FieldValue {
  @inlinable public static var layout: FieldLayout { .uint32 }
  @inlinable public static var kind: FieldKind { .integer }
  @inlinable public static var fixedWidth: Int? { 12 }
  @inlinable public func write(to out: inout ByteWriter) { out.put(digits: UInt64(self)) }
  @inlinable public init(from text: inout ByteReader) throws(TextError) {
    guard let value = UInt32(exactly: try text.integer()) else { throw TextError(.outOfRange, at: text.offset) }
    self = value
  }
}

extension String: FieldValue {
  @inlinable public static var layout: FieldLayout { .text }
  @inlinable public static var kind: FieldKind { .text }
  @inlinable public static var fixedWidth: Int? { nil }
  @inlinable public var width: Int { utf8.count }
  public func write(to out: inout ByteWriter) {
    var copy = self
    copy.withUTF8 { out.put($0) }
  }
  public init(from text: inout ByteReader) throws(TextError) {
    guard let value = String(validating: text.rest(), as: UTF8.self) else { throw TextError(.badUTF8, at: text.offset) }
    self = value
  }
}

/// An enum as a field: `enum Side: UInt8, FieldChoice` with a name for each case.
public protocol FieldChoice: FieldValue, CaseIterable, RawRepresentable<UInt8> {
  /// The case as it is written; at most 32 bytes, nothing that needs escaping.
  var fieldName: String { get }
}

extension FieldChoice {
  public static var kind: FieldKind { .choice }
  public static var fixedWidth: Int? { 32 }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  public func write(to out: inout ByteWriter) { fieldName.write(to: &out) }
  public init(from text: inout ByteReader) throws(TextError) {
    let at = text.offset
    let name = try String(from: &text)
    guard let value = Self.allCases.first(where: { $0.fieldName == name }) else { throw TextError(.unexpected, at: at) }
    self = value
  }
}

extension ByteReader {
  /// Reads everything that is left. The bytes are valid as long as the text.
  @inlinable
  public mutating func rest() -> UnsafeBufferPointer<UInt8> {
    defer { at = end }
    return UnsafeBufferPointer(start: at, count: end - at)
  }
}
