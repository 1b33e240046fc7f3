public import EventBus

/// A compiled condition over an event's declared fields: `price > 100 and symbol in [AAPL, NVDA]`.
///
/// It is a value that can be stored, copied and used on any thread. Evaluating it does not allocate and never traps; one event takes some
/// nanoseconds, and `ExpressionRunner` is several times faster for batches. Documentation/use/expressions.md describes the language.
public struct Expression<E: Event>: Sendable {
  /// The text as written.
  public let text: String
  /// The normal form: one blank between words, no unneeded parentheses.
  public let description: String
  @usableFromInline let core: CompiledExpression

  /// Compiles a text; throws an error that shows what is wrong and where.
  public init(_ text: String) throws(ExpressionError) {
    core = try CompiledExpression(text, EventShape(E.self))
    self.text = text
    description = core.description
  }

  /// The names and patterns with which the expression compares the event's symbol, sorted.
  public var symbolNames: [String] {
    let sets = core.program.symbols.map(\.names)
    return Set(
      sets.flatMap { $0.names.map { String(decoding: $0, as: UTF8.self) } + $0.patterns.map { String(decoding: $0, as: UTF8.self) } }
    )
    .sorted()
  }

  /// True if the event certainly satisfies the condition.
  @inlinable
  public func matches(_ event: E) -> Bool { verdict(of: event) == .yes }

  /// The verdict on an event.
  @inlinable
  public func verdict(of event: E) -> Verdict { withUnsafeBytes(of: event) { core.verdict($0.baseAddress.unsafelyUnwrapped) } }
}

extension Expression: CustomStringConvertible {}

/// An expression over an event type that is known only when components are wired.
public struct AnyExpression: Sendable {
  public let text: String
  public let eventType: any Event.Type

  /// Compiles a text for an event type; throws an error that shows what is wrong and where.
  public init(_ text: String, for type: any Event.Type) throws(ExpressionError) {
    _ = try CompiledExpression(text, EventShape(opening: type))
    self.text = text
    eventType = type
  }

  /// The expression for a static event type; nil if its type is a different one.
  public func bound<E: Event>(to type: E.Type) -> Expression<E>? { eventType == type ? try? Expression<E>(text) : nil }
}

/// A text that follows the grammar. Its words have not been checked.
public struct ExpressionSyntax: Sendable {
  /// The text in normal form.
  public let description: String

  public init(_ text: String) throws(ExpressionError) { description = try Parser.parse(text).description }
}

/// The part of a compiled expression that does not depend on the event type.
@usableFromInline
final class CompiledExpression: Sendable {
  let program: ExpressionCode
  let description: String

  init(_ text: String, _ shape: EventShape) throws(ExpressionError) {
    let tree = try Parser.parse(text)
    program = ExpressionCode(try Checker(text: text, shape: shape).condition(tree))
    description = tree.description
    if Workspace.size(program, chunk: 1) > Self.room {
      throw ExpressionError(.limit, "the expression is too complex", text, tree.range)
    }
  }

  /// Bytes of stack for the evaluation of one event.
  private static let room = 512

  /// The verdict on the event that begins at `event`.
  @usableFromInline
  func verdict(_ event: UnsafeRawPointer) -> Verdict {
    // The size is constant, so that the memory is taken from the stack.
    withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 16) { memory in
      let space = Workspace(program, chunk: 1, in: memory.baseAddress.unsafelyUnwrapped)
      Machine(program: program, space: space, events: event, stride: 0, count: 1).run()
      return Verdict(rawValue: space.bytes[0]) ?? .undecided
    }
  }
}
