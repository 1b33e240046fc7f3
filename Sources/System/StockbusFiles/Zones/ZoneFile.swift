internal import MarketData

/// A file of the time-zone database (TZif, RFC 9636): the changes of the offset, and the rule for all times after the last change.
struct ZoneFile: Sendable {
  /// Why bytes are not a valid file.
  struct Problem: Error, Hashable {
    /// The position of the error, counted from 1.
    var byte: Int
    var reason: String
  }
  /// The largest file: real ones have a few thousand bytes, larger ones than this are rejected.
  static let sizeLimit = 1 << 18
  /// The allowed offsets from Greenwich: RFC 9636, section 3.2, has -25 h < offset < 26 h.
  static let offsetRange = -89_999...93_599

  /// Seconds since the epoch at which the offset changes, ascending.
  private var changes: [Int] = []
  /// The offset after each change, in seconds east of Greenwich.
  private var offsets: [Int] = []
  /// The offset before the first change.
  private var first = 0
  /// The rule after the last change; nil if the last offset stays.
  private var rule: ZoneRule?

  /// Coordinated universal time.
  init() {}

  /// Throws if the bytes are not a TZif file, or if it has leap seconds, which timestamps do not have.
  init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= Self.sizeLimit else { throw Problem(byte: Self.sizeLimit + 1, reason: "the file is too long") }
    var reader = Reader(bytes: bytes)
    var header = try Header(&reader)
    if header.version >= 2 {
      // Skips the block for old readers, in which times have four bytes.
      _ = try reader.take(header.length(timeSize: 4), "the data of version 1")
      header = try Header(&reader)
    }
    try readData(&reader, header, timeSize: header.version >= 2 ? 8 : 4)
    if header.version >= 2 { rule = try Self.footer(&reader) }
  }

  /// The offset at `time`, in seconds east of Greenwich.
  func offset(at time: Int) -> Int {
    guard let last = changes.last, let end = offsets.last else { return rule?.offset(at: time) ?? first }
    if time >= last { return rule?.offset(at: time) ?? end }
    var (low, high) = (0, changes.count)  // the number of changes at or before the time
    while low < high {
      let middle = (low + high) / 2
      if changes[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : offsets[low - 1]
  }

  /// The offset at the beginning of `times`, and its changes after that and before the end, ascending; each one differs from the offset
  /// before it.
  func changes(in times: Range<Int>) -> (first: Int, changes: [(time: Int, offset: Int)]) {
    var found: [(time: Int, offset: Int)] = []
    for time in changes where times.contains(time) { found.append((time, offset(at: time))) }
    if let rule {
      let begin = max(times.lowerBound, changes.last ?? times.lowerBound)
      let years = (CivilDate(daysSinceEpoch: begin / 86_400 - 366).year, CivilDate(daysSinceEpoch: times.upperBound / 86_400 + 366).year)
      found += rule.changes(from: years.0, through: years.1).filter { $0.time > begin && times.contains($0.time) }
    }
    let first = offset(at: times.lowerBound)
    var distinct: [(time: Int, offset: Int)] = []
    for change in found where change.time > times.lowerBound {
      if distinct.last?.time == change.time { distinct.removeLast() }
      if change.offset != distinct.last?.offset ?? first { distinct.append(change) }
    }
    return (first, distinct)
  }
}

// MARK: - Reading

extension ZoneFile {
  private struct Reader {
    let bytes: [UInt8]
    var at = 0

    mutating func take(_ count: Int, _ what: String) throws(Problem) -> ArraySlice<UInt8> {
      guard count <= bytes.count - at else { throw Problem(byte: bytes.count + 1, reason: "the file ends inside \(what)") }
      at += count
      return bytes[(at - count)..<at]
    }

    /// A signed number, highest byte first.
    mutating func integer(_ size: Int, _ what: String) throws(Problem) -> Int {
      let bits = try take(size, what).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      return Int(Int64(truncatingIfNeeded: bits << UInt64(64 - 8 * size)) >> Int64(64 - 8 * size))
    }
  }

  private struct Header {
    let version: Int
    /// The counts of universal and standard indicators, leap seconds, changes, types, and characters of the names.
    let universal, standard, leaps, changes, types, characters: Int

    init(_ reader: inout Reader) throws(Problem) {
      let start = reader.at
      guard try reader.take(4, "the header").elementsEqual("TZif".utf8) else {
        throw Problem(byte: start + 1, reason: "'TZif' is expected")
      }
      let mark = try reader.take(16, "the header").first ?? 0
      // Later versions are by definition readable like these.
      guard mark == 0 || mark >= 50 else { throw Problem(byte: start + 5, reason: "unknown version") }
      version = mark == 0 ? 1 : Int(mark) - 48
      var counts: [Int] = []
      for _ in 0..<6 {
        let count = try reader.integer(4, "the header")
        guard (0...ZoneFile.sizeLimit).contains(count) else { throw Problem(byte: reader.at - 3, reason: "a count is too large") }
        counts.append(count)
      }
      (universal, standard, leaps) = (counts[0], counts[1], counts[2])
      (changes, types, characters) = (counts[3], counts[4], counts[5])
      guard (1...256).contains(types) else {
        throw Problem(byte: start + 37, reason: "there are \(types) kinds of local time, not 1 to 256")
      }
      guard leaps == 0 else { throw Problem(byte: start + 29, reason: "the file has leap seconds, which are not supported") }
      guard [0, types].contains(universal), [0, types].contains(standard) else {
        throw Problem(byte: start + 21, reason: "the counts do not agree")
      }
    }

    func length(timeSize: Int) -> Int { changes * (timeSize + 1) + types * 6 + characters + standard + universal }
  }

  private mutating func readData(_ reader: inout Reader, _ header: Header, timeSize: Int) throws(Problem) {
    // Checked first, so that the counts cannot exceed the bytes present.
    guard header.length(timeSize: timeSize) <= reader.bytes.count - reader.at else {
      throw Problem(byte: reader.bytes.count + 1, reason: "the file ends inside the data")
    }
    for _ in 0..<header.changes {
      let time = try reader.integer(timeSize, "the changes")
      if let last = changes.last, time <= last { throw Problem(byte: reader.at - timeSize + 1, reason: "the changes do not ascend") }
      changes.append(time)
    }
    var kinds: [Int] = []
    for _ in 0..<header.changes {
      let kind = try reader.integer(1, "the changes") & 0xff
      guard kind < header.types else { throw Problem(byte: reader.at, reason: "there is no kind \(kind) of local time") }
      kinds.append(kind)
    }
    var known: [Int] = []
    for _ in 0..<header.types {
      let offset = try reader.integer(4, "the kinds of local time")
      guard Self.offsetRange.contains(offset) else { throw Problem(byte: reader.at - 3, reason: "an offset is out of range") }
      _ = try reader.take(2, "the kinds of local time")
      known.append(offset)
    }
    _ = try reader.take(header.characters + header.standard + header.universal, "the data")
    first = known[0]
    offsets = kinds.map { known[$0] }
  }

  /// The rule between the two newlines after the data; nil if there is none.
  private static func footer(_ reader: inout Reader) throws(Problem) -> ZoneRule? {
    let start = reader.at
    guard try reader.take(1, "the footer").first == 10, let end = reader.bytes[reader.at...].firstIndex(of: 10) else {
      throw Problem(byte: start + 1, reason: "a line with a rule is expected")
    }
    let text = reader.bytes[reader.at..<end]
    if text.isEmpty { return nil }
    do throws(ZoneRule.Problem) { return try ZoneRule(Array(text)) } catch {
      throw Problem(byte: reader.at + error.place + 1, reason: error.reason)
    }
  }
}
