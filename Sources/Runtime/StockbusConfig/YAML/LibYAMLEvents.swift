import CLibYAML
import StockbusPlugin

/// libyaml's event parser for one text. It owns the C parser and its input, and frees both.
struct LibYAMLEvents: ~Copyable {
  private let source: SourceText
  // libyaml keeps the addresses of both between calls, so they are allocated on the heap; only this file uses them.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>

  init(_ source: SourceText) throws(Problem) {
    self.source = source
    parser = .allocate(capacity: 1)
    input = .allocate(capacity: source.bytes.count)
    _ = input.initialize(from: source.bytes)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      input.deallocate()
      throw Problem("not enough memory to read the file", at: source.mark(line: 1, column: 1))
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, input.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// The next event; `.streamEnd` is the last one. Must not be called again after `.streamEnd` or a throw.
  mutating func next() throws(Problem) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxProblem() }
    defer { yaml_event_delete(&event) }
    let start = mark(event.start_mark)
    switch event.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_DOCUMENT_START_EVENT: return .documentStart(start)
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_ALIAS_EVENT: return .alias(text(event.data.alias.anchor) ?? "", at: start)
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return .scalar(
        String(decoding: bytes, as: UTF8.self), head(scalar.anchor, scalar.tag, start), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
        end: mark(event.end_mark))
    case YAML_SEQUENCE_START_EVENT: return .listStart(head(event.data.sequence_start.anchor, event.data.sequence_start.tag, start))
    case YAML_SEQUENCE_END_EVENT: return .listEnd
    case YAML_MAPPING_START_EVENT: return .mapStart(head(event.data.mapping_start.anchor, event.data.mapping_start.tag, start))
    case YAML_MAPPING_END_EVENT: return .mapEnd
    default: return .streamEnd
    }
  }

  private func head(_ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?, _ mark: ConfigNode.Mark) -> YAMLEvent.Head
  {
    YAMLEvent.Head(anchor: text(anchor), tag: text(tag), mark: mark)
  }

  private func text(_ characters: UnsafeMutablePointer<UInt8>?) -> String? { characters.map { String(cString: $0) } }

  /// libyaml counts from 0.
  private func mark(_ mark: yaml_mark_t) -> ConfigNode.Mark { source.mark(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }

  private func syntaxProblem() -> Problem {
    guard parser.pointee.error != YAML_MEMORY_ERROR else { return Problem("not enough memory to read the file", at: source.end) }
    let error = YAMLSyntaxError(
      problem: parser.pointee.problem.map { String(cString: $0) } ?? "", mark: mark(parser.pointee.problem_mark),
      context: parser.pointee.context.map { String(cString: $0) } ?? "", contextMark: mark(parser.pointee.context_mark))
    return error.problem(in: source)
  }
}
