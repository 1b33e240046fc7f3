internal import StockbusPlugin

/// What makes two events the same: the values of some of their fields. This is the only file of the plugin that reads memory by address:
/// the offsets are those of stored properties, from the event's declaration.
struct EventIdentity<E: Event>: Sendable {
  /// The offsets of the fields by their sizes in bytes; a field of 16 bytes is two of 8.
  private var words: [Int] = []
  private var halves: [Int] = []
  private var bytes: [Int] = []
  private var texts: [Int] = []
  /// Fields of the event's own types, which are compared as they are written.
  private var others: [Field<E>] = []
  /// All texts of an event, whose bytes are outside of it.
  private let heldTexts: [Int]
  private let heldOthers: [Field<E>]
  private let receiptOffset: Int
  private let seed: UInt64

  /// - Parameters:
  ///   - names: the names of the fields; nil for all except the receipt.
  ///   - seed: differs from run to run, so that nobody can choose events that share a place in a table.
  init(by names: [String]?, seed: UInt64) {
    self.seed = seed
    receiptOffset = E.schema.receivedOffset
    let all = E.schema.fields
    heldTexts = all.filter { $0.layout == .text }.map(\.offset)
    heldOthers = _isPOD(E.self) ? [] : all.filter { $0.layout == .other && $0.kind == .text }
    for field in all where names?.contains(field.name) ?? !(field.name == "received" && field.layout == .time) { add(field) }
  }

  private mutating func add(_ field: Field<E>) {
    switch field.layout {
    case .fixedPoint, .time, .int64: words.append(field.offset)
    case .symbol, .uint32: halves.append(field.offset)
    case .text: texts.append(field.offset)
    case .other where field.type is any FieldChoice.Type && Self.size(of: field.type) == 1: bytes.append(field.offset)
    case .other where field.type == Amount.self: words += [field.offset, field.offset + 8]
    case .other where field.type == BarLength.self: words.append(field.offset)
    case .other: others.append(field)
    }
  }

  private static func size<V: FieldValue>(of _: V.Type) -> Int { MemoryLayout<V>.size }

  @inline(__always)
  func receipt(of event: UnsafePointer<E>) -> Int64 { UnsafeRawPointer(event).load(fromByteOffset: receiptOffset, as: Int64.self) }

  @inline(__always)
  func hash(_ event: UnsafePointer<E>) -> UInt32 {
    let event = UnsafeRawPointer(event)
    var hash = seed
    for offset in words { mix(event.loadUnaligned(fromByteOffset: offset, as: UInt64.self), into: &hash) }
    for offset in halves { mix(UInt64(event.loadUnaligned(fromByteOffset: offset, as: UInt32.self)), into: &hash) }
    for offset in bytes { mix(UInt64(event.load(fromByteOffset: offset, as: UInt8.self)), into: &hash) }
    if !texts.isEmpty || !others.isEmpty { mixTexts(event, into: &hash) }
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }

  /// Multiplies and folds, as wyhash does. (The constant is that of Weyl's sequence of the golden ratio.)
  @inline(__always)
  private func mix(_ value: UInt64, into hash: inout UInt64) {
    let product = (hash ^ value ^ 0xd6e8_feb8_6659_fd93).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    hash = product.high ^ product.low &+ seed
  }

  @inline(never)
  private func mixTexts(_ event: UnsafeRawPointer, into hash: inout UInt64) {
    var sum = hash
    for offset in texts {
      for byte in (event + offset).assumingMemoryBound(to: String.self).pointee.utf8 { mix(UInt64(byte), into: &sum) }
      mix(256, into: &sum)
    }
    for field in others {
      written(field, event).withBytes { for byte in $0 { mix(UInt64(byte), into: &sum) } }
      mix(256, into: &sum)
    }
    hash = sum
  }

  @inline(__always)
  func areSame(_ a: UnsafePointer<E>, _ b: UnsafePointer<E>) -> Bool {
    let (a, b) = (UnsafeRawPointer(a), UnsafeRawPointer(b))
    for i in words where a.loadUnaligned(fromByteOffset: i, as: UInt64.self) != b.loadUnaligned(fromByteOffset: i, as: UInt64.self) {
      return false
    }
    for i in halves where a.loadUnaligned(fromByteOffset: i, as: UInt32.self) != b.loadUnaligned(fromByteOffset: i, as: UInt32.self) {
      return false
    }
    for i in bytes where a.load(fromByteOffset: i, as: UInt8.self) != b.load(fromByteOffset: i, as: UInt8.self) { return false }
    return texts.isEmpty && others.isEmpty || haveSameTexts(a, b)
  }

  @inline(never)
  private func haveSameTexts(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
    for offset in texts {
      let (text, other) = ((a + offset).assumingMemoryBound(to: String.self), (b + offset).assumingMemoryBound(to: String.self))
      if !text.pointee.utf8.elementsEqual(other.pointee.utf8) { return false }
    }
    for field in others {
      let text = written(field, a)
      let other = written(field, b)
      if !text.withBytes({ own in other.withBytes { own.elementsEqual($0) } }) { return false }
    }
    return true
  }

  private func written(_ field: Field<E>, _ event: UnsafeRawPointer) -> ByteWriter {
    var out = ByteWriter(capacity: 64)
    field.writeText(event + field.offset, to: &out)
    return out
  }

  /// The bytes of an event's texts, which are outside of it.
  @inline(__always)
  func textBytes(of event: UnsafePointer<E>) -> Int {
    heldTexts.isEmpty && heldOthers.isEmpty ? 0 : countTextBytes(UnsafeRawPointer(event))
  }

  @inline(never)
  private func countTextBytes(_ event: UnsafeRawPointer) -> Int {
    heldTexts.reduce(0) { $0 + (event + $1).assumingMemoryBound(to: String.self).pointee.utf8.count }
      + heldOthers.reduce(0) { $0 + written($1, event).count }
  }
}
