import StockbusPlugin
import Synchronization

/// How events are printed.
enum PrintFormat: String, CaseIterable, Sendable {
  case table, json, csv
}

/// What becomes of CSV cells that look like formulas.
enum FormulaCells: String, CaseIterable, Sendable {
  case keep, defuse
}

/// What is to be printed, and how it ends: the one thing that the command and the sink it puts into the pipeline share.
final class PrintJob: Sendable {
  struct Request: Sendable {
    var format = PrintFormat.table
    var formulas = FormulaCells.keep
    /// Nil for all, in the declared order.
    var fields: [String]?
    /// An expression; nil for everything.
    var condition: String?
    /// The last event of each symbol instead of all events.
    var once = false
    /// With `once`: how long after the start; nil for the end of the data, or until it has settled.
    var after: Duration?
    /// With `once`, where a source has no known end: it has settled when no new symbol came for so long.
    var settle = Duration.milliseconds(500)
    /// Lines after which it ends.
    var limit: Int?
  }

  /// How printing ended before the events did.
  enum End: Sendable, Hashable {
    /// There is all that was asked for.
    case complete
    /// Nobody reads any more.
    case closed
    /// Writing failed.
    case failed(String)
  }

  let request: Request
  /// Writes everything, or answers why not; blocks.
  let write: @Sendable (UnsafeRawBufferPointer) -> End?
  private struct State {
    var end: End?
    var stop: (@Sendable () -> Void)?
    var isEndless: @Sendable () -> Bool = { true }
  }
  private let state = Mutex(State())

  init(_ request: Request, write: @escaping @Sendable (UnsafeRawBufferPointer) -> End?) {
    self.request = request
    self.write = write
  }

  var end: End? { state.withLock { $0.end } }

  /// True where nobody knows when the data ends.
  var isEndless: Bool { state.withLock { $0.isEndless }() }

  /// `isEndless` answers whether a source runs that has no known end.
  func whether(_ isEndless: @escaping @Sendable () -> Bool) { state.withLock { $0.isEndless = isEndless } }

  /// `stop` is called when there is nothing more to print; at once where that is so already.
  func whenDone(_ stop: @escaping @Sendable () -> Void) {
    let isDone = state.withLock { state in
      state.stop = stop
      return state.end != nil
    }
    if isDone { stop() }
  }

  /// Only the first end counts.
  func finish(_ end: End) {
    let stop = state.withLock { state -> (@Sendable () -> Void)? in
      if state.end != nil { return nil }
      state.end = end
      return state.stop
    }
    stop?()
  }

  // MARK: Handing over

  /// By number: a component is made from options only, and these are text.
  private static let jobs = Mutex<[Int: PrintJob]>([:])

  /// Keeps the job for the component that is told this number.
  func enroll() -> Int {
    Self.jobs.withLock { jobs in
      let number = (jobs.keys.max() ?? 0) + 1
      jobs[number] = self
      return number
    }
  }

  static func enrolled(_ number: Int) -> PrintJob? { jobs.withLock { $0[number] } }

  static func forget(_ number: Int) { jobs.withLock { $0[number] = nil } }
}
