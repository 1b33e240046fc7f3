internal import StockbusSystem

/// The full files of a stream, with numbers before their ending: of `ticks.arrows` the first is `ticks.1.arrows`, and the newest has the
/// largest number. A file never gets another number, so that one that is being read, or turned into another form, keeps its name.
package struct NumberedFiles: Sendable {
  /// The path of the stream without its ending.
  let stem: String
  /// Those of the stream, and of the files that are made of streams; nil if streams stay.
  let ending: String
  let finishedEnding: String?

  package init(stream path: String, finishedEnding: String? = nil) {
    let name = path.utf8.lastIndex(of: 47).map { path.index(after: $0) } ?? path.startIndex
    let dot = path[name...].lastIndex(of: ".").flatMap { $0 > name ? $0 : nil } ?? path.endIndex
    (stem, ending, self.finishedEnding) = (String(path[..<dot]), String(path[dot...]), finishedEnding)
  }

  /// The file that is made of the stream; nil if that stays.
  package var finished: String? { finishedEnding.map { stem + $0 } }
  package func stream(_ number: Int) -> String { "\(stem).\(number)\(ending)" }
  package func finished(_ number: Int) -> String? { finishedEnding.map { "\(stem).\(number)\($0)" } }

  /// The numbers that are in use, by whatever files, in order.
  package func numbers() throws(FileError) -> [Int] {
    let folder = Descriptor.folder(of: stem)
    let names: [String]
    do throws(Errno) { names = try FolderListing.names(folder) } catch { throw FileError(.open, path: folder, code: error.rawValue) }
    let start = "\(stem.utf8.lastIndex(of: 47).map { String(stem[stem.index(after: $0)...]) } ?? stem)."
    return Set(names.compactMap { name in name.hasPrefix(start) ? Self.number(name.dropFirst(start.count)) : nil }).sorted()
  }

  /// The number of the next full file.
  package func next() throws(FileError) -> Int { (try numbers().last ?? 0) + 1 }

  /// The numbers of streams that are to be turned into another form, or were when a run was killed.
  package func unfinished() throws(FileError) -> [Int] {
    try numbers().filter { Descriptor.exists(stream($0)) || Descriptor.exists(StreamFinish.done(stream($0))) }
  }

  /// All names that a full file may have.
  func paths(_ number: Int) -> [String] {
    let stream = stream(number)
    return [stream, StreamFinish.done(stream)] + (finished(number).map { [$0, StreamFinish.part($0)] } ?? [])
  }

  /// The number at the beginning of what follows the stem: `12` of `12.arrows`.
  private static func number(_ rest: Substring) -> Int? {
    let digits = rest.prefix { $0 != "." }
    guard let number = Int(digits), number > 0, number < Int.max, "\(number)" == digits else { return nil }
    return number
  }
}
