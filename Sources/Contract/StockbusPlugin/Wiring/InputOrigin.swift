internal import EventBus

/// The origin of an input's events, for the check of a configuration: the component that sends them, and the components before it.
package struct InputOrigin: Sendable {
  /// Distinguishes components among all configurations that are checked together.
  let number: Int
  /// The component in the words of a message: `processor 'ranked' (worker.yaml:11:3)`.
  package let title: String
  /// The component's options.
  package let settings: any Options
  /// True if the component may leave out some of its input, as any processor may.
  private let isProcessor: Bool
  /// False if the component's events may be dropped or conflated on their way to the input.
  package let isWhole: Bool
  /// The origins of the component's events, if known and of the same type: its inputs, and the writers of the channel that it reads.
  private let inputs: [InputOrigin]
  private let depth: Int

  /// A component upstream of an input.
  package struct Found<Value> {
    package let value: Value
    /// The component in the words of a message.
    package let title: String
    /// The components between it and the input that may leave events out, in the words of a message; empty if there are none.
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
    // An unusually long chain of components is cut, so that it can be walked and freed by recursion.
    self.inputs = depth > 256 ? [] : inputs
    self.depth = depth > 256 ? 1 : depth
  }

  /// The same origin behind an edge that may leave events out.
  package func over(isWhole edge: Bool) -> InputOrigin {
    InputOrigin(
      number: number, title: title, settings: settings, isProcessor: isProcessor, isWhole: isWhole && edge, inputs: inputs)
  }

  /// The nearest components on each path for which `match` returns a value, each once.
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

/// An error in a component because of the origin of its input.
package struct InputFault: Sendable {
  /// The input, counted from 0.
  package let input: Int
  /// The option at which the error is reported, if it is written; nil to report it at the input.
  package let option: String?
  /// The error; excludes the component and the input.
  package let message: String

  package init(input: Int, option: String? = nil, _ message: String) {
    self.input = input
    self.option = option
    self.message = message
  }
}

/// A component that depends on the settings of the components before it.
package protocol OriginDependent: Component {
  /// Errors in these settings with these inputs, which are in order. Called when a configuration is checked; no I/O.
  static func faults(in settings: Settings, behind inputs: [InputOrigin]) -> [InputFault]
}

extension Blueprint.Assembly {
  /// Errors in the component with these inputs.
  package func faults(behind inputs: [InputOrigin]) -> [InputFault] {
    (declared.component as? any OriginDependent.Type).map { Self.faults($0, declared.settings, inputs) } ?? []
  }

  private static func faults<C: OriginDependent>(_: C.Type, _ settings: any Options, _ inputs: [InputOrigin]) -> [InputFault] {
    (settings as? C.Settings).map { C.faults(in: $0, behind: inputs) } ?? []
  }

  /// The component's settings, for an `InputOrigin`.
  package var declaredSettings: any Options { declared.settings }

  /// The channels that the component writes and reads.
  package var channels: [ChannelUse] { (declared.settings as? any ChannelOptions)?.channels ?? [] }
}
