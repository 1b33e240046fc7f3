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
  @Setting("Rows of the table; without it as many as the window has room for.", in: 1...1000)
  package var rows: Int?
  @Setting("The columns of the table, from the left.", count: 1...)
  package var columns = Column.usual
  @Setting("The column that the table is sorted by; rank is the feed's own order.")
  package var sort = Column.rank
  @Setting("The largest first; without it as is usual for the column.")
  package var descending: Bool?
  @Setting("The colours.")
  package var theme = ThemeName.dark
  @Setting("Lists of symbols by name, each a tab of its own.")
  package var watchlists: Mapping<[Symbol]> = [:]
  @Setting(
    "Symbols to begin with, as the watchlist of this run only; where there is no full screen, nothing else is shown.", count: 1...)
  package var watch: [Symbol]?
  @Setting(
    "Begins with the last prices that the file under 'history' knows, dimmed and with their age, until a live one comes: those of 'watch' if it is given, otherwise all."
  )
  package var lastPrices = true
  @Setting("The shortest time between two drawings while prices move.", in: .milliseconds(34) ... .seconds(60))
  package var refresh = Duration.milliseconds(34)
  @Setting("How long a price that moved stays marked.", in: .zero ... .seconds(60))
  package var flash = Duration.seconds(1)
  @Setting("How long a row must be due for another place before it moves there.", in: .zero ... .seconds(60))
  package var calm = Duration.seconds(1)
  @Setting("Listens to the mouse; otherwise the terminal's own selection of text works as usual.")
  package var mouse = true
  @Setting("Makes a sound when an alert fires.")
  package var bell = true
  @Setting(
    "The file that keeps the watchlist and the alerts; without it stockbus/console_viewer in XDG_STATE_HOME or ~/.local/state; - keeps nothing.",
    length: 1...)
  package var state: String?
  @Setting("Prints a line an event even on a terminal, instead of the table.")
  package var plain = false

  package init() {}

  package var files: [FileUse] { (state ?? ViewerMemory.usualPath).map { [.keeping($0, at: "state")] } ?? [] }

  package func validate(_ problems: inout OptionProblems) {
    if Set(columns).count != columns.count { problems.add("'columns' names a column twice", at: "columns") }
    if !sort.isSortable { problems.add("the table cannot be sorted by '\(sort.rawValue)'", at: "sort") }
  }
}
