internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusSystem

extension TopologyChecker {
  /// Reads `calendars` and `instruments`, with the files that they name, and reports all their problems.
  mutating func readInstruments() -> Instruments {
    let (calendars, instruments) = (config.description.calendars, config.description.instruments)
    if calendars.isEmpty, instruments.isEmpty { return Instruments() }
    var builder = InstrumentsBuilder()
    var seen = SeenFiles()
    for node in calendars { addCalendars(node, to: &builder, &seen) }
    for node in instruments { addInstruments(node, to: &builder, &seen) }
    for problem in builder.problems.list { config.report(problem.message, at: problem.mark) }
    doubts += builder.warnings
    return builder.finish()
  }

  private mutating func addCalendars(_ node: ConfigNode, to builder: inout InstrumentsBuilder, _ seen: inout SeenFiles) {
    switch node.value {
    case .map: builder.add(calendars: node)
    case .list(let items): for item in items { addCalendars(item, to: &builder, &seen) }
    case .scalar:
      guard let file = file(node, "calendars", endings: [".yaml", ".yml"], &builder, &seen), let root = root(of: file) else { return }
      builder.add(calendars: root)
    }
  }

  private mutating func addInstruments(_ node: ConfigNode, to builder: inout InstrumentsBuilder, _ seen: inout SeenFiles) {
    switch node.value {
    case .list(let items):
      for item in items {
        if case .scalar = item.value { addInstruments(file: item, to: &builder, &seen) } else { builder.add(instrument: item) }
      }
    case .scalar: addInstruments(file: node, to: &builder, &seen)
    case .map: builder.report("'instruments' must be a path, or a list of paths and of instruments, got a mapping", at: node.mark)
    }
  }

  private mutating func addInstruments(file node: ConfigNode, to builder: inout InstrumentsBuilder, _ seen: inout SeenFiles) {
    if case .scalar(DemoMarket.word) = node.value { return builder.add(csv: Array(DemoMarket.csv.utf8), file: DemoMarket.word) }
    guard let file = file(node, "instruments", endings: [".csv", ".yaml", ".yml"], &builder, &seen) else { return }
    if file.isCSV { return builder.add(csv: file.bytes, file: file.name) }
    if let root = root(of: file) { builder.add(root) }
  }

  /// Where each file that was read is named, by the file's identity.
  private typealias SeenFiles = [FileIdentity: ConfigNode.Mark]

  /// A file that was read.
  private struct DataFile {
    let bytes: [UInt8]
    /// The name in messages; the name of a variable if the path is from one.
    let name: String
    let isCSV: Bool
  }

  /// The contents of the plain file that a node names; nil after reporting why there are none, and if files are not checked.
  private mutating func file(
    _ node: ConfigNode, _ key: String, endings: [String], _ builder: inout InstrumentsBuilder, _ seen: inout SeenFiles
  ) -> DataFile? {
    guard case .scalar(let path) = node.value, !node.isNull, !path.isEmpty else {
      builder.report("'\(key)' must name a file, got \(node.kind)", at: node.mark)
      return nil
    }
    if config.standIns.contains(node.mark) { return nil }
    let lower = path.lowercased()
    guard endings.contains(where: lower.hasSuffix) else {
      let known = endings.dropLast().joined(separator: ", ") + " or " + (endings.last ?? "")
      builder.report("'\(key)': the name of a file must end in \(known), got \(node.shownText)", at: node.mark)
      return nil
    }
    guard looksAtFiles else { return nil }
    if let fault = fault(path, node) {
      builder.report("'\(key)': \(fault)", at: node.mark)
      return nil
    }
    if let identity = FilePlace(path)?.identity, let first = seen.updateValue(node.mark, forKey: identity) {
      builder.report("'\(key)': \(node.shownText) is given twice, first at \(first.place)", at: node.mark)
      return nil
    }
    outerFiles.append(RunFiles.Reader(path: path, words: "the \(key) are read from it, at \(node.mark.place)"))
    let isCSV = lower.hasSuffix(".csv")
    // One byte more than the limit, so that the reader notices that there are too many.
    let limit = isCSV ? InstrumentLimits.fileBytes : ConfigLimits().fileBytes
    do throws(Errno) {
      let bytes = try ConfigFiles.contents(path, atMost: limit + 1)
      return DataFile(bytes: bytes, name: node.variables.first.map { "${\($0.name)}" } ?? path, isCSV: isCSV)
    } catch {
      builder.report("'\(key)': \(node.shownText) cannot be read: \(error)", at: node.mark)
      return nil
    }
  }

  /// Why a path leads to no plain file.
  private mutating func fault(_ path: String, _ node: ConfigNode) -> String? {
    guard let place = FilePlace(path) else { return "\(node.shownText) cannot be a path" }
    return switch place.kind {
    case .plain: nil
    case .folder: "\(node.shownText) is a folder"
    case .stream: "\(node.shownText) is not a regular file"
    case .missing: node.variables.isEmpty ? "no such file \(node.shownText)\(hint(path))" : "there is no file at \(node.shownText)"
    }
  }

  /// The contents of a YAML file; nil after reporting its problems if nothing usable remains.
  private mutating func root(of file: DataFile) -> ConfigNode? {
    let document = YAMLParser.parse(file.bytes, file: file.name)
    config.problems.add(document.problems)
    config.standIns.formUnion(document.standIns)
    return document.root
  }
}
