public import EventBus

/// A condition over an event's declared fields, compiled: `price > 100 and symbol in [AAPL, NVDA]`.
///
/// It is a value: to be kept, copied and used on any thread. Asking it allocates nothing and never traps; a single event costs some
/// nanoseconds, and `ExpressionRunner` is several times faster for runs of events. The language is described in
/// Documentation/expressions.md.
public struct Expression<E: Event>: Sendable {
  /// As it was written.
  public let text: String
  /// In its plain form: one blank between words, no needless parentheses.
  public let description: String
  @usableFromInline let core: CompiledExpression

  /// Compiles a text; throws what is wrong and where.
  public init(_ text: String) throws(ExpressionError) {
    core = try CompiledExpression(text, EventShape(E.self))
    self.text = text
    description = core.description
  }

  /// The names and patterns that it compares the event's symbol with, sorted.
  public var symbolNames: [String] {
    let sets = core.program.symbols.map(\.names)
    return Set(
      sets.flatMap { $0.names.map { String(decoding: $0, as: UTF8.self) } + $0.patterns.map { String(decoding: $0, as: UTF8.self) } }
    )
    .sorted()
  }

  /// True where the event certainly fulfils it.
  @inlinable
  public func matches(_ event: E) -> Bool { verdict(of: event) == .yes }

  /// What it says of an event.
  @inlinable
  public func verdict(of event: E) -> Verdict { withUnsafeBytes(of: event) { core.verdict($0.baseAddress.unsafelyUnwrapped) } }
}

extension Expression: CustomStringConvertible {}

/// An expression over the events of a type that is known only when components are wired.
public struct AnyExpression: Sendable {
  public let text: String
  public let eventType: any Event.Type

  /// Compiles a text for a type; throws what is wrong and where.
  public init(_ text: String, for type: any Event.Type) throws(ExpressionError) {
    _ = try CompiledExpression(text, EventShape(opening: type))
    self.text = text
    eventType = type
  }

  /// The same for a type that is now known; nil where it is another one.
  public func bound<E: Event>(to type: E.Type) -> Expression<E>? { eventType == type ? try? Expression<E>(text) : nil }
}

/// A text that obeys the grammar; whether its words mean anything is not known.
public struct ExpressionSyntax: Sendable {
  /// In its plain form.
  public let description: String

  public init(_ text: String) throws(ExpressionError) { description = try Parser.parse(text).description }
}

/// What is common to expressions over all types.
@usableFromInline
final class CompiledExpression: Sendable {
  let program: Program
  let description: String

  init(_ text: String, _ shape: EventShape) throws(ExpressionError) {
    let tree = try Parser.parse(text)
    program = Program(try Checker(text: text, shape: shape).condition(tree))
    description = tree.description
    if Workspace.size(program, chunk: 1) > Self.room {
      throw ExpressionError(.limit, "the expression is too intricate", text, tree.range)
    }
  }

  /// Bytes of the stack that one event may need.
  private static let room = 512

  /// For the event that begins at `event`.
  @usableFromInline
  func verdict(_ event: UnsafeRawPointer) -> Verdict {
    // A constant amount, so that it is taken from the stack.
    withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 16) { memory in
      let space = Workspace(program, chunk: 1, in: memory.baseAddress.unsafelyUnwrapped)
      Machine(program: program, space: space, events: event, stride: 0, count: 1).run()
      return Verdict(rawValue: space.bytes[0]) ?? .undecided
    }
  }
}
