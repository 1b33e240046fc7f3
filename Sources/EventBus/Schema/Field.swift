internal import MarketData

/// One field of an event: its name, its description, and where it is stored.
public struct Field<E: Event>: Sendable {
  public let name: String
  /// What it means, in one sentence.
  public let doc: String
  public let kind: FieldKind
  /// The stored property's type.
  public let type: any FieldValue.Type
  @usableFromInline let raw: RawField
  /// The offset of the stored property that holds the number of decimals; nil if there is none.
  let decimalsProperty: Int?

  /// `path` names a stored property. Its offset is determined here, and the key path is not used again.
  public init<V: FieldValue>(_ name: String, _ path: any WritableKeyPath<E, V> & Sendable, _ doc: String) {
    self.init(name, V.self, offset: MemoryLayout<E>.offset(of: path), doc, decimals: nil)
  }

  /// A number. `decimals` names the stored property that holds the number of decimals to write.
  public init<V: FieldValue>(
    _ name: String, _ path: any WritableKeyPath<E, V> & Sendable, _ doc: String, decimals: any WritableKeyPath<E, UInt8> & Sendable
  ) {
    self.init(name, V.self, offset: MemoryLayout<E>.offset(of: path), doc, decimals: MemoryLayout<E>.offset(of: decimals))
  }

  /// A choice that is mostly the same: JSON leaves it out then, and CSV leaves it empty. `usual` is the case with the raw value 0. Such
  /// fields are declared behind all others.
  init<V: FieldChoice>(_ name: String, _ path: any WritableKeyPath<E, V> & Sendable, _ doc: String, omitting usual: V) {
    precondition(usual.rawValue == 0 && MemoryLayout<V>.size == 1, "\(E.self).\(name): the usual case is the byte 0")
    self.init(name, V.self, offset: MemoryLayout<E>.offset(of: path), doc, decimals: nil, isOmittable: true)
  }

  private init<V: FieldValue>(_ name: String, _: V.Type, offset: Int?, _ doc: String, decimals: Int?, isOmittable: Bool = false) {
    guard let offset else { preconditionFailure("\(E.self).\(name) is no stored property; an event's fields are stored properties") }
    self.name = name
    self.doc = doc
    kind = V.kind
    type = V.self
    decimalsProperty = decimals
    raw = RawField(
      name: name, key: ImmortalBytes(",\"\(name)\":"), offset: offset, decimalsOffset: decimalsProperty ?? -1, layout: V.layout,
      isQuoted: V.kind.isQuoted, isText: V.kind == .text, isOmittable: isOmittable, fixedWidth: V.fixedWidth,
      choices: (V.self as? any FieldChoice.Type).flatMap { ChoiceTexts($0) },
      width: { $0.assumingMemoryBound(to: V.self).pointee.width },
      write: { $0.assumingMemoryBound(to: V.self).pointee.write(to: &$1) },
      read: { at, text throws(TextError) in at.assumingMemoryBound(to: V.self).pointee = try V(from: &text) })
  }
}

extension Field {
  /// Bytes from the event's start to the property, for modules of this package that read events in place.
  package var offset: Int { raw.offset }
  /// The property's layout in memory.
  package var layout: FieldLayout { raw.layout }
}

/// A field without its types: encoding loops over these, so that no metadata is looked up per event.
@usableFromInline
struct RawField: Sendable {
  let name: String
  /// `,"name":`; the first field's comma is replaced by the opening brace.
  let key: ImmortalBytes
  let offset: Int
  /// The offset of the number of decimals, or -1.
  let decimalsOffset: Int
  let layout: FieldLayout
  let isQuoted: Bool
  let isText: Bool
  /// Not written if its one byte is 0.
  var isOmittable: Bool
  let fixedWidth: Int?
  /// The texts of an enum; nil for other types.
  let choices: ChoiceTexts?
  let width: @Sendable (UnsafeRawPointer) -> Int
  let write: @Sendable (UnsafeRawPointer, inout ByteWriter) -> Void
  let read: @Sendable (UnsafeMutableRawPointer, inout ByteReader) throws(TextError) -> Void

  /// The same field, never left out.
  var always: RawField {
    var field = self
    field.isOmittable = false
    return field
  }
}

/// Bytes that are written once and live as long as the process, as the static schemas do that use them. They are followed by zeros, so that
/// `ByteWriter.put(padded:)` can copy them in chunks.
@usableFromInline
struct ImmortalBytes: @unchecked Sendable {
  let bytes: UnsafeBufferPointer<UInt8>

  init(_ text: String) {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: (text.utf8.count / 16 + 1) * 16)
    copy.initialize(repeating: 0)
    _ = copy.update(fromContentsOf: text.utf8)
    bytes = UnsafeBufferPointer(start: copy.baseAddress, count: text.utf8.count)
  }
}
