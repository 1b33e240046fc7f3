public import MarketData

/// The loops over an event's fields, without generics and closures for the known layouts.
///
/// Unchecked because it holds raw memory that is written once, in `init`. Unsafe because it reads fields at their offsets: each offset
/// comes from `MemoryLayout.offset(of:)` for a property of the stored layout.
@usableFromInline
final class EventCodec: @unchecked Sendable {
  /// What the loops read per field. It is plain bytes, because copying a `RawField` would retain its closures.
  struct Step: BitwiseCopyable {
    let key: UnsafeBufferPointer<UInt8>
    let offset: Int
    let decimalsOffset: Int
    let layout: FieldLayout
    let isQuoted: Bool
    let choices: ChoiceTexts?
    /// The key's first eight bytes, without its comma, as a word with the first byte lowest; and the mask of the bytes that it has.
    let keyStart: UInt64
    let keyMask: UInt64

    init(_ field: RawField) {
      key = field.key.bytes
      offset = field.offset
      decimalsOffset = field.decimalsOffset
      layout = field.layout
      isQuoted = field.isQuoted
      choices = field.choices
      keyStart = key.dropFirst().prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
      keyMask = key.count > 8 ? .max : ~(.max << UInt64((key.count - 1) * 8))
    }
  }

  let steps: UnsafeMutablePointer<Step>
  let count: Int
  /// The number of fields that are always written; those behind them are left out when they are 0.
  let constantCount: Int
  /// One bit for each field.
  let all: UInt64
  /// The bits of those that may be left out.
  let omittable: UInt64
  /// The offsets of the properties that keep decimals, without duplicates.
  let decimalsOffsets: UnsafeMutablePointer<Int>
  let decimalsCount: Int
  let fields: [RawField]
  /// The most bytes that any event needs, without its texts.
  private let fixed: Int
  private let hasTexts: Bool
  /// Fields of variable length, and the offsets of the strings among them.
  private let texts: [RawField]
  private let stringOffsets: [Int]
  private let otherTexts: [RawField]

  init(_ fields: [RawField]) {
    precondition(fields.count <= 64, "an event has at most 64 fields")
    precondition(Set(fields.map(\.name)).count == fields.count, "an event's fields have different names")
    count = fields.count
    all = fields.isEmpty ? 0 : .max >> UInt64(64 - fields.count)
    constantCount = fields.firstIndex(where: \.isOmittable) ?? fields.count
    omittable = all & ~(all >> UInt64(count - constantCount))
    precondition(fields[constantCount...].allSatisfy(\.isOmittable), "fields that may be left out are behind all others")
    precondition(constantCount > 0 || fields.isEmpty, "an event has a field that is always written")
    steps = .allocate(capacity: max(1, fields.count))
    for (i, field) in fields.enumerated() { (steps + i).initialize(to: Step(field)) }
    self.fields = fields
    let decimals = Set(fields.map(\.decimalsOffset).filter { $0 >= 0 })
    decimalsCount = decimals.count
    decimalsOffsets = .allocate(capacity: max(1, decimals.count))
    for (i, offset) in decimals.enumerated() { (decimalsOffsets + i).initialize(to: offset) }
    // Keys and the texts of enums are copied in chunks that write up to 15 bytes past their end.
    fixed = fields.reduce(4 + 15) { $0 + $1.key.bytes.count + 4 + ($1.fixedWidth ?? 0) }
    texts = fields.filter { $0.fixedWidth == nil }
    hasTexts = !texts.isEmpty
    stringOffsets = texts.filter { $0.layout == .text }.map(\.offset)
    otherTexts = texts.filter { $0.layout != .text }
  }

  deinit {
    steps.deallocate()
    decimalsOffsets.deallocate()
  }

  /// The bytes of the event's texts, which it holds outside its slot.
  func weight(of event: UnsafeRawPointer) -> Int {
    var sum = 0
    for offset in stringOffsets { sum &+= (event + offset).assumingMemoryBound(to: String.self).pointee.utf8.count }
    for text in otherTexts { sum &+= text.width(event + text.offset) }
    return sum
  }

  private func reserve(_ event: UnsafeRawPointer, _ out: inout ByteWriter) {
    var n = fixed
    if hasTexts { for f in texts { n += 2 + 6 * f.width(event + f.offset) } }
    out.reserve(n)
  }

  @inline(__always)
  private func put(_ i: Int, _ event: UnsafeRawPointer, _ times: TimeStyle, json: Bool, _ out: inout ByteWriter) {
    let at = event + steps[i].offset
    switch steps[i].layout {
    case .symbol:
      if json { out.put(34) }
      out.put(at.load(as: Symbol.self).utf8)
      if json { out.put(34) }
    case .fixedPoint:
      let d = steps[i].decimalsOffset
      out.put(fixedPoint: at.load(as: Int64.self), decimals: d < 0 ? 0 : event.load(fromByteOffset: d, as: UInt8.self))
    case .time: put(time: at.load(as: Timestamp.self), times, json: json, &out)
    case .int64: out.put(integer: at.load(as: Int64.self))
    case .uint32: out.put(digits: UInt64(at.load(as: UInt32.self)))
    case .text:
      var text = at.assumingMemoryBound(to: String.self).pointee
      text.withUTF8 { if json { out.append(json: $0) } else { out.append(csv: $0) } }
      reserve(event, &out)  // escaping has used the room reserved for the rest of the record
    case .other where steps[i].choices != nil:
      if json { out.put(34) }
      put(choice: i, at, &out)
      if json { out.put(34) }
    case .other where fields[i].isText: put(otherText: i, event, json: json, &out)
    case .other:
      if json, steps[i].isQuoted { out.put(34) }
      fields[i].write(at, &out)
      if json, steps[i].isQuoted { out.put(34) }
    }
  }

  @inline(__always)
  private func put(choice i: Int, _ at: UnsafeRawPointer, _ out: inout ByteWriter) {
    if let text = steps[i].choices?.text(of: at.load(as: UInt8.self)), !text.isEmpty { return out.put(padded: text) }
    fields[i].write(at, &out)
  }

  /// Writes a type of the event's own that is text: it is escaped here, as `String` is.
  @inline(never)
  private func put(otherText i: Int, _ event: UnsafeRawPointer, json: Bool, _ out: inout ByteWriter) {
    let at = event + steps[i].offset
    var bare = ByteWriter(capacity: fields[i].width(at))
    fields[i].write(at, &bare)
    bare.withBytes { if json { out.append(json: $0) } else { out.append(csv: $0) } }
    reserve(event, &out)
  }

  private func put(time: Timestamp, _ style: TimeStyle, json: Bool, _ out: inout ByteWriter) {
    switch style {
    case .iso8601(let form):
      if json { out.put(34) }
      out.put(iso8601: time, form: form)
      if json { out.put(34) }
    case .epoch(let unit):
      let (q, r) = time.ns.quotientAndRemainder(dividingBy: unit.rawValue)
      out.put(integer: r < 0 ? q - 1 : q)
    }
  }

  @usableFromInline
  func encodeJSON(_ event: UnsafeRawPointer, _ times: TimeStyle, to out: inout ByteWriter) {
    reserve(event, &out)
    let first = out.count
    for i in 0..<constantCount {
      out.put(padded: steps[i].key)
      put(i, event, times, json: true, &out)
    }
    for i in constantCount..<count where isWritten(i, event) { putOther(i, event, times, &out) }
    out.replace(at: first, with: 123)  // the first field's comma becomes the opening brace
    out.put(125)
  }

  /// True if a field that may be left out has to be written.
  @inline(__always)
  func isWritten(_ i: Int, _ event: UnsafeRawPointer) -> Bool { event.load(fromByteOffset: steps[i].offset, as: UInt8.self) != 0 }

  /// Not inlined, as it is rare.
  @inline(never)
  private func putOther(_ i: Int, _ event: UnsafeRawPointer, _ times: TimeStyle, _ out: inout ByteWriter) {
    out.put(padded: steps[i].key)
    put(i, event, times, json: true, &out)
  }

  @usableFromInline
  func encodeCSV(_ event: UnsafeRawPointer, _ times: TimeStyle, to out: inout ByteWriter) {
    reserve(event, &out)
    for i in 0..<constantCount {
      if i > 0 { out.put(44) }
      put(i, event, times, json: false, &out)
    }
    for i in constantCount..<count {
      out.put(44)
      if isWritten(i, event) { putOtherCSV(i, event, times, &out) }
    }
  }

  @inline(never)
  private func putOtherCSV(_ i: Int, _ event: UnsafeRawPointer, _ times: TimeStyle, _ out: inout ByteWriter) {
    put(i, event, times, json: false, &out)
  }

  @usableFromInline
  func encodeCSV(defusing event: UnsafeRawPointer, _ times: TimeStyle, to out: inout ByteWriter) {
    reserve(event, &out)
    for i in 0..<count {
      if i > 0 { out.put(44) }
      if i >= constantCount, !isWritten(i, event) { continue }
      let begin = out.count
      put(i, event, times, json: false, &out)
      guard mayBeFormula(steps[i].layout) else { continue }
      let (isQuoted, first) = out.withBytes { bytes in
        let text = bytes[begin...]
        let isQuoted = text.first == 34
        return (isQuoted, isQuoted ? text.dropFirst().first : text.first)
      }
      if let first, "=+-@".utf8.contains(first) {
        out.insert(39, at: begin + (isQuoted ? 1 : 0))
        reserve(event, &out)
      }
    }
  }

  private func mayBeFormula(_ layout: FieldLayout) -> Bool {
    switch layout {
    case .symbol, .text, .other: true
    default: false
    }
  }
}
