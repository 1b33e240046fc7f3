public import EventBus

/// What a text means while somebody is typing it.
public enum ExpressionDraft<E: Event>: Sendable {
  /// Nothing was typed yet.
  case empty
  /// Right so far: what is missing, and the words that may stand in place of the last one.
  case incomplete(ExpressionError)
  /// It cannot become right by typing on.
  case wrong(ExpressionError)
  case ready(Expression<E>)

  public init(_ text: String) {
    if text.utf8.allSatisfy({ $0 == 32 || $0 == 9 }) {
      self = .empty
      return
    }
    do throws(ExpressionError) { self = .ready(try Expression(text)) } catch {
      self = error.isIncomplete ? .incomplete(error) : .wrong(error)
    }
  }
}
