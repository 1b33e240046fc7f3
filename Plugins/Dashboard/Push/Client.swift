internal import MarketData

/// The dashboard's state of one browser tab: some numbers, and no queue.
struct Client {
  static let panes: UInt8 = 4
  static let largestWindow: Int32 = 1000

  /// A part of the page that shows rows.
  struct Pane {
    var query: RowQuery
    /// Places in the query's order.
    var range: Range<Int32>
    /// The rows that were sent last.
    var sent = RowWindow()
    /// False after a request of the client, until the reply is sent.
    var isAnswered = false
    var sentTotal = 0
  }

  let viewer: Viewer
  /// The last frame that was sent to the client.
  var cursor: UInt32 = 0
  /// True once the client has sent `hello`, except while it has not painted its last frame.
  var isReady = false
  var panes: [UInt8: Pane] = [:]
  /// True if the client has a new request, so that it is due even without events.
  var wantsMore = false
  /// The symbol whose trades and bars the client shows.
  var symbol: Chosen?
  /// When the value of the client's accounts was sent last, by the run's uptime in nanoseconds, and in which frame.
  var valuedAt: Int64 = .min / 2
  var valuedFrame: UInt32 = 0
  /// True if the value of the client's accounts has changed since it was sent.
  var waitsForValues = false

  /// True if the client shows the components and edges of the run.
  var showsRun = false
  /// When the state of the run, and its numbers, were sent last; by the run's uptime in nanoseconds.
  var runSentAt: Int64 = .min / 2
  var statusSentAt: Int64 = .min / 2
  /// The number of events that was sent last.
  var sentEvents = 0
  /// When anything was sent last; nil before that.
  var sentAt: Int64?

  struct Chosen {
    let name: String
    /// How many trades of the symbol were sent, or left out, so far.
    var sentTrades = 0
    var sentBar: Bar?
  }
}
