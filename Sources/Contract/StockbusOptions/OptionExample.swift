extension Options {
  /// A piece of YAML to start from: required options with a value of the right form, all others as comments with their defaults, or omitted
  /// if `onlyRequired`. Each line begins with `indent` blanks.
  package static func example(indent: Int = 0, onlyRequired: Bool = false) -> String {
    let margin = String(repeating: " ", count: max(0, indent))
    return OptionExample.lines(describe().filter { $0.isRequired || !onlyRequired }, isComment: false).map { margin + $0 + "\n" }.joined()
  }
}

extension [OptionInfo] {
  /// The required options with values of the right form, without comments.
  package var requiredExample: [String] {
    OptionExample.lines(filter(\.isRequired), isComment: false).filter { $0.first { $0 != " " } != "#" }
  }
}

/// Options as a piece of YAML.
enum OptionExample {
  /// Inside a comment (`isComment`) the defaults are written out, so that a useful mapping remains when the comment signs are removed.
  static func lines(_ infos: [OptionInfo], isComment: Bool) -> [String] {
    infos.flatMap { info in
      let range = info.rangeText.map { " (\($0))" } ?? ""
      let sentence = ["# " + info.sentence.split(whereSeparator: \.isNewline).joined(separator: " ") + range]
      if info.isRequired || (isComment && (info.defaultText != nil || isFilled(info.form))) {
        return sentence + value(info, isComment: isComment)
      }
      return sentence + value(info, isComment: true).map { "# " + $0 }
    }
  }

  /// True for a mapping that has no default of its own but contains an option that has one.
  private static func isFilled(_ form: OptionForm) -> Bool {
    guard case .mapping(let infos) = form else { return false }
    return infos.contains { $0.isRequired || $0.defaultText != nil || isFilled($0.form) }
  }

  private static func value(_ info: OptionInfo, isComment: Bool) -> [String] {
    if info.isSecret, !info.isRequired || info.defaultText == nil { return ["\(info.name): " + (word(info.form, info.name) ?? "")] }
    if let text = info.defaultText ?? word(info.form, info.name) { return ["\(info.name): \(text)"] }
    return ["\(info.name):"] + block(info.form, isComment: isComment).map { "  " + $0 }
  }

  /// The value on several lines below its key.
  private static func block(_ form: OptionForm, isComment: Bool) -> [String] {
    switch form {
    case .mapping(let infos):
      // If nothing is required, the defaults are written out, because an empty mapping would count as missing.
      return lines(infos, isComment: isComment || !infos.contains(where: \.isRequired))
    case .oneOf(let infos): return infos.first.map { value($0, isComment: isComment) } ?? []
    case .list(let form, let count):
      return (0..<count).flatMap { _ in ["-"] + block(form, isComment: isComment).map { "  " + $0 } }
    case .entries(let form): return ["name:"] + block(form, isComment: isComment).map { "  " + $0 }
    case .word, .secret: return [word(form, "value") ?? ""]
    }
  }

  /// The value on one line; nil if one line would hide possible values.
  private static func word(_ form: OptionForm, _ name: String) -> String? {
    switch form {
    case .word(let text): text
    case .secret: "\"${\(name.uppercased())}\""
    case .mapping: isFilled(form) ? nil : "{}"
    case .oneOf: nil
    case .list(let form, let count):
      word(form, name).map { "[" + Array(repeating: $0, count: count).joined(separator: ", ") + "]" }
    case .entries(let form): word(form, name).map { "{name: \($0)}" }
    }
  }
}
