public import EventBus

/// Evaluates an expression on batches of events, in chunks; its memory is allocated once.
///
/// ```swift
/// var runner = ExpressionRunner(try Expression<Trade>("price > 100"))
/// runner.judge(events) { range, verdicts in … }
/// ```
///
/// Not for concurrent use: it is non-copyable, and its methods are `mutating`.
public struct ExpressionRunner<E: Event>: ~Copyable {
  public let expression: Expression<E>
  private let memory: UnsafeMutableRawPointer
  private let space: Workspace

  /// The number of events in a chunk: enough to make interpretation cheap, few enough to keep the columns in the first-level cache.
  private static var chunk: Int { 256 }

  public init(_ expression: Expression<E>) {
    self.expression = expression
    let size = Workspace.size(expression.core.program, chunk: Self.chunk)
    memory = .allocate(byteCount: size, alignment: 16)
    space = Workspace(expression.core.program, chunk: Self.chunk, in: memory)
  }

  deinit { memory.deallocate() }

  /// Calls `body` for each chunk in order, with the indices of its events and a verdict for each of them.
  @inlinable
  public mutating func judge(_ events: Span<E>, _ body: (Range<Int>, Span<Verdict>) -> Void) {
    events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return }
      var begin = 0
      while begin < events.count {
        let verdicts = judge(UnsafeRawPointer(base + begin), stride: MemoryLayout<E>.stride, count: events.count &- begin)
        body(begin..<(begin &+ verdicts.count), verdicts.span)
        begin &+= verdicts.count
      }
    }
  }

  /// The verdicts on the next events, at most one chunk.
  @usableFromInline
  mutating func judge(_ events: UnsafeRawPointer, stride: Int, count: Int) -> UnsafeBufferPointer<Verdict> {
    let count = min(count, Self.chunk)
    Machine(program: expression.core.program, space: space, events: events, stride: stride, count: count).run()
    // Every instruction writes 0, 1 or 2, the raw values of the verdicts.
    return UnsafeBufferPointer(start: UnsafeRawPointer(space.bytes).assumingMemoryBound(to: Verdict.self), count: count)
  }
}
