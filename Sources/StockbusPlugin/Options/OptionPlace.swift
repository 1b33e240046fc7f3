/// Where in a component's options something is written: `channels[1].file.path`.
public struct OptionPlace: Sendable, Hashable {
  /// A step from options to one inside them.
  private enum Step: Sendable, Hashable {
    case option(String)
    case item(Int)
  }

  private var steps: [Step]

  /// An option, or `item` of a list that it is.
  public init(_ option: String, item: Int? = nil) { steps = [.option(option)] + (item.map { [.item($0)] } ?? []) }

  /// The same place seen from the options around: its own stand there as `option`, as `item` of a list where that is given, and are
  /// `choice` among several.
  public func inside(_ option: String, item: Int? = nil, choice: String? = nil) -> OptionPlace {
    var outer = OptionPlace(option, item: item)
    outer.steps += (choice.map { [.option($0)] } ?? []) + steps
    return outer
  }

  /// What the options at `node` have there, with its mark; where it is not written, the mark of the last step that is.
  func find(in node: ConfigNode?, else mark: ConfigNode.Mark) -> (mark: ConfigNode.Mark, node: ConfigNode?) {
    var node = node
    var mark = node?.mark ?? mark
    for step in steps {
      switch step {
      case .option(let name): node = node?[name]
      case .item(let number):
        // One word is taken for a list of it.
        if case .list(let items) = node?.value { node = items.indices.contains(number) ? items[number] : nil }
      }
      guard let node else { return (mark, nil) }
      mark = node.mark
    }
    return (mark, node)
  }
}

extension OptionPlace: CustomStringConvertible {
  public var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .option(let name): text += text.isEmpty ? name : ".\(name)"
      case .item(let number): text += "[\(number)]"
      }
    }
  }
}
