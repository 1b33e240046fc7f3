package import EventBus
package import MarketData

/// Writes events in packed form, and each symbol's name once: a batch begins with its new names. Rows of columns stand before the events.
package struct EventPacker {
  /// Bytes of text after which a batch ends.
  private static let textLimit = 256 << 10
  /// The most new names in one batch: the number of names has two bytes.
  private static let nameLimit = Int(UInt16.max)

  private let layout: PackedLayout
  private let columns: PackedColumns?
  /// Numbers by symbol handle, counted from 1. A number that is at most `forgotten` means that the reader does not know the symbol's name.
  private var numbers: [UInt32] = []
  private var count: UInt32 = 0
  /// The number of names that the reader no longer knows.
  private var forgotten: UInt32 = 0

  /// - Parameter columns: those beside the events.
  package init(_ layout: PackedLayout, columns: ColumnLayout = ColumnLayout()) {
    self.layout = layout
    self.columns = columns.isEmpty ? nil : PackedColumns(columns)
  }

  /// Starts a new table of names, for a reader that knows none.
  package mutating func forgetNames() {
    forgotten = count
    if count < UInt32.max / 2 { return }
    numbers.removeAll(keepingCapacity: true)
    (count, forgotten) = (0, 0)
  }

  /// Writes a batch of the events from `first` on, and returns how many events the batch has: at least one, and at most `most`.
  ///
  /// - Parameter rows: the columns of all events, one row behind the other.
  package mutating func pack<E: Event>(
    _ events: Span<E>, rows: Span<Int64> = Span(), from first: Int, most: Int, to out: inout ByteWriter
  ) -> Int {
    let symbols = layout.steps.count { $0.form == .symbol }
    let wanted = min(most, events.count - first, Self.nameLimit / max(1, symbols))
    return events.withUnsafeBufferPointer { events in
      guard wanted > 0, let base = events.baseAddress else { return 0 }
      return pack(UnsafeRawPointer(base + first), stride: MemoryLayout<E>.stride, wanted, rows, first, to: &out)
    }
  }

  private mutating func pack(
    _ base: UnsafeRawPointer, stride: Int, _ wanted: Int, _ rows: Span<Int64>, _ first: Int, to out: inout ByteWriter
  ) -> Int {
    let taken = layout.size == nil ? fitting(base, stride, wanted) : wanted
    out.reserve(6)
    out.put(little: count - forgotten)
    let head = out.count
    out.put(little: UInt16(0))
    let before = count
    for i in 0..<taken { putNewNames(of: base + i * stride, &out) }
    out.replace(at: head, with: UInt16(count - before))
    // Where the sizes of records differ, each text reserves room for the rest of its record.
    if let columns { columns.put(rows, first, taken, to: &out) }
    out.reserve(4 + (layout.size.map { $0 * taken } ?? Self.fixedLimit))
    if columns == nil { out.put(little: UInt32(taken)) }
    numbers.withUnsafeBufferPointer { numbers in
      for i in 0..<taken { put(base + i * stride, numbers, &out) }
    }
    return taken
  }

  /// How many of the events make a batch whose texts and names stay within the limits; at least one.
  private func fitting(_ base: UnsafeRawPointer, _ stride: Int, _ wanted: Int) -> Int {
    var bytes = 0
    for i in 0..<wanted {
      for step in layout.steps where step.form == .text {
        bytes += (base + i * stride + step.offset).assumingMemoryBound(to: String.self).pointee.utf8.count
      }
      if bytes > Self.textLimit { return max(1, i) }
    }
    return wanted
  }

  private mutating func putNewNames(of event: UnsafeRawPointer, _ out: inout ByteWriter) {
    for step in layout.steps where step.form == .symbol {
      let symbol = event.load(fromByteOffset: step.offset, as: Symbol.self)
      let id = Int(symbol.id)
      if id < numbers.count, numbers[id] > forgotten { continue }
      numbers.grow(toHold: id, filling: 0)
      count += 1
      numbers[id] = count
      let name = symbol.utf8
      out.reserve(1 + name.count)
      out.put(UInt8(truncatingIfNeeded: name.count))
      out.put(name)
    }
  }

  @inline(__always)
  private func put(_ event: UnsafeRawPointer, _ numbers: UnsafeBufferPointer<UInt32>, _ out: inout ByteWriter) {
    for step in layout.steps {
      let at = event + step.offset
      switch step.form {
      case .word: out.put(little: at.loadUnaligned(as: UInt64.self))
      case .symbol: out.put(little: numbers[Int(at.load(as: UInt32.self))] &- forgotten &- 1)
      case .half: out.put(little: at.loadUnaligned(as: UInt32.self))
      case .choice: out.put(UInt8(truncatingIfNeeded: layout.choices[step.choice + Int(at.load(as: UInt8.self))]))
      case .decimals: out.put(at.load(as: UInt8.self))
      case .text: putText(at, layout, &out)
      case .other: putOther(at, step.field, &out)
      }
    }
  }

  @inline(never)
  private func putText(_ at: UnsafeRawPointer, _ layout: PackedLayout, _ out: inout ByteWriter) {
    var text = at.assumingMemoryBound(to: String.self).pointee
    text.withUTF8 { bytes in
      out.reserve(4)
      out.put(little: UInt32(bytes.count))
      out.append(bytes)
    }
    out.reserve(Self.fixedLimit)
  }

  @inline(never)
  private func putOther(_ at: UnsafeRawPointer, _ field: Int, _ out: inout ByteWriter) {
    var text = ByteWriter(capacity: 64)
    layout.write[field]?(at, &text)
    out.reserve(4)
    out.put(little: UInt32(text.count))
    text.withBytes { out.append($0) }
    out.reserve(Self.fixedLimit)
  }

  /// The most bytes of fixed size in an event, which has at most 64 fields, and as many numbers of decimals.
  static let fixedLimit = 64 * 9
}

extension ByteWriter {
  /// Writes the lowest byte first; reserve the number's size.
  @inline(__always)
  mutating func put<Number: FixedWidthInteger>(little number: Number) {
    var number = number.littleEndian
    withUnsafeBytes(of: &number) { put($0.assumingMemoryBound(to: UInt8.self)) }
  }

  /// Overwrites bytes that were written earlier, the lowest byte first.
  mutating func replace<Number: FixedWidthInteger>(at start: Int, with number: Number) {
    var number = number.littleEndian
    withUnsafeBytes(of: &number) { bytes in for (i, byte) in bytes.enumerated() { replace(at: start + i, with: byte) } }
  }
}
