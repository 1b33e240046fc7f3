internal import LibC
internal import StockbusPlugin

/// `past:` of a source.
extension TopologyChecker {
  /// Reports a `past` where there cannot be one.
  mutating func checkPast(of component: ComponentDescription, _ plugin: Plugin?) {
    guard let node = component.past, let plugin, plugin.kind.rawValue == component.section.rawValue, !plugin.takesPast else { return }
    let takers = catalogue.plugins.filter(\.takesPast).map(\.name)
    let who = takers.isEmpty ? "no plugin has one" : "these have one: \(takers.joined(separator: ", "))"
    config.report(
      "\(component.title): 'past' is what is played before a live source begins, and \(shown(plugin.name)) is none; \(who)", at: node.mark)
  }

  /// The recordings of a source's `past`. A pattern may match nothing, because the recordings of a new configuration are still to be made.
  mutating func past(of component: ComponentDescription) -> PlannedPast? {
    guard let node = component.past, let settings = own(PastSettings.self, node, "past", of: component) else { return nil }
    let files = PlacedFile.of(settings.from.enumerated().map { .reading($1, at: "from", item: $0) }, node, node.mark)
    let paths = files.flatMap { looksAtFiles ? existing($0, of: component) : [$0.use.path] }
    return PlannedPast(paths: paths, last: settings.last, mark: node.mark)
  }

  /// The files that a path or a pattern names.
  private mutating func existing(_ file: PlacedFile, of component: ComponentDescription) -> [String] {
    let path = file.use.path
    if !path.contains("*") {
      if FilePlace(path)?.kind == .missing {
        missingPasts.append((component.title, file))
        return []
      }
      if let fault = fault(file) { config.report("\(component.title): past: 'from': \(fault)", at: file.mark) }
      return [path]
    }
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(path, 0, nil, &found) == 0 else {
      doubts.append("\(file.mark.place): warning: \(component.title): past: 'from': no file matches \(file.shownPath) yet")
      return []
    }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  }

  /// Reports recordings that are not there, unless this run writes them. Called when the components' files are known.
  mutating func checkMissingPasts() {
    for (source, file) in missingPasts {
      let place = FilePlace(file.use.path)
      if let writer = files.first(where: { $0.file.use.access != .read && FilePlace($0.file.use.path)?.identity == place?.identity }) {
        doubts.append("\(file.mark.place): warning: \(source): past: 'from': \(writer.title) has not written \(file.shownPath) yet")
      } else if let fault = fault(file) {
        config.report("\(source): past: 'from': \(fault)", at: file.mark)
      }
    }
  }
}
