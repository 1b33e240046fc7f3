import StockbusPlugin
import StockbusTables
import Synchronization

/// The format of what a command prints.
package enum PrintFormat: String, CaseIterable, Sendable {
  case table, json, csv
}

/// The format of printed events.
package enum EventFormat: String, CaseIterable, Sendable {
  case table, json, csv, arrow, parquet

  /// Nil for text.
  var form: EventTableForm? {
    switch self {
    case .table, .json, .csv: nil
    case .arrow: .arrow
    case .parquet: .parquet
    }
  }
}

/// The request to print, and how printing has ended; shared by the command and the sink that it adds to the pipeline.
package final class PrintJob: Sendable {
  struct Request: Sendable {
    var format = EventFormat.table
    var formulas = FormulaCells.keep
    /// Nil for all, in the declared order.
    var fields: [String]?
    /// An expression; nil for all events.
    var condition: String?
    /// Print the last event of each symbol instead of all events.
    var once = false
    /// With `once`: the time after the start; nil for the end of the data, or until the output has settled.
    var after: Duration?
    /// With `once`, if a source has no known end: the output has settled when no new symbol has arrived for this long.
    var settle = Duration.milliseconds(500)
    /// The number of lines after which printing ends.
    var limit: Int?
  }

  /// Why printing ended before the events did.
  package enum End: Sendable, Hashable {
    /// All requested events have been printed.
    case complete
    /// The reader has closed the output.
    case closed
    /// Writing failed.
    case failed(String)
  }

  let request: Request
  /// Writes everything, or returns why that is impossible; blocks.
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

  /// True if the end of the data is not known.
  var isEndless: Bool { state.withLock { $0.isEndless }() }

  /// Sets the function that returns whether a source without a known end is running.
  func whether(_ isEndless: @escaping @Sendable () -> Bool) { state.withLock { $0.isEndless = isEndless } }

  /// Sets `stop`, which is called when there is nothing more to print; at once if that is already so.
  func whenDone(_ stop: @escaping @Sendable () -> Void) {
    let isDone = state.withLock { state in
      state.stop = stop
      return state.end != nil
    }
    if isDone { stop() }
  }

  /// Only the first end is recorded.
  func finish(_ end: End) {
    let stop = state.withLock { state -> (@Sendable () -> Void)? in
      if state.end != nil { return nil }
      state.end = end
      return state.stop
    }
    stop?()
  }

  // MARK: Handing over

  /// By number, because a component is created from its options only, which are text.
  private static let jobs = Mutex<[Int: PrintJob]>([:])

  /// Registers the job and returns its number, for the component's options.
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
