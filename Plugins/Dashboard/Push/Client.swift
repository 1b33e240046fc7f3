internal import MarketData

/// What the dashboard knows of one browser tab: some numbers, and no queue.
struct Client {
  static let panes: UInt8 = 4
  static let largestWindow: Int32 = 1000

  /// A part of the page that shows rows.
  struct Pane {
    var query: RowQuery
    /// Places in the query's order.
    var range: Range<Int32>
    /// What the client was told last.
    var told = RowWindow()
    /// False after it has asked for something, until it is told.
    var isAnswered = false
    var toldTotal = 0
  }

  let viewer: Viewer
  /// The frame that it was given last.
  var cursor: UInt32 = 0
  /// True once it has said hello, as long as it has painted the frame before.
  var isReady = false
  var panes: [UInt8: Pane] = [:]
  /// It has asked for something else than before, so it is due even if nothing happens.
  var wantsMore = false
  /// The symbol whose trades and bars it wants.
  var symbol: Chosen?
  /// When it was told what its accounts are worth, by the run's uptime in nanoseconds, and in which frame.
  var valuedAt: Int64 = .min / 2
  var valuedFrame: UInt32 = 0
  /// Its accounts are worth something else by now.
  var waitsForValues = false

  /// It shows the components and edges of the run.
  var showsRun = false
  /// When it was told of the run, and of the run's numbers; by the run's uptime in nanoseconds.
  var toldRunAt: Int64 = .min / 2
  var toldStatusAt: Int64 = .min / 2
  /// The number of events that it was told.
  var toldEvents = 0
  /// When it was told anything; nil before that.
  var toldAt: Int64?

  struct Chosen {
    let name: String
    /// How many trades of it were told, or left out, so far.
    var toldTrades = 0
    var toldBar: Bar?
  }
}
