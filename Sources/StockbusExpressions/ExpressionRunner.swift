public import EventBus

/// Asks an expression about runs of events, in chunks; the memory for that is made once.
///
/// ```swift
/// var runner = ExpressionRunner(try Expression<Trade>("price > 100"))
/// runner.judge(events) { range, verdicts in … }
/// ```
///
/// Not to be used by two at a time, which its being non-copyable and `mutating` make sure of.
public struct ExpressionRunner<E: Event>: ~Copyable {
  public let expression: Expression<E>
  private let memory: UnsafeMutableRawPointer
  private let space: Workspace

  /// Events of one chunk: enough that interpreting does not show, few enough that columns stay in the nearest cache.
  private static var chunk: Int { 256 }

  public init(_ expression: Expression<E>) {
    self.expression = expression
    let size = Workspace.size(expression.core.program, chunk: Self.chunk)
    memory = .allocate(byteCount: size, alignment: 16)
    space = Workspace(expression.core.program, chunk: Self.chunk, in: memory)
  }

  deinit { memory.deallocate() }

  /// Calls `body` for one chunk of the events after the other: with its indices, and a verdict for each of them.
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

  /// The verdicts on the next events, as many as a chunk holds.
  @usableFromInline
  mutating func judge(_ events: UnsafeRawPointer, stride: Int, count: Int) -> UnsafeBufferPointer<Verdict> {
    let count = min(count, Self.chunk)
    Machine(program: expression.core.program, space: space, events: events, stride: stride, count: count).run()
    // Every instruction writes 0, 1 or 2, the verdicts' own bytes.
    return UnsafeBufferPointer(start: UnsafeRawPointer(space.bytes).assumingMemoryBound(to: Verdict.self), count: count)
  }
}
