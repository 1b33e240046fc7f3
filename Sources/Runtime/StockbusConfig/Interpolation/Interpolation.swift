import StockbusPlugin

/// Replaces `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$` in the values of a tree.
///
/// It works on nodes, after YAML has been parsed: a variable's value stays text, is not searched for more variables, and can never become a
/// list, a key or another value. Keys are not changed. A plain scalar stays plain, so `${NAME:-}` may mean "not set"; in quotation marks it
/// is the empty text.
struct Interpolation {
  let document: YAMLDocument
  let limits: ConfigLimits
  let environment: (String) -> String?
  /// False where `$` is a plain character, as in components that a program has defined in code.
  var isUsed = true
  private(set) var problems = Problems()
  /// Places of scalars with a problem, so that later steps report nothing more about them.
  private var standIns: Set<ConfigNode.Mark> = []
  private var newStandIns: Set<ConfigNode.Mark> = []
  private var bytes = 0

  init(_ document: YAMLDocument, limits: ConfigLimits, environment: @escaping (String) -> String?) {
    self.document = document
    self.limits = limits
    self.environment = environment
  }

  /// `node` with every variable replaced. A scalar that has a problem stays as it was written and becomes a stand-in.
  mutating func apply(to node: ConfigNode) -> ConfigNode {
    guard isUsed else { return node }
    switch node.value {
    case .scalar(let text): return text.utf8.contains(UInt8(ascii: "$")) ? expand(text, of: node) : node
    case .list(let items): return ConfigNode(.list(items.map { apply(to: $0) }), at: node.mark, isQuoted: node.isQuoted)
    case .map(let entries):
      let new = entries.map { ConfigNode.Entry(key: $0.key, mark: $0.mark, value: apply(to: $0.value)) }
      return ConfigNode(.map(new), at: node.mark, isQuoted: node.isQuoted)
    }
  }

  private mutating func expand(_ text: String, of node: ConfigNode) -> ConfigNode {
    // An aliased scalar is visited again at the same place.
    guard !standIns.contains(node.mark) else { return node }
    var template = Template(text, limits: limits, environment: environment)
    let result = template.expanded()
    let isWithinLimit = bytes <= limits.totalBytes
    bytes += result.utf8.count
    if bytes > limits.totalBytes, template.problems.isEmpty {
      // Reported once; later texts are dropped too.
      guard isWithinLimit else { return standIn(node) }
      template.problems = [.init("more than \(ConfigLimits.bytes(limits.totalBytes)) of text with variables in it, the limit", at: 0)]
    }
    guard template.problems.isEmpty else {
      let (begin, count) = literalBeginning(of: text, of: node)
      for problem in template.problems {
        let mark = node.mark
        let isExact = problem.offset < count
        report(problem.message, at: isExact ? .init(file: mark.file, line: mark.line, column: begin + problem.offset) : mark)
      }
      return standIn(node)
    }
    // Only a '$' for itself was replaced: every character is still where it was written.
    if template.variables.isEmpty, result == text { return node }
    return ConfigNode(.scalar(result), at: node.mark, isQuoted: node.isQuoted, variables: template.variables)
  }

  private mutating func standIn(_ node: ConfigNode) -> ConfigNode {
    standIns.insert(node.mark)
    newStandIns.insert(node.mark)
    // Not verbatim, so that every problem of the text is reported at its beginning.
    return ConfigNode(node.value, at: node.mark, isQuoted: node.isQuoted)
  }

  /// Returns the stand-ins found since the last call.
  mutating func takeStandIns() -> Set<ConfigNode.Mark> {
    defer { newStandIns = [] }
    return newStandIns
  }

  private mutating func report(_ message: String, at mark: ConfigNode.Mark) {
    let count = problems.list.count
    if count < limits.variableProblems { problems.add(message, at: mark) }
    if count == limits.variableProblems {
      problems.add(
        "more than \(ConfigLimits.grouped(count)) problems with variables in this file, the limit; the rest is not shown", at: mark)
    }
  }

  /// The column where a scalar's text begins, and how many of its characters are written literally from there, on one line and without
  /// escapes. Places are known only for these characters.
  private func literalBeginning(of text: String, of node: ConfigNode) -> (column: Int, count: Int) {
    guard let source = document.source else { return (node.mark.column, 0) }
    let isDelimited = node.isQuoted && ["\"", "'"].contains(source.character(at: node.mark))
    let begin = source.index(of: node.mark) + (isDelimited ? 1 : 0)
    let written = source.scalars[min(begin, source.scalars.count)...]
    let count = zip(written, text.unicodeScalars).prefix { $0 == $1 && !SourceText.isBreak($0) }.count
    return (node.mark.column + (isDelimited ? 1 : 0), count)
  }
}
