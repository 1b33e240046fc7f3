package import MarketData

/// One line of a raw capture: `<receive time> <message>` or `<receive time>: <message>`.
///
/// The time is a number since the epoch: with a point in seconds, without one in the unit that its magnitude implies (nanoseconds from 10¹⁷
/// on, microseconds from 10¹⁴, milliseconds from 10¹¹, otherwise seconds). Lines of the cryptofeed tool that record a sent message
/// (`ADDRESS <- TIME: …`) or a new connection (`ADDRESS <-> TIME`) are recognised too.
package enum CaptureLine {
  case message(received: Timestamp, text: UnsafeBufferPointer<UInt8>)
  /// The client sent the message to the venue.
  case sent
  /// A connection was opened, so the state of the previous connection is obsolete.
  case connected
  case blank
  /// The line has no known form; with the reason.
  case malformed(String)

  /// Parses a line without its line end; the message is a slice of it.
  package init(_ line: UnsafeBufferPointer<UInt8>) {
    guard let first = line.first(where: { $0 != 32 && $0 != 9 && $0 != 13 }) else {
      self = .blank
      return
    }
    guard line[0] &- 48 < 10 else {
      self = Self.note(line, first)
      return
    }
    var reader = ByteReader(line)
    do throws(TextError) {
      let time = try Self.time(&reader)
      if reader.peek == 58 { try reader.skip(58) }
      guard reader.peek == 32 || reader.peek == 9 else { throw TextError(.unexpected, at: reader.offset) }
      while reader.peek == 32 || reader.peek == 9 { try reader.skip(reader.peek) }
      self = .message(received: time, text: reader.rest)
    } catch {
      self = .malformed("does not begin with a receive time and a space: \(error.reason) at byte \(error.offset + 1)")
    }
  }

  private static func note(_ line: UnsafeBufferPointer<UInt8>, _ first: UInt8) -> CaptureLine {
    // An address precedes the arrow. A line that begins with a brace or bracket is a message without its time.
    if first != 123, first != 91 {
      let text = String(decoding: line.prefix(8192), as: UTF8.self)
      if text.contains(" <-> ") { return .connected }
      if text.contains(" <- ") || text.contains(" -> ") { return .sent }
    }
    return .malformed("no receive time")
  }

  private static func time(_ reader: inout ByteReader) throws(TextError) -> Timestamp {
    let start = reader.at
    let whole = try reader.integer()
    if reader.peek == 46 {
      reader.at = start
      return try EpochTime.read(&reader, unit: 1_000_000_000)
    }
    let unit: Int64 =
      whole >= 100_000_000_000_000_000 ? 1 : whole >= 100_000_000_000_000 ? 1000 : whole >= 100_000_000_000 ? 1_000_000 : 1_000_000_000
    let (ns, overflow) = whole.multipliedReportingOverflow(by: unit)
    if overflow { throw TextError(.outOfRange, at: 0) }
    return Timestamp(ns: ns)
  }

  /// Writes a line with its line end. Line ends inside the message, which JSON allows only between values, become blanks.
  package static func write(received: Timestamp, text: UnsafeBufferPointer<UInt8>, to out: inout ByteWriter) {
    out.reserve(24 + text.count)
    out.put(integer: received.ns)
    out.put(32)
    for byte in text { out.put(byte == 10 || byte == 13 ? 32 : byte) }
    out.put(10)
  }
}

extension ByteReader {
  /// The bytes not read yet.
  fileprivate var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: at, count: end - at) }
}
