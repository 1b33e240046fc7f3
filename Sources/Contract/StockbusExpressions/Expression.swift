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
  let columns: ColumnLayout

  /// Compiles a text; throws an error that shows what is wrong and where. Functions with memory are an error unless the place keeps what
  /// they remember.
  ///
  /// - Parameter columns: the columns beside the events.
  public init(
    _ text: String, in place: ExpressionPlace = .singleEvents, reading columns: ColumnLayout = ColumnLayout()
  ) throws(ExpressionError) {
    core = try CompiledExpression(text, EventShape(E.self, columns), place)
    self.columns = columns
    self.text = text
    description = core.description
  }

  /// True if it has functions over earlier events. An `ExpressionRunner` then sees all events in their order; `matches` and `verdict`, which
  /// see one event, find such functions undecided.
  public var hasMemory: Bool { core.program.plan?.hasMemory == true }

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

extension Expression {
  /// True if the event with this row of columns certainly satisfies the condition.
  package func matches(_ event: E, row: [Int64]) -> Bool {
    if row.isEmpty { return matches(event) }
    return withUnsafeBytes(of: event) { core.verdictWithoutMemory($0.baseAddress.unsafelyUnwrapped, row: row) } == .yes
  }
}

extension Expression: CustomStringConvertible {}

/// An expression over an event type that is known only when components are wired.
public struct AnyExpression: Sendable {
  public let text: String
  public let eventType: any Event.Type
  private let place: ExpressionPlace
  private let columns: ColumnLayout

  /// Compiles a text for an event type; throws an error that shows what is wrong and where.
  public init(
    _ text: String, for type: any Event.Type, in place: ExpressionPlace = .singleEvents, reading columns: ColumnLayout = ColumnLayout()
  ) throws(ExpressionError) {
    _ = try CompiledExpression(text, EventShape(opening: type, columns), place)
    self.columns = columns
    self.place = place
    self.text = text
    eventType = type
  }

  /// The expression for a static event type; nil if its type is a different one.
  public func bound<E: Event>(to type: E.Type) -> Expression<E>? {
    eventType == type ? try? Expression<E>(text, in: place, reading: columns) : nil
  }
}

/// A text that follows the grammar. Its words have not been checked.
public struct ExpressionSyntax: Sendable {
  /// The text in normal form.
  public let description: String

  public init(_ text: String) throws(ExpressionError) { description = try Parser.parse(text).description }
}
