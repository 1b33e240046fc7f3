package import StockbusPlugin

/// The file under `history`, from which a run takes the prices before its start.
package struct PastFile: Sendable {
  package let path: String
  package let mark: ConfigNode.Mark
  /// The path as messages show it.
  package let shownPath: String
  /// The component of this run that writes the file, as messages name it; nil if none does. With a writer, the file may still be missing.
  package let writer: String?

  /// A problem of the file, at the place that names it.
  package func problem(_ predicate: String) -> Problem { Problem("'history': \(shownPath) \(predicate)", at: mark) }
}

extension TopologyChecker {
  /// Reads `history`, and reports problems of the file. Called when the components' files are known.
  mutating func readHistory() -> PastFile? {
    guard let node = config.description.history, !config.standIns.contains(node.mark) else { return nil }
    guard case .scalar(let path) = node.value, !path.isEmpty else {
      config.report("'history' must name a file, got \(node.kind)", at: node.mark)
      return nil
    }
    guard looksAtFiles else { return PastFile(path: path, mark: node.mark, shownPath: node.shownText, writer: nil) }
    guard let place = FilePlace(path) else {
      config.report("'history': \(node.shownText) cannot be a path", at: node.mark)
      return nil
    }
    let writer = files.first { $0.file.use.mayBeRead && FilePlace($0.file.use.path)?.identity == place.identity }
    let past = PastFile(path: path, mark: node.mark, shownPath: node.shownText, writer: writer?.title)
    // Problems of a file that this run writes are reported for its writer.
    if writer != nil { return past }
    outerFiles.append(RunFiles.Reader(path: path, words: "the run knows from it what was before, at \(node.mark.place)"))
    let fault: String? =
      switch place.kind {
      case .plain: historyFault(path)
      case .folder: "is a folder"
      case .stream: "is not a regular file"
      case .missing: node.variables.isEmpty ? "does not exist\(hint(path))" : "does not exist"
      }
    if let fault {
      var problems = Problems()
      problems.add(past.problem(fault).message, at: node.mark)
      for problem in problems.redacted(node).list { config.report(problem.message, at: problem.mark) }
    }
    return past
  }
}
