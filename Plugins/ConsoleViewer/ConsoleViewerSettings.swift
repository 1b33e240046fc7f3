package import StockbusPlugin
package import StockbusViewing

/// How prices are shown on a terminal.
package enum ScreenMode: String, Choice {
  /// The whole window, with keys.
  case full
  /// A table that is redrawn in place, below earlier output.
  case inline
}

package struct ConsoleViewerSettings: Options {
  @Setting("The whole window with keys, or a table in place below what was printed before.")
  package var screen = ScreenMode.full
  @Setting("Rows of the table; by default as many as fit into the window.", in: 1...1000)
  package var rows: Int?
  @Setting(
    "The columns of the table, from the left: rank, symbol, price, change, percent, high, low, volume, trend, bid, ask, spread, open, updates, time, and those beside the events; by default the first nine and those beside the events.",
    count: 1...)
  package var columns: [Column]?
  @Setting("The column that the table is sorted by; rank is the order of the feed.")
  package var sort = Column.rank
  @Setting("Whether the largest comes first; the default depends on the column.")
  package var descending: Bool?
  @Setting("The colours.")
  package var theme = ThemeName.dark
  @Setting("Lists of symbols by name, each a tab of its own.")
  package var watchlists: Mapping<[Symbol]> = [:]
  @Setting(
    "Symbols of the watchlist at the start, for this run only; without a full screen, only these are shown.", count: 1...)
  package var watch: [Symbol]?
  @Setting(
    "Shows the last prices of the file under 'history' until live ones come, dimmed and with their age: those of 'watch' if it is given, otherwise all."
  )
  package var lastPrices = true
  @Setting("The shortest time between two updates of the screen while prices move.", in: .milliseconds(34) ... .seconds(60))
  package var refresh = Duration.milliseconds(34)
  @Setting("How long a changed price stays highlighted.", in: .zero ... .seconds(60))
  package var flash = Duration.seconds(1)
  @Setting("How long a row must belong in another place before it moves there.", in: .zero ... .seconds(60))
  package var calm = Duration.seconds(1)
  @Setting("Uses the mouse; if false, the terminal's own selection of text works as usual.")
  package var mouse = true
  @Setting("Makes a sound when an alert fires.")
  package var bell = true
  @Setting(
    "The file that keeps the watchlist and the alerts; by default stockbus/console_viewer in XDG_STATE_HOME or ~/.local/state; with - nothing is kept.",
    length: 1...)
  package var state: String?
  @Setting("Prints one line for each event instead of the table, even on a terminal.")
  package var plain = false

  package init() {}

  package var files: [FileUse] { (state ?? ViewerMemory.usualPath).map { [.keeping($0, at: "state")] } ?? [] }

  package func validate(_ problems: inout OptionProblems) {
    if let columns, Set(columns).count != columns.count { problems.add("'columns' names a column twice", at: "columns") }
    if !sort.isSortable { problems.add("the table cannot be sorted by '\(sort.name)'", at: "sort") }
  }
}
