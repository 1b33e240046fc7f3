internal import LibC
internal import MarketData
internal import StockbusCrypto
internal import StockbusFiles
package import StockbusPlugin
internal import StockbusSystem
internal import StockbusText

/// The file with a run's memory, which each run replaces as a whole; the former one stays beside it as `PATH.previous`.
///
/// Its lines: a heading with the time; for each value two lines, its mark (a digest), a blank and its description as a JSON object, and then the value
/// in JSON; at the end the mark of all marks and the number of values. Whatever does not match its mark is an error with its line, and then
/// nothing is used of the file.
package enum MemoryFile {
  /// A file that cannot be read or written, or is damaged.
  package struct Failure: Error, CustomStringConvertible, Sendable {
    package let description: String
  }

  /// Larger files are refused.
  private static let limit = 1 << 30
  private static let family = "stockbus memory "
  private static let head = family + "1 "
  /// Behind the time, if the run went on.
  private static let going = ", the run goes on"

  private struct Heading: Codable {
    let component: String
    let plugin: String
    let options: String
    let name: String
    let version: Int
    /// True if the value does not depend on the component's options.
    let isKept: Bool
  }

  package static func previous(_ path: String) -> String { path + ".previous" }

  // MARK: Reading

  /// An empty memory if there is no file.
  package static func read(_ path: String) throws(Failure) -> RunMemory {
    guard let bytes = try contents(path) else { return RunMemory() }
    return try memory(in: bytes, of: path)
  }

  static func memory(in bytes: [UInt8], of path: String) throws(Failure) -> RunMemory {
    var reader = Reader(path: path, bytes: bytes)
    return try reader.read()
  }

  /// Throws if there is a file that is no memory, damaged or not.
  static func check(_ path: String) throws(Failure) {
    if let bytes = try contents(path), !bytes.starts(with: family.utf8) { throw foreign(path) }
  }

  private static func foreign(_ path: String) -> Failure {
    Failure(description: "\(path):1: this is not the memory of a run, or that of another version")
  }

  /// Nil if there is no file.
  private static func contents(_ path: String) throws(Failure) -> [UInt8]? {
    do throws(Errno) {
      guard let bytes = try FileBytes.whole(path, atMost: limit + 1) else { return nil }
      if bytes.count <= limit { return bytes }
    } catch { throw Failure(description: "\(path) cannot be read: \(error)") }
    throw Failure(description: "\(path) is longer than a gigabyte, and so no memory of a run")
  }

  private struct Reader {
    let path: String
    let bytes: [UInt8]
    private var place = 0
    private var line = 0

    init(path: String, bytes: [UInt8]) {
      self.path = path
      self.bytes = bytes
    }

    /// The next line without its end; nil at the end, also of an unfinished line.
    private mutating func next() -> ArraySlice<UInt8>? {
      line += 1
      guard let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      defer { place = end + 1 }
      return bytes[place..<end]
    }

    private func damaged(_ what: String) -> Failure {
      Failure(description: "\(path):\(line): \(what)")
    }

    mutating func read() throws(Failure) -> RunMemory {
      guard let first = next(), first.starts(with: MemoryFile.head.utf8) else { throw MemoryFile.foreign(path) }
      let words = String(decoding: first.dropFirst(MemoryFile.head.utf8.count), as: UTF8.self)
      let isOfEndedRun = !words.hasSuffix(MemoryFile.going)
      guard let time = try? Timestamp(iso8601: String(words.dropLast(isOfEndedRun ? 0 : MemoryFile.going.count))) else {
        throw MemoryFile.foreign(path)
      }
      var marks = [UInt8](first)
      var values: [(Heading, Memory.Entry)] = []
      while let heading = next() {
        let (mark, words) = (heading.prefix(16), heading.dropFirst(17))
        guard heading.dropFirst(16).first == UInt8(ascii: " ") else { throw damaged("this is no heading of a value") }
        marks += mark
        if words.starts(with: "end ".utf8) {
          let marks = [UInt8](marks.dropLast(16))
          guard mark.elementsEqual(Digest.mark(marks + words).utf8), words.elementsEqual("end \(values.count)".utf8), place == bytes.count
          else { throw damaged("the end does not match what is before it") }
          return RunMemory(time: time, components: Self.components(values), isOfEndedRun: isOfEndedRun)
        }
        guard let value = next(), mark.elementsEqual(Digest.mark(words + [10] + value).utf8),
          let heading = JSONDocument.read(Heading.self, [UInt8](words))
        else { throw damaged("the value on this line is damaged") }
        let stored = StoredText(version: heading.version, json: value)
        values.append(
          (heading, Memory.Entry(name: heading.name, isKept: heading.isKept, version: heading.version, value: .stored(stored))))
      }
      throw damaged("the file ends before its last line")
    }

    private static func components(_ values: [(heading: Heading, entry: Memory.Entry)]) -> [RunMemory.Component] {
      var ids: [String] = []
      for value in values where ids.last != value.heading.component { ids.append(value.heading.component) }
      return ids.map { id in
        let own = values.filter { $0.heading.component == id }
        return RunMemory.Component(
          id: id, plugin: own[0].heading.plugin, options: own[0].heading.options, entries: own.map(\.entry))
      }
    }
  }

  // MARK: Writing

  /// Replaces the file: whoever reads it finds the former one or the whole new one, also after a crash. Returns the names of the values that
  /// cannot be written and are left out.
  @discardableResult
  package static func write(_ memory: RunMemory, to path: String) throws(Failure) -> [String] {
    var (left, text, marks, count): ([String], [UInt8], [UInt8], Int) = ([], [], [], 0)
    text = [UInt8]((head + (memory.time ?? Timestamp(ns: 0)).description + (memory.isOfEndedRun ? "" : going)).utf8)
    marks = text
    text.append(10)
    for component in memory.components {
      for entry in component.entries {
        guard let value = json(entry.value) else {
          left.append("\(component.id) \(entry.name)")
          continue
        }
        let heading = Heading(
          component: component.id, plugin: component.plugin, options: component.options, name: entry.name, version: entry.version,
          isKept: entry.isKept)
        let words = [UInt8](JSONDocument.text(heading).utf8)
        let mark = Digest.mark(words + [10] + value)
        marks += mark.utf8
        text += mark.utf8
        text.append(32)
        text += words
        text.append(10)
        text += value
        text.append(10)
        count += 1
      }
    }
    let end = "end \(count)"
    text += "\(Digest.mark(marks + end.utf8)) \(end)\n".utf8
    do throws(FileError) { try WholeFile.replace(path, with: text, keepingFormerAt: previous(path)) } catch {
      throw Failure(description: error.description)
    }
    return left
  }

  /// A value in JSON; nil if it cannot be encoded.
  package static func json(_ value: Memory.Entry.Form) -> [UInt8]? {
    switch value {
    case .stored(let stored): (stored as? StoredText).map { [UInt8]($0.json) }
    case .live(let value): try? JSONDocument.encode(value)
    }
  }

  /// Leaves no memory; the former one stays beside it.
  static func remove(_ path: String) throws(Failure) {
    if rename(path, previous(path)) == 0 || errno == ENOENT { return }
    throw Failure(description: "\(path) cannot be renamed: \(Errno(rawValue: errno))")
  }
}

/// A value in JSON, as it stands in the file.
private struct StoredText: StoredValue {
  let version: Int
  let json: ArraySlice<UInt8>

  func decode<V: Decodable>(_: V.Type) throws -> V { try JSONDocument.decode(V.self, [UInt8](json)) }
}
