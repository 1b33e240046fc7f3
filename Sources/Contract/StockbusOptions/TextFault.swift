/// An error inside the text of an option.
public struct TextFault: Sendable, Hashable {
  /// The option's name.
  public let option: String
  /// The error, in a message that names the option.
  public private(set) var message: String
  /// The first wrong character of the text, as a Unicode scalar counted from 0.
  public let character: Int
  private var place: OptionPlace

  public init(_ option: String, _ message: String, character: Int) {
    self.option = option
    self.message = message
    self.character = character
    place = OptionPlace(option)
  }

  /// A fault of item `item` of the option's list, as a whole.
  package init(_ option: String, item: Int, _ message: String) {
    self.init(option, message, character: 0)
    place = OptionPlace(option, item: item)
  }

  /// The same fault as seen from the enclosing options, in which its options are `option`, or item `item` of that option's list.
  public func inside(_ option: String, item: Int? = nil) -> TextFault {
    let outer = option + (item.map { "[\($0)]" } ?? "")
    var copy = TextFault(self.option, "'\(outer)': \(message)", character: character)
    copy.place = place.inside(option, item: item)
    return copy
  }

  /// The same fault with another message.
  func saying(_ message: String) -> TextFault {
    var copy = self
    copy.message = message
    return copy
  }

  /// Adds the fault at its place in `node`, the options.
  package func report(in node: ConfigNode?, else mark: ConfigNode.Mark, _ problems: inout Problems) {
    let found = place.find(in: node, else: mark)
    report(found.node, else: found.mark, &problems)
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
