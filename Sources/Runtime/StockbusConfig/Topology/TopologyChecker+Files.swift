internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// A file that a component reads or writes.
struct NamedFile {
  /// The component, as messages name it.
  let title: String
  let file: PlacedFile
  /// The component's options, as they were written.
  let options: ConfigNode
  /// Returns the problem of the contents, if their beginning shows one.
  let fault: @Sendable () -> String?
  /// Returns what is probably unintended in the contents.
  let doubt: @Sendable () -> String?
}

extension TopologyChecker {
  /// How many files are opened at most, as opening more would delay the start. Errors in other files are reported when they are read.
  private static var mostLooks: Int { 16 }

  /// Checks that files to be read exist and begin as their readers expect, that no output is also read or written by another component, and
  /// that an input that can be read only once has one reader.
  mutating func checkFiles() {
    let outer = outerFiles.compactMap { file in
      UsedFile(
        title: nil, .reading(file.path, at: ""), at: ConfigNode.Mark(file: file.path, line: 1, column: 1), words: file.words)
    }
    let own = files.filter { !config.standIns.contains($0.file.mark) }.compactMap { named in
      let file = named.file
      return UsedFile(
        title: named.title, file.use, at: file.mark, hidden: file.isFromVariable ? file.shownPath : nil,
        words: "\(named.title) \(file.use.access.verb) it, at \(file.mark.place)")
    }
    let used = outer + own
    let clashes = FileClash.among(used)
    for clash in clashes {
      let (file, other) = (used[clash.to], used[clash.other])
      guard let title = file.title else { continue }
      // Two components write in separate transactions, so a change by both would not be atomic.
      let why =
        file.use.isDatabase && other.use.isDatabase && clash.aside == nil
        ? "; only one component can write prices and trading to a database: give each component its own file" : ""
      let what = clash.aside.map { "a full file cannot be rotated to \(file.shown($0))" } ?? "\(file.shownPath) cannot be written"
      config.report("\(title): '\(file.use.option)': \(what): \(other.words)\(why)", at: file.mark)
    }
    var looks = 0
    for named in files where !named.file.use.isStandardStream && !config.standIns.contains(named.file.mark) {
      let file = named.file
      if file.use.access == .run(needed: false) {
        if let fault = fault(file) { note(named, fault) }
      } else if let fault = fault(file) {
        config.report("\(named.title): '\(file.use.option)': \(fault)", at: file.mark)
      } else if file.use.access == .read || isOutput(file), looks < Self.mostLooks, FilePlace(file.use.path)?.kind == .plain {
        looks += 1
        guard let fault = named.fault() else {
          if file.use.access == .read { note(doubtAbout: named) }
          continue
        }
        var problems = Problems()
        problems.add("'\(file.use.option)': \(sentence(of: file, fault))", at: file.mark)
        // The fault may repeat other options.
        add(problems.redacted(named.options), named.title)
      }
    }
    checkReadOnce()
  }

  /// `'x.csv', line 1: …`, `'x.db' is no history …`.
  private func sentence(of file: PlacedFile, _ end: String) -> String {
    let isPredicate = ["is ", "was ", "cannot ", "does ", "has "].contains(where: end.hasPrefix)
    return file.shownPath + (isPredicate ? " " : ", ") + end
  }

  private mutating func note(doubtAbout named: NamedFile) {
    if let doubt = named.doubt() { note(named, sentence(of: named.file, doubt)) }
  }

  private mutating func note(_ named: NamedFile, _ sentence: String) {
    var problems = Problems()
    problems.add("'\(named.file.use.option)': \(sentence)", at: named.file.mark)
    doubts += problems.redacted(named.options).list.map { "\($0.mark.place): warning: \(named.title): \($0.message)" }
  }

  /// Checks that standard input and each pipe has only one reader.
  private mutating func checkReadOnce() {
    var readers: [ReadOnce: String] = [:]
    for file in outerFiles {
      guard let stream = ReadOnce(file.path) else { continue }
      if let other = readers[stream] {
        let name = stream == .standardInput ? "standard input" : shown(file.path)
        config.report("\(name) cannot be read twice: \(other), and \(file.words)", at: ConfigNode.Mark(file: file.path, line: 1, column: 1))
      } else {
        readers[stream] = file.words
      }
    }
    for named in files where named.file.use.access == .read && !config.standIns.contains(named.file.mark) {
      let (title, file) = (named.title, named.file)
      guard file.use.path != "-" || file.use.isStandardStream, let stream = ReadOnce(file.use.path) else { continue }
      if let other = readers[stream] {
        let name = stream == .standardInput ? "standard input" : file.shownPath
        config.report("\(title): '\(file.use.option)': \(name) cannot be read twice: \(other)", at: file.mark)
      } else {
        readers[stream] = "\(title) reads it, at \(file.mark.place)"
      }
    }
  }

  /// The reason why a file cannot be read or written at all, if known before the start.
  mutating func fault(_ file: PlacedFile) -> String? {
    let isRead = file.use.access == .read
    let path = file.use.path
    if let home = homeless(file) { return home }
    if file.use.isRun { return fault(ofProgram: file) }
    guard let place = FilePlace(path) else { return isRead ? unreachable(file) : unmakeable(file) }
    switch place.kind {
    case .folder: return "\(file.shownPath) is a folder"
    case .missing:
      guard isRead else { return unmakeable(file) }
      return file.isFromVariable ? "there is no file at \(file.shownPath)" : "no such file \(file.shownPath)\(hint(path))"
    case .plain:
      if isRead { return access(path, R_OK) != 0 ? unreachable(file) : nil }
      return isOutput(file) && access(path, W_OK) != 0 ? unwritable(file) : nil
    case .stream: return nil
    }
  }

  /// The reason why a program cannot be started. It is found as it is when it is started.
  private mutating func fault(ofProgram file: PlacedFile) -> String? {
    let path = file.use.path
    if ProgramSearch.find(path, in: ConfigLoader.processEnvironment("PATH").map { ["PATH": $0] } ?? [:]) != nil { return nil }
    let place = FilePlace(path)?.kind ?? .missing
    guard path.contains("/") else {
      let beside = place == .plain && !file.isFromVariable ? "; for the file in the current folder, write \(shown("./" + path))" : ""
      return "there is no program \(file.shownPath)\(beside)"
    }
    switch place {
    case .folder: return "\(file.shownPath) is a folder"
    case .missing: return "there is no program \(file.shownPath)\(file.isFromVariable ? "" : hint(path))"
    case .plain, .stream:
      return "\(file.shownPath) is not executable; 'chmod +x' makes it so, or write the program that reads it first, such as python3"
    }
  }

  /// The problem of a path such as `~/prices.csv`, unless a file is named `~`.
  private func homeless(_ file: PlacedFile) -> String? {
    let path = file.use.path
    guard path.hasPrefix("~"), FilePlace(String(path.prefix { $0 != "/" }))?.kind ?? .missing == .missing else { return nil }
    return "\(file.shownPath): '~' means the home folder only in a shell; write ${HOME} instead"
  }

  /// A state file is not an output in this sense: a run continues if it cannot be written.
  private func isOutput(_ file: PlacedFile) -> Bool { if case .write = file.use.access { true } else { false } }

  private func unwritable(_ file: PlacedFile) -> String { "\(file.shownPath) cannot be written: \(String(cString: strerror(errno)))" }

  /// Why a missing file and the missing folders above it cannot be created: the lowest thing that exists must be a folder that can be
  /// written to.
  private func unmakeable(_ file: PlacedFile) -> String? {
    let path = file.use.path
    guard isOutput(file), !path.isEmpty, !path.utf8.contains(0) else { return nil }
    var folder = path
    var status = stat()
    repeat {
      guard let slash = folder.dropLast().lastIndex(of: "/") else {
        folder = "."
        break
      }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    } while stat(folder, &status) != 0 && errno == ENOENT && folder != "/"
    guard stat(folder, &status) == 0 else {
      // A file in the place of a folder; other errors are reported when the file is opened.
      return errno == ENOTDIR ? "\(file.shownPath) cannot be written: one of its folders is a file" : nil
    }
    let name = file.isFromVariable ? "its parent" : shown(folder)
    if status.st_mode & S_IFMT != S_IFDIR { return "\(file.shownPath) cannot be written: \(name) is not a folder" }
    if access(folder, W_OK | X_OK) == 0 { return nil }
    return "\(file.shownPath) cannot be written: \(name): \(String(cString: strerror(errno)))"
  }

  private func unreachable(_ file: PlacedFile) -> String {
    let path = file.use.path
    if path.isEmpty { return "the path is empty" }
    if path.utf8.contains(0) { return "\(file.shownPath) cannot be a path" }
    let reason = access(path, R_OK) == 0 ? "" : ": \(String(cString: strerror(errno)))"
    return "\(file.shownPath) cannot be read\(reason)"
  }

  /// The names in a folder, for suggestions; looked up once.
  private mutating func names(in folder: String) -> [String] {
    if let known = folders[folder] { return known }
    let names = Array(ConfigFiles.names(inFolder: folder).lazy.filter { $0 != "." && $0 != ".." }.prefix(1000))
    folders[folder] = names
    return names
  }

  /// A hint at a file of the same folder that was probably meant, or at the folder at which relative paths begin.
  mutating func hint(_ path: String) -> String {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    if let near = affordableSuggestion(for: name, among: names(in: folder.isEmpty ? "." : folder)) {
      return "; did you mean \(shown(folder + near))?"
    }
    if path.hasPrefix("/") { return "" }
    guard let current = getcwd(nil, 0) else { return "" }
    defer { free(current) }
    return "; relative paths begin at the current folder, \(String(cString: current))"
  }
}

extension FileUse.Access {
  /// The verb for a sentence about the file.
  fileprivate var verb: String {
    switch self {
    case .read: "reads"
    case .write: "writes"
    case .keep: "keeps its state in"
    case .run: "runs"
    }
  }
}
