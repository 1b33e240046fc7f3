internal import EventBus

/// Where the events of an input come from, as the check of a configuration sees it: the component there, and those before it.
package struct InputOrigin: Sendable {
  /// Tells components apart, among all configurations that are checked together.
  let number: Int
  /// The component in the words of a message: `processor 'ranked' (worker.yaml:11:3)`.
  package let title: String
  /// Its options.
  package let settings: any Options
  /// True if it may leave out some of what it gets, as any processor.
  private let isProcessor: Bool
  /// False if its events, on their way to the input, may be dropped or conflated.
  package let isWhole: Bool
  /// What its events come from, as far as they have the same type and it is known: its inputs, and what writes the channel that it reads.
  private let inputs: [InputOrigin]
  private let depth: Int

  /// A component that something else comes from.
  package struct Found<Value> {
    package let value: Value
    /// In the words of a message.
    package let title: String
    /// What may leave events out between it and the input, in the words of a message; empty if nothing does.
    package let between: [String]
    package let isWhole: Bool
  }

  package init(
    number: Int, title: String, settings: any Options, isProcessor: Bool, isWhole: Bool = true, inputs: [InputOrigin]
  ) {
    self.number = number
    self.title = title
    self.settings = settings
    self.isProcessor = isProcessor
    self.isWhole = isWhole
    let depth = 1 + (inputs.map(\.depth).max() ?? 0)
    // A chain of more components than anybody writes is cut, so that it can be walked and freed by recursion.
    self.inputs = depth > 256 ? [] : inputs
    self.depth = depth > 256 ? 1 : depth
  }

  /// The same over an edge that may leave events out.
  package func over(isWhole edge: Bool) -> InputOrigin {
    InputOrigin(
      number: number, title: title, settings: settings, isProcessor: isProcessor, isWhole: isWhole && edge, inputs: inputs)
  }

  /// The nearest components on each way for which `match` returns something, each once.
  package func nearest<Value>(_ match: (any Options) -> Value?) -> [Found<Value>] {
    var seen: Set<Int> = []
    var found: [Found<Value>] = []
    func walk(_ origin: InputOrigin, _ between: [String], _ isWhole: Bool) {
      guard seen.insert(origin.number).inserted else { return }
      let isWhole = isWhole && origin.isWhole
      if let value = match(origin.settings) {
        found.append(Found(value: value, title: origin.title, between: between, isWhole: isWhole))
        return
      }
      for input in origin.inputs { walk(input, origin.isProcessor ? between + [origin.title] : between, isWhole) }
    }
    walk(self, [], true)
    return found
  }
}

/// Something wrong with a component because of where its input comes from.
package struct InputFault: Sendable {
  /// The input, counted from 0.
  package let input: Int
  /// The option that it is reported at, if that is written; nil to report it at the input.
  package let option: String?
  /// Without the component and the input.
  package let message: String

  package init(input: Int, option: String? = nil, _ message: String) {
    self.input = input
    self.option = option
    self.message = message
  }
}

/// A component that depends on what the components before it are told to do.
package protocol OriginDependent: Component {
  /// What is wrong with these settings behind these inputs, in their order. Called when a configuration is checked; no I/O.
  static func faults(in settings: Settings, behind inputs: [InputOrigin]) -> [InputFault]
}

extension Blueprint.Assembly {
  /// What is wrong with the component behind these inputs.
  package func faults(behind inputs: [InputOrigin]) -> [InputFault] {
    (declared.component as? any OriginDependent.Type).map { Self.faults($0, declared.settings, inputs) } ?? []
  }

  private static func faults<C: OriginDependent>(_: C.Type, _ settings: any Options, _ inputs: [InputOrigin]) -> [InputFault] {
    (settings as? C.Settings).map { C.faults(in: $0, behind: inputs) } ?? []
  }

  /// Where the events come from if it is the component, as `InputOrigin` has it.
  package var declaredSettings: any Options { declared.settings }

  /// The channels that the component writes and reads.
  package var channels: [ChannelUse] { (declared.settings as? any ChannelOptions)?.channels ?? [] }
}
