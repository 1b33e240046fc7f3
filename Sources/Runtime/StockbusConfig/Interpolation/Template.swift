import StockbusPlugin

/// One text that may contain variables.
///
///     text      = ( "$$" | reference | any character )*
///     reference = "${" name [ ( ":-" | ":?" ) text without "}" ] "}"
///     name      = ( letter | "_" ) ( letter | digit | "_" )*
///
/// A `$` before any other character represents itself. The text after `:-` is used if the variable is unset or empty; the text after `:?`
/// is then the error message. A default is expanded only if it is used.
struct Template {
  /// A problem, and where: the index of the reference's `$` in the text's Unicode scalars.
  struct Problem {
    let message: String
    let offset: Int

    init(_ message: String, at offset: Int) {
      self.message = message
      self.offset = offset
    }
  }

  private let text: [Unicode.Scalar]
  private let limits: ConfigLimits
  private let environment: (String) -> String?
  private var position = 0
  /// Bytes written so far, including those of messages that were discarded.
  private var bytes = 0
  var problems: [Problem] = []
  /// The variables whose values are part of the text, in order, without duplicates.
  private(set) var variables: [VariableValue] = []
  /// True inside the message of `:?`, in which variables are shown by name only.
  private var isMessage = false

  init(_ text: String, limits: ConfigLimits, environment: @escaping (String) -> String?) {
    self.text = Array(text.unicodeScalars)
    self.limits = limits
    self.environment = environment
  }

  /// The text with its variables replaced; meaningless if there are problems.
  mutating func expanded() -> String { expand(depth: 0, isUsed: true) }

  private var next: Unicode.Scalar? { position < text.count ? text[position] : nil }
  private var isAtEnd: Bool { position >= text.count }

  /// Expands up to the end, or inside a reference up to its `}`. If the result is not used, it only skips the text.
  private mutating func expand(depth: Int, isUsed: Bool) -> String {
    var out = ""
    while let character = next, !(depth > 0 && character == "}") {
      guard character == "$" else {
        put(String(character), into: &out, isUsed)
        position += 1
        continue
      }
      switch position + 1 < text.count ? text[position + 1] : nil {
      case "{": put(reference(depth: depth + 1, isUsed: isUsed), into: &out, isUsed)
      case "$":
        put("$", into: &out, isUsed)
        position += 2
      default:
        put("$", into: &out, isUsed)
        position += 1
      }
    }
    return out
  }

  /// The value of a reference; advances past its `}`.
  private mutating func reference(depth: Int, isUsed: Bool) -> String {
    let start = position
    guard depth <= limits.variableDepth else {
      return stop("'${…}' more than \(limits.variableDepth) levels deep, the limit", at: start)
    }
    position += 2
    let name = readName()
    if isAtEnd { return stop("'${' is never closed; write '$${' for the text itself", at: start) }
    if let mistake = mistake(in: name) {
      problems.append(Problem(mistake, at: start))
      while let character = next, character != "}" { position += 1 }
      position += 1
      return ""
    }
    if isMessage {
      _ = skipAlternative(depth: depth)
      return "${\(name)}"
    }
    let value = environment(name)
    if isUsed, let value, !value.isEmpty { note(name, value) }
    if next == "}" {
      position += 1
      if value == nil, isUsed {
        problems.append(Problem("the variable '\(name)' is not set; set it or give a default: '${\(name):-…}'", at: start))
      }
      return value ?? ""
    }
    let isDefault = text[position + 1] == "-"
    position += 2
    let isMissing = value?.isEmpty ?? true
    isMessage = !isDefault
    let alternative = expand(depth: depth, isUsed: isUsed && isMissing)
    isMessage = false
    if isAtEnd { return stop("'${' is never closed; write '$${' for the text itself", at: start) }
    position += 1
    guard isMissing, isUsed else { return value ?? "" }
    if isDefault {
      if !alternative.isEmpty { note(name, alternative) }
      return alternative
    }
    let reason = alternative.isEmpty ? "" : ": \(visible(alternative, limit: 500))"
    problems.append(Problem("the variable '\(name)' must be set" + reason, at: start))
    return ""
  }

  private mutating func note(_ name: String, _ value: String) {
    let variable = VariableValue(name: name, value: value)
    if !variables.contains(variable) { variables.append(variable) }
  }

  /// Skips the rest of a reference after its name, including its `}`.
  private mutating func skipAlternative(depth: Int) -> String {
    if next != "}" {
      position += 2
      _ = expand(depth: depth, isUsed: false)
      if isAtEnd { return stop("'${' is never closed; write '$${' for the text itself", at: position) }
    }
    position += 1
    return ""
  }

  private mutating func readName() -> String {
    var name = ""
    while let character = next, character == "_" || (character.isASCII && character.properties.isAlphabetic) || isDigit(character) {
      name.unicodeScalars.append(character)
      position += 1
    }
    return name
  }

  private func isDigit(_ character: Unicode.Scalar) -> Bool { ("0"..."9").contains(character) }

  /// The fault of a name or of the text after it; nil if that is `}`, `:-` or `:?`.
  private func mistake(in name: String) -> String? {
    guard let first = name.unicodeScalars.first else { return "'${' must be followed by the name of a variable: letters, digits and '_'" }
    // The text is not repeated: if it is not a reference, it may be part of a password.
    if isDigit(first) { return "the name of a variable cannot begin with a digit; write '$${' for the text itself" }
    if next == "}" { return nil }
    if next == ":", position + 1 < text.count, text[position + 1] == "-" || text[position + 1] == "?" { return nil }
    return "expected '}', ':-' or ':?' behind the name of the variable; write '$${' for the text itself"
  }

  /// Ends the expansion, because the rest has no meaning. Of several open references only the innermost is reported.
  private mutating func stop(_ message: String, at offset: Int) -> String {
    if !hasStopped { problems.append(Problem(message, at: offset)) }
    hasStopped = true
    position = text.count
    return ""
  }
  private var hasStopped = false

  private mutating func put(_ piece: String, into out: inout String, _ isUsed: Bool) {
    guard isUsed, !hasStopped else { return }
    bytes += piece.utf8.count
    guard bytes <= limits.scalarBytes * (limits.variableDepth + 1), out.utf8.count + piece.utf8.count <= limits.scalarBytes else {
      _ = stop("the text with its variables is longer than \(ConfigLimits.bytes(limits.scalarBytes)), the limit", at: 0)
      return
    }
    out += piece
  }
}
