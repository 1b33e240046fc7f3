public import StockbusPlugin

/// One YAML file as located nodes, with everything that is wrong in it.
public struct YAMLDocument: Sendable {
  /// The document; nil where a syntax error or a limit ended the reading.
  public let root: ConfigNode?
  public let problems: Problems
  /// Places whose node only stands in for one that could not be read; its problem is in `problems`, so say no more about it.
  public let standIns: Set<ConfigNode.Mark>
  /// Places of mappings in which a key was given twice, so that what the second one said is missing.
  let doubled: Set<ConfigNode.Mark>
  /// For finding a character of a scalar; nil where the file is not UTF-8.
  let source: SourceText?
}

/// Reads YAML: text in, located nodes out.
///
/// Everything is text, a list or a mapping; what a text means is said by whoever takes it. Anchors, aliases and merge keys
/// (`<<: *base`, `<<: [*first, *second]`) are resolved: own keys win over merged ones, an earlier merged mapping over a later one, and
/// merged keys follow the own ones. An aliased node keeps the place where it was written. Lines and columns count from 1, columns in
/// Unicode scalars. An empty file is an empty mapping.
///
/// Not accepted: more than one document, a key given twice or that is no text, tags outside of the core schema, anchors that
/// contain themselves, and whatever is beyond `ConfigLimits`.
public enum YAMLParser {
  /// The document that `bytes` write, and every problem that can be told; never throws, never traps.
  public static func parse(_ bytes: [UInt8], file: String = "plugins.yaml", limits: ConfigLimits = ConfigLimits()) -> YAMLDocument {
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

  /// The document that `text` writes; throws every problem at once.
  public static func node(
    _ text: String, file: String = "plugins.yaml", limits: ConfigLimits = ConfigLimits()
  ) throws(Problems) -> ConfigNode {
    let document = parse(Array(text.utf8), file: file, limits: limits)
    guard let root = document.root, document.problems.isEmpty else { throw document.problems }
    return root
  }

  static func tooLarge(_ limits: ConfigLimits) -> String { "the file is larger than \(ConfigLimits.bytes(limits.fileBytes)), the limit" }

  /// libyaml compares each `%TAG` with all before it, so a file of them would take hours; and no tag of theirs is accepted anyway.
  private static func checkDirectives(_ source: SourceText) throws(Problem) {
    for (line, start) in source.lineStarts.enumerated() where source.scalars[start...].prefix(4).elementsEqual("%TAG".unicodeScalars) {
      throw Problem("'%TAG' directives are not accepted; " + YAMLTag.known, at: source.mark(line: line + 1, column: 1))
    }
  }
}
