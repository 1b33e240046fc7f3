/// An error inside the text of an option.
public struct TextFault: Sendable, Hashable {
  /// The option's name.
  public let option: String
  /// The error, in a message that names the option.
  public let message: String
  /// The first wrong character of the text, as a Unicode scalar counted from 0.
  public let character: Int

  public init(_ option: String, _ message: String, character: Int) {
    self.option = option
    self.message = message
    self.character = character
  }

  /// Adds the fault at its character in `node`. If the place of single characters is not known, the message gives the character's number.
  package func report(_ node: ConfigNode?, else mark: ConfigNode.Mark, _ problems: inout Problems) {
    guard let node else { return problems.add(message, at: mark) }
    guard node.variables.isEmpty else {
      return problems.add(
        "'\(option)' is wrong from character \(character + 1) on: \(node.shownText), whose value is not shown", at: node.mark)
    }
    let hint = node.isVerbatim || character == 0 ? "" : " (character \(character + 1))"
    problems.add(message + hint, at: node.mark(ofCharacter: character))
  }
}
