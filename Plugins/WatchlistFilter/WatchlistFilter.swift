internal import StockbusFiles
public import StockbusPlugin

extension Plugin {
  /// Passes the events of some symbols.
  public static let watchlistFilter = Plugin(
    "watchlist_filter", "Passes only the events of the listed symbols.", WatchlistFilterPlugin.self,
    hot: [
      .processor(WatchlistFilter<Trade>.self), .processor(WatchlistFilter<Quote>.self), .processor(WatchlistFilter<Bar>.self),
      .processor(WatchlistFilter<Ranked>.self),
    ]
  ).example("symbols: [AAPL, NVDA]")
}

enum WatchlistFilterPlugin: SymbolEventPlugin {
  static func bind<E: SymbolEvent>(_: E.Type) -> Blueprint { .processor(WatchlistFilter<E>.self) }
}

package struct WatchlistSettings: Options {
  @Setting("The symbols to pass; * stands for any text and ? for one character, as in BRK.*.")
  package var symbols: [String] = []
  @Setting(
    "A file with more symbols, one on each line; blank lines, and text after a #, are ignored. It is read again when it changes; a pipe is read once, to its end.",
    length: 1...)
  package var file: String?
  @Setting("How often the file is checked for changes.", in: .milliseconds(10) ... .seconds(3600))
  package var check = Duration.seconds(1)
  @Setting("Passes all symbols except the listed ones.")
  package var invert = false

  package init() {}

  package var files: [FileUse] { file.map { [.reading($0, at: "file")] } ?? [] }

  package func validate(_ problems: inout OptionProblems) {
    if symbols.isEmpty, file == nil { problems.add("'symbols' or 'file' is needed", at: "symbols") }
    for (i, pattern) in symbols.enumerated() {
      if let reason = WatchlistMatcher.fault(in: pattern) { problems.add("'symbols': '\(pattern)': \(reason)", at: "symbols", item: i) }
    }
  }
}

/// Passes the events of a list of symbols, whatever their type.
///
/// A symbol is looked up by its handle in a table of verdicts; patterns are matched once for each symbol.
package actor WatchlistFilter<E: SymbolEvent>: Processor, BackgroundComponent, ExplainingComponent {
  private let settings: WatchlistSettings
  private let context: Context
  private var watchlist: WatchlistMatcher
  /// The file's attributes when it was last read.
  private var known: FileStamp?

  package static func namedSymbols(_ settings: WatchlistSettings) -> [NamedSymbol] {
    settings.symbols.enumerated().map { NamedSymbol($1, in: "symbols", item: $0) }
  }

  package static func fault(in file: FileUse, _ settings: WatchlistSettings) -> String? { WatchlistMatcher.fault(inFile: file.path) }

  package init(_ settings: WatchlistSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    watchlist = WatchlistMatcher(settings.symbols, invert: settings.invert, after: context.recall(ExpectedSymbols.memory))
  }

  package func keepMemory() { context.remember(watchlist.expectedSymbols, ExpectedSymbols.memory) }

  package func stop() { keepMemory() }

  /// The entries read from a pipe, which can be read only once.
  private static var pipe: MemoryKey<[String]> { MemoryKey("pipe", whenOptionsChange: .drop) }

  package static func carryOver(_ old: Memory, from before: WatchlistSettings, to after: WatchlistSettings, into memory: Memory) {
    if before.file == after.file { memory[pipe] = old[pipe] }
  }

  package func handOver(into output: inout Outlet<E>) {}

  package func drain(into output: inout Outlet<E>) { context.note(watchlist.expectedSymbols) }

  package func start() async throws {
    guard let path = settings.file else { return }
    if InputDescriptor.isStream(path) {
      // In a second instance the pipe is already empty.
      let entries = if let known = context.recall(Self.pipe) { known } else { try await WatchlistPipe().read(path) }
      context.remember(entries, Self.pipe)
      take(entries)
    } else {
      // Taken before reading, so that a change during the read is noticed.
      known = FileStamp(path: path)
      try load(path)
    }
  }

  package func process(_ events: Span<E>, into output: inout Outlet<E>) {
    // One access to the actor's state for each batch: an exclusivity check for each event would cost more than the look-up.
    watchlist.pass(events, into: &output)
  }

  package static func columns(_ settings: WatchlistSettings, reading columns: ColumnLayout) -> ColumnLayout { columns }

  package func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation] {
    let listing = WatchlistMatcher.listing(symbol, in: settings.symbols)
    let isListed = watchlist.lists(symbol)
    let verdict: Explanation.Verdict = isListed != settings.invert ? .passes : .filters
    let place = settings.invert ? OptionPlace("invert") : nil
    let more = settings.invert ? ", and 'invert' passes the others" : ""
    if let listing {
      let entry = settings.symbols[listing]
      let how = WatchlistMatcher.isPattern(entry) ? "\(shown(entry)) in 'symbols' matches it" : "'symbols' lists it"
      return [Explanation(verdict, how + more, by: place ?? OptionPlace("symbols", item: listing))]
    }
    let file = settings.file.map { " \(shown($0))" } ?? ""
    if isListed { return [Explanation(verdict, "the file\(file) lists it" + more, by: place ?? OptionPlace("file"))] }
    let reason =
      settings.file == nil
      ? "'symbols' does not list it"
      : settings.symbols.isEmpty ? "the file\(file) does not list it" : "neither 'symbols' nor the file\(file) lists it"
    return [Explanation(verdict, reason + more, by: place ?? OptionPlace(settings.symbols.isEmpty ? "file" : "symbols"))]
  }

  /// Reads the file again when it changes. If it is missing or unreadable, the list stays as it was.
  package func background() async {
    guard let path = settings.file, known != nil else { return }
    while (try? await context.clock.sleep(for: settings.check)) != nil {
      let stamp = FileStamp(path: path)
      if stamp == known { continue }
      known = stamp
      do {
        try load(path)
        context.logger.info("watchlist read again: \(watchlist.count) entries")
      } catch {
        context.logger.warning("\(error); the watchlist is unchanged")
      }
    }
  }

  private func load(_ path: String) throws(WatchlistError) {
    take(try WatchlistMatcher.read(path))
  }

  private func take(_ entries: [String]) {
    watchlist = WatchlistMatcher(settings.symbols + entries, invert: settings.invert, after: watchlist.expectedSymbols)
    context.counter("reloads", "Times the file was read.").add(1)
  }
}
