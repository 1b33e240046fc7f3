package import StockbusPlugin

/// One YAML file as located nodes, with all problems found in it.
package struct YAMLDocument: Sendable {
  /// The root node; nil if a syntax error or a limit ended the reading.
  package let root: ConfigNode?
  package let problems: Problems
  /// Places of nodes that stand in for one that could not be read. The problem is in `problems`, so nothing more should be reported there.
  package let standIns: Set<ConfigNode.Mark>
  /// Places of mappings in which a key occurs twice, so that the second value is missing.
  let doubled: Set<ConfigNode.Mark>
  /// For finding a character of a scalar; nil if the file is not UTF-8.
  let source: SourceText?
}

/// Reads YAML: text in, located nodes out.
///
/// Everything is text, a list or a mapping; the meaning of a text depends on the code that reads it. Anchors, aliases and merge keys (`<<:
/// *base`, `<<: [*first, *second]`) are resolved: own keys take precedence over merged ones, an earlier merged mapping over a later one,
/// and merged keys follow the own ones. An aliased node keeps the place where it was written. Lines and columns count from 1, columns in
/// Unicode scalars. An empty file is an empty mapping.
///
/// Not accepted: more than one document, keys that occur twice or are not text, tags outside the core schema, anchors that contain
/// themselves, and anything beyond `ConfigLimits`.
package enum YAMLParser {
  /// Parses `bytes` into a document with all problems; never throws, never traps.
  package static func parse(_ bytes: [UInt8], file: String = "plugins.yaml", limits: ConfigLimits = ConfigLimits()) -> YAMLDocument {
    var problems = Problems()
    guard bytes.count <= limits.fileBytes else {
      problems.add(tooLarge(limits), at: ConfigNode.Mark(file: file, line: 1, column: 1))
      return YAMLDocument(root: nil, problems: problems, standIns: [], doubled: [], source: nil)
    }
    do throws(Problem) {
      let source = try SourceText(bytes, file: file)
      do throws(Problem) {
        try checkDirectives(source)
        var composer = YAMLComposer(try LibYAMLEvents(source), source: source, limits: limits)
        let root = composer.document()
        return YAMLDocument(
          root: root, problems: composer.problems, standIns: composer.standIns, doubled: composer.doubled, source: source)
      } catch {
        problems.add(error.message, at: error.mark)
        return YAMLDocument(root: nil, problems: problems, standIns: [], doubled: [], source: source)
      }
    } catch {
      problems.add(error.message, at: error.mark)
      return YAMLDocument(root: nil, problems: problems, standIns: [], doubled: [], source: nil)
    }
  }

  /// Parses `text` into its root node; throws all problems at once.
  package static func node(
    _ text: String, file: String = "plugins.yaml", limits: ConfigLimits = ConfigLimits()
  ) throws(Problems) -> ConfigNode {
    let document = parse(Array(text.utf8), file: file, limits: limits)
    guard let root = document.root, document.problems.isEmpty else { throw document.problems }
    return root
  }

  static func tooLarge(_ limits: ConfigLimits) -> String { "the file is larger than \(ConfigLimits.bytes(limits.fileBytes)), the limit" }

  /// libyaml compares each `%TAG` with all before it, so a file full of them would take hours; none of their tags would be accepted anyway.
  private static func checkDirectives(_ source: SourceText) throws(Problem) {
    for (line, start) in source.lineStarts.enumerated() where source.scalars[start...].prefix(4).elementsEqual("%TAG".unicodeScalars) {
      throw Problem("'%TAG' directives are not accepted; " + YAMLTag.known, at: source.mark(line: line + 1, column: 1))
    }
  }
}
