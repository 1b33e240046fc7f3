internal import StockbusPlugin

/// One use of a file, with its description for messages.
struct UsedFile {
  /// `sink 'kept'`; nil if no component names the file.
  let title: String?
  let use: FileUse
  let mark: ConfigNode.Mark
  /// The message for another component that uses the same file: `source 'prices' reads it, at plugins.yaml:3:20`.
  let words: String
  let place: FilePlace
  /// Shown in messages instead of the path; nil if they show the path.
  private let hidden: String?

  /// Nil for files that may be shared: standard streams, pipes, devices, programs, and paths that cannot be resolved.
  init?(title: String?, _ use: FileUse, at mark: ConfigNode.Mark, hidden: String? = nil, words: String) {
    guard !use.isStandardStream, !use.isRun, let place = FilePlace(use.path), [.plain, .missing].contains(place.kind) else { return nil }
    self.title = title
    self.use = use
    self.mark = mark
    self.words = words
    self.place = place
    self.hidden = hidden
  }

  /// The path as messages show it.
  var shownPath: String { hidden ?? MarketData.shown(use.path) }

  /// The name of its rotated file with number `turn`, as messages show it.
  func shown(_ turn: Int) -> String { hidden.map { "\($0) followed by '.\(turn)'" } ?? MarketData.shown("\(use.path).\(turn)") }

  var isRead: Bool { use.access == .read }
  var keeps: Int { if case .write(let keeping) = use.access { keeping } else { 0 } }
}

/// Two uses of files that exclude each other.
struct FileClash {
  /// The use that is reported: an output, and the later of two outputs.
  let to: Int
  let other: Int
  /// The number of the rotated file that would overwrite the other file; nil if both uses name the same file.
  var aside: Int?

  /// Every use that conflicts with another, by itself or by its rotated files; each reported once, in order.
  static func among(_ files: [UsedFile]) -> [FileClash] {
    var clashes: [Int: FileClash] = [:]
    func add(_ clash: FileClash) { if clashes[clash.to] == nil { clashes[clash.to] = clash } }
    var byIdentity: [FileIdentity: [Int]] = [:]
    for (number, file) in files.enumerated() { byIdentity[file.place.identity, default: []].append(number) }
    for same in byIdentity.values where same.count > 1 {
      // Several components may read one file, and several may keep their state in one.
      let reader = same.first { files[$0].isRead }
      var first: Int?
      var firstOutput: Int?
      for writer in same where !files[writer].isRead {
        let isKept = files[writer].use.access == .keep
        if let other = reader ?? (isKept ? firstOutput : first) { add(FileClash(to: writer, other: other)) }
        first = first ?? writer
        if !isKept { firstOutput = firstOutput ?? writer }
      }
    }
    // Rotated files: found by name, as most of them do not exist yet, and also by identity if they do.
    var byName: [FileIdentity: [Int]] = [:]
    for (number, file) in files.enumerated() where file.keeps > 0 {
      byName[file.place.folder.child(file.place.name), default: []].append(number)
    }
    for (number, file) in files.enumerated() {
      guard let (base, turn) = file.place.aside, let owners = byName[base] else { continue }
      for owner in owners where owner != number && turn <= files[owner].keeps {
        add(FileClash(to: owner, other: number, aside: turn))
      }
    }
    for (number, file) in files.enumerated() where file.keeps > 0 {
      for turn in 1...file.keeps {
        guard let aside = FilePlace("\(file.place.path).\(turn)"), aside.kind == .plain else { break }
        if let other = byIdentity[aside.identity]?.first(where: { $0 != number }) {
          add(FileClash(to: number, other: other, aside: turn))
        }
      }
    }
    return clashes.values.sorted { $0.to < $1.to }
  }
}

extension FilePlace {
  /// If the name is that of a rotated file: the file it was rotated from, and its number.
  fileprivate var aside: (base: FileIdentity, turn: Int)? {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    let digits = name[name.index(after: dot)...]
    guard let turn = Int(digits), turn > 0, "\(turn)" == digits else { return nil }
    return (folder.child(String(name[..<dot])), turn)
  }
}
