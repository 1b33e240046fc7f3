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

  /// The frame that it was given last.
  var cursor: UInt32 = 0
  /// True once it has said hello, as long as it has painted the frame before.
  var isReady = false
  var panes: [UInt8: Pane] = [:]
  /// It has asked for something else than before, so it is due even if nothing happens.
  var wantsMore = false
}
