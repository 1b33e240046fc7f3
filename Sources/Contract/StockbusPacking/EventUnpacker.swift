package import EventBus
package import MarketData

/// The reason why bytes are not packed events.
package struct PackingError: Error, Hashable, CustomStringConvertible {
  package let reason: String
  /// Bytes from the batch's beginning.
  package let offset: Int
  package var description: String { "\(reason) at byte \(offset + 1)" }
}

/// Reads packed events: batches of one writer, in their order.
///
/// Unsafe, because it writes fields at their offsets into events of its own. A damaged batch is an error; the caller rolls back the events
/// sent before the damage was found.
package final class EventUnpacker<E: Event> {
  /// The number of events unpacked at a time.
  private static var chunk: Int { 256 }

  private let layout: PackedLayout
  private let intake: SymbolIntake
  private let limit: Int
  private var symbols: [Symbol] = []
  private let events: UnsafeMutablePointer<E>
  private let columns: ColumnLayout

  /// - Parameters:
  ///   - limit: how many names the writer may send.
  ///   - columns: those of the output; a batch may have others, which are left out, and lack some, which have no values then.
  package init(_ layout: PackedLayout, _ intake: SymbolIntake, limit: Int, columns: ColumnLayout = ColumnLayout()) {
    self.layout = layout
    self.columns = columns
    self.intake = intake
    self.limit = limit
    events = .allocate(capacity: Self.chunk)
    events.initialize(repeating: E.schema.example, count: Self.chunk)
  }

  deinit {
    events.deinitialize(count: Self.chunk)
    events.deallocate()
  }

  /// Sends the events of a batch; returns how many events it has.
  package func unpack(_ batch: UnsafeRawBufferPointer, into output: inout Outlet<E>) throws(PackingError) -> Int {
    var bytes = PackedReader(batch)
    try readNames(&bytes)
    var count = Int(try bytes.number(UInt32.self))
    var rows: PackedRows?
    if count & PackedColumns.mark != 0 {
      count &= ~PackedColumns.mark
      rows = try PackedRows(count, columns, &bytes)
    }
    if count > bytes.left || layout.size.map({ $0 * count != bytes.left }) == true {
      throw bytes.error("\(count) events cannot have \(bytes.left) bytes")
    }
    var done = 0
    while done < count {
      let next = min(Self.chunk, count - done)
      try PackedRecords.read(next, layout, symbols, UnsafeMutableRawPointer(events), stride: MemoryLayout<E>.stride, &bytes)
      let span = Span(_unsafeStart: UnsafePointer(events), count: next)
      if let rows { output.send(span, rows: rows.values(done, next).span) } else { output.send(contentsOf: span) }
      done += next
    }
    if bytes.left > 0 { throw bytes.error("\(bytes.left) bytes too many") }
    return count
  }

  private func readNames(_ bytes: inout PackedReader) throws(PackingError) {
    let first = Int(try bytes.number(UInt32.self))
    if first == 0 { symbols.removeAll(keepingCapacity: true) }
    if first != symbols.count { throw bytes.error("names from number \(first) on, although \(symbols.count) are known") }
    let count = Int(try bytes.number(UInt16.self))
    if count > limit - first { throw bytes.error("more than \(limit) names") }
    for _ in 0..<count {
      let length = Int(try bytes.number(UInt8.self))
      let name = try bytes.take(length)
      do { symbols.append(try intake.symbol(utf8: name)) } catch { throw bytes.error("a bad name: \(error.reason)") }
    }
  }
}

/// The loop over the records of a batch, without the event's type, so that it is compiled once.
enum PackedRecords {
  static func read(
    _ count: Int, _ layout: PackedLayout, _ symbols: [Symbol], _ events: UnsafeMutableRawPointer, stride: Int, _ bytes: inout PackedReader
  ) throws(PackingError) {
    let failure = symbols.withUnsafeBufferPointer { symbols -> PackingError? in
      do throws(PackingError) {
        for i in 0..<count { try read(layout, symbols, events + i * stride, &bytes) }
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  }

  @inline(__always)
  private static func read(
    _ layout: PackedLayout, _ symbols: UnsafeBufferPointer<Symbol>, _ event: UnsafeMutableRawPointer, _ bytes: inout PackedReader
  ) throws(PackingError) {
    for step in layout.steps {
      let at = event + step.offset
      switch step.form {
      case .word: at.storeBytes(of: try bytes.number(UInt64.self), as: UInt64.self)
      case .symbol:
        let number = try bytes.number(UInt32.self)
        guard number < symbols.count else { throw bytes.error("symbol \(number) of \(symbols.count)") }
        at.storeBytes(of: symbols[Int(number)], as: Symbol.self)
      case .half: at.storeBytes(of: try bytes.number(UInt32.self), as: UInt32.self)
      case .choice:
        let byte = layout.choices[step.choice + 256 + Int(try bytes.number(UInt8.self))]
        if byte == PackedLayout.none { throw bytes.error("'\(layout.names[step.field])' is none of its values") }
        at.storeBytes(of: UInt8(truncatingIfNeeded: byte), as: UInt8.self)
      case .decimals:
        let decimals = try bytes.number(UInt8.self)
        if decimals > 9 { throw bytes.error("\(decimals) decimals") }
        at.storeBytes(of: decimals, as: UInt8.self)
      case .text: try readText(at, &bytes)
      case .other: try readOther(at, layout, step.field, &bytes)
      }
    }
  }

  @inline(never)
  private static func readText(_ at: UnsafeMutableRawPointer, _ bytes: inout PackedReader) throws(PackingError) {
    let text = try bytes.take(Int(try bytes.number(UInt32.self)))
    guard let text = String(validating: text, as: UTF8.self) else { throw bytes.error("text that is not UTF-8") }
    at.assumingMemoryBound(to: String.self).pointee = text
  }

  @inline(never)
  private static func readOther(
    _ at: UnsafeMutableRawPointer, _ layout: PackedLayout, _ field: Int, _ bytes: inout PackedReader
  ) throws(PackingError) {
    let text = try bytes.take(Int(try bytes.number(UInt32.self)))
    if let error = layout.read[field]?(at, text) { throw bytes.error("'\(layout.names[field])': \(error.reason)") }
  }
}

/// Reads untrusted bytes, but none beyond their end.
struct PackedReader {
  private let base: UnsafeRawPointer?
  private let count: Int
  private var at = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    base = bytes.baseAddress
    count = bytes.count
  }

  var left: Int { count - at }

  @inline(__always)
  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type) throws(PackingError) -> Number {
    let size = MemoryLayout<Number>.size
    guard left >= size, let base else { throw error("the batch ends too early") }
    defer { at += size }
    return Number(littleEndian: base.loadUnaligned(fromByteOffset: at, as: Number.self))
  }

  mutating func take(_ size: Int) throws(PackingError) -> UnsafeBufferPointer<UInt8> {
    guard size <= left, let base else { throw error("the batch ends too early") }
    defer { at += size }
    return UnsafeBufferPointer(start: (base + at).assumingMemoryBound(to: UInt8.self), count: size)
  }

  @inline(never)
  func error(_ reason: String) -> PackingError { PackingError(reason: reason, offset: at) }
}
