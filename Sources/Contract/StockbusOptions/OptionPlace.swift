/// The place of a value in a component's options: `channels[1].file.path`.
public struct OptionPlace: Sendable, Hashable {
  /// A step from a value to one inside it.
  private enum Step: Sendable, Hashable {
    case option(String)
    case item(Int)
  }

  private var steps: [Step]

  /// An option, or item `item` of that option's list.
  public init(_ option: String, item: Int? = nil) { steps = [.option(option)] + (item.map { [.item($0)] } ?? []) }

  /// The same place as seen from the enclosing options, in which it is `option`, or item `item` of that option's list, under the key
  /// `choice` if that is given.
  public func inside(_ option: String, item: Int? = nil, choice: String? = nil) -> OptionPlace {
    var outer = OptionPlace(option, item: item)
    outer.steps += (choice.map { [.option($0)] } ?? []) + steps
    return outer
  }

  /// The node at this place in `node`, with its mark. If the place is not written, the mark of the last step that is written.
  package func find(in node: ConfigNode?, else mark: ConfigNode.Mark) -> (mark: ConfigNode.Mark, node: ConfigNode?) {
    var node = node
    var mark = node?.mark ?? mark
    for step in steps {
      switch step {
      case .option(let name): node = node?[name]
      case .item(let number):
        // A single word counts as a list of one.
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
