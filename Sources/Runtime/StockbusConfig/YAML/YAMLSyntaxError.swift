import StockbusPlugin

/// A syntax error of libyaml, and our wording of it.
struct YAMLSyntaxError {
  let problem: String
  let mark: ConfigNode.Mark
  let context: String
  let contextMark: ConfigNode.Mark

  /// The problem in words that state what to change, at the place to change.
  func problem(in source: SourceText) -> Problem {
    let character = source.character(at: mark)
    if character == "{", problem.hasPrefix("did not find expected ','"), isBehindDollar(in: source) {
      return Problem("put '${…}' in quotation marks inside '[…]' and '{…}'", at: source.mark(line: mark.line, column: mark.column - 1))
    }
    // `{ where: symbol in [A, B] }`: the bracket ends the text before it.
    if problem == "did not find expected ',' or '}'" || problem == "did not find expected ',' or ']'", character == "[" || character == "{"
    {
      let around = problem.hasSuffix("'}'") ? "'{…}'" : "'[…]'"
      return Problem("inside \(around) write text with '\(character == "[" ? "[" : "{")' in quotation marks" + opening, at: mark)
    }
    // `where: "AAPL" == symbol`: text follows the closing quotation mark.
    if ["did not find expected ',' or '}'", "did not find expected ',' or ']'", "did not find expected key"].contains(problem),
      let quote = quotationMark(before: mark, in: source)
    {
      let other = quote == "\"" ? "single" : "double"
      return Problem("the text ends at its quotation mark; put all of it in quotation marks, here \(other) ones" + opening, at: mark)
    }
    // `plugin:filter` and below it `where: …`: the first line is not a key, so the second cannot be one.
    if problem == "mapping values are not allowed in this context", let slip = keyWithoutBlank(above: mark, in: source) { return slip }
    switch problem {
    case "found unexpected end of stream":
      // The end of the file is not helpful as a place; the opening quotation mark is.
      return Problem("the quotation mark that opens here is never closed", at: contextMark)
    case "could not find expected ':'" where context == "while scanning a simple key":
      return Problem("expected ':' after the key that begins here", at: contextMark)
    case "did not find expected ',' or ']'" where character == nil:
      return Problem("the list that opens here is never closed", at: contextMark)
    case "did not find expected ',' or '}'" where character == nil:
      return Problem("the mapping that opens here is never closed", at: contextMark)
    case "did not find expected node content" where character == nil:
      return Problem("expected a value, but the file ends", at: mark)
    case "did not find expected key" where character == ":", "did not find expected node content" where character == ":":
      return Problem("a key is missing before ':'", at: mark)
    case _ where context == "while scanning a directive" || context == "while scanning a %YAML directive":
      return Problem("unknown directive; only '%YAML 1.2' is supported", at: contextMark)
    case "found character that cannot start any token":
      if character == "\t" { return tab }
      return Problem("\(shown(character.map { String($0) } ?? "")) cannot begin a value; put the text in quotation marks", at: mark)
    case "found a tab character that violates indentation", "found a tab character where an indentation space is expected":
      return tab
    case "found unknown escape character", "did not find expected hexdecimal number", "found invalid Unicode character escape code":
      return Problem(escape(in: source), at: mark)
    default:
      return Problem((Self.texts[problem] ?? other) + opening, at: mark)
    }
  }

  /// The quotation mark before `mark` on its line, with only blanks between; nil if there is none, or if there is punctuation at `mark`.
  private func quotationMark(before mark: ConfigNode.Mark, in source: SourceText) -> Unicode.Scalar? {
    guard let character = source.character(at: mark), !SourceText.isBreak(character), !"]},:#\"'[{-".unicodeScalars.contains(character)
    else {
      return nil
    }
    var index = source.index(of: mark) - 1
    while index >= 0, source.scalars[index] == " " || source.scalars[index] == "\t" { index -= 1 }
    guard index >= 0, source.scalars[index] == "\"" || source.scalars[index] == "'" else { return nil }
    return source.scalars[index]
  }

  /// A problem if the line above is one word with a colon inside.
  private func keyWithoutBlank(above mark: ConfigNode.Mark, in source: SourceText) -> Problem? {
    guard mark.line > 1 else { return nil }
    var index = source.index(of: source.mark(line: mark.line - 1, column: 1))
    var column = 1
    while index < source.scalars.count, source.scalars[index] == " " || source.scalars[index] == "-" {
      index += 1
      column += 1
    }
    let line = source.scalars[index...].prefix { !SourceText.isBreak($0) }.prefix(500)
    var text = ""
    text.unicodeScalars.append(contentsOf: line)
    let key = text.prefix { $0 != ":" }
    let isName = !key.isEmpty && key.utf8.allSatisfy { ($0 | 0x20) &- 97 < 26 || $0 &- 48 < 10 || $0 == 95 || $0 == 45 }
    guard isName, !text.contains(": "), let slip = missingBlank(text, among: [String(key)]) else { return nil }
    return Problem(slip, at: source.mark(line: mark.line - 1, column: column))
  }

  private func isBehindDollar(in source: SourceText) -> Bool {
    let index = source.index(of: mark)
    return index > 0 && source.scalars[index - 1] == "$"
  }

  private var tab: Problem { Problem("a tab cannot indent; use spaces", at: mark) }

  /// Messages that need no context.
  private static let texts = [
    "mapping values are not allowed in this context":
      "unexpected ':'; put text with ': ' in quotation marks, or check the indentation",
    "block sequence entries are not allowed in this context": "a list item '- ' cannot begin here; check the indentation",
    "mapping keys are not allowed in this context": "a key cannot begin here; check the indentation",
    "did not find expected key": "expected a key; check the indentation and the quotation marks",
    "did not find expected '-' indicator": "expected a list item '- '; check the indentation",
    "did not find expected ',' or ']'": "expected ',' or ']'",
    "did not find expected ',' or '}'": "expected ',' or '}'",
    "did not find expected node content": "expected a value",
    "did not find expected <document start>": "expected '---' or the end of the file; check the indentation",
    "found unexpected ':'": "unexpected ':'; put the text in quotation marks",
    "found unexpected document indicator": "the document ends here, inside text in quotation marks",
    "found an indentation indicator equal to 0": "the indentation of block text is 1 to 9",
    "found undefined tag handle": "unknown tag; " + YAMLTag.known,
    "found duplicate %YAML directive": "a second '%YAML' directive",
    "found incompatible YAML document": "only YAML 1.1 and 1.2 are supported",
  ]

  /// The message by context, for errors for which libyaml has many texts.
  private var other: String {
    switch context {
    case "while scanning an alias": "'*' begins an alias and a name must follow; put other text in quotation marks"
    case "while scanning an anchor": "'&' begins an anchor and a name must follow; put other text in quotation marks"
    case "while scanning a tag", "while parsing a tag": "'!' begins a tag; put text that begins with it in quotation marks"
    case "while scanning a block scalar": "only a comment may follow '|' or '>' on its line"
    default: "malformed YAML" + (problem.isEmpty ? "" : ": \(problem)")
    }
  }

  /// Where the unfinished list, mapping or text began, if that is elsewhere.
  private var opening: String {
    let thing: String
    switch context {
    case "while parsing a flow sequence", "while parsing a block collection": thing = "list"
    case "while parsing a flow mapping", "while parsing a block mapping": thing = "mapping"
    case "while scanning a quoted scalar": thing = "text"
    default: return ""
    }
    return contextMark == mark ? "" : " (the \(thing) begins at \(contextMark.line):\(contextMark.column))"
  }

  private func escape(in source: SourceText) -> String {
    let start = source.index(of: mark)
    let after = start + 1 < source.scalars.count ? source.scalars[start + 1] : " "
    switch problem {
    case "found unknown escape character":
      return "unknown escape \(shown("\\\(after)")) in text in double quotation marks; write '\\\\' for a backslash, or use single ones"
    case "found invalid Unicode character escape code": return "the escape stands for no Unicode character"
    default: return "expected the hexadecimal digits of an escape: '\\xNN', '\\uNNNN' or '\\UNNNNNNNN'"
    }
  }
}
