import ArgumentParser
import StockbusConfig
import StockbusInstruments
import StockbusPlugin

struct ListInstruments: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "instruments",
      abstract: "List or search the instruments of a configuration.",
      discussion: """
        Without words it lists all of them. Words are searched in symbols, names and industries, in any case; the best matches come \
        first. Arguments that end in .yaml or .yml, or that are folders, are configurations (by default plugins.yaml).

        With --sessions it shows when an instrument is traded in the week of a date, by the clock of its exchange and in UTC.

          \(Program.name) instruments rocket Examples/instruments.yaml
          \(Program.name) instruments ACME --sessions 2024-11-29 Examples/instruments.yaml
          \(Program.name) instruments --format csv desk.yaml
        """)
  }

  @Argument(help: "Words to look for, and configurations.", completion: .file(extensions: ["yaml", "yml"]))
  var words: [String] = []

  @ArgumentParser.Option(help: "How to print them.")
  var format = PrintFormat.table

  @ArgumentParser.Option(
    parsing: .unconditional, help: ArgumentHelp("Ends after this many instruments.", valueName: "lines"),
    transform: NumberArgument.of(1...Int.max))
  var limit: Int?

  @ArgumentParser.Option(
    help: ArgumentHelp("Show the sessions of this date's week, of the instrument with this symbol.", valueName: "date"))
  var sessions: String?

  private var configs: [String] { words.filter(WatchPlan.isConfiguration) }
  private var search: [String] { words.filter { !WatchPlan.isConfiguration($0) } }

  func validate() throws {
    guard let sessions else { return }
    _ = try Self.date(sessions)
    if limit != nil { throw ValidationError("--sessions is for one instrument, so it cannot be combined with --limit") }
    if search.count != 1 { throw ValidationError("--sessions needs one symbol, as in 'ACME --sessions \(visible(sessions))'") }
  }

  private static func date(_ text: String) throws -> TradingDate {
    do throws(OptionTextError) { return try TradingDate(option: text) } catch {
      throw ValidationError("--sessions must be a date such as 2024-11-29, got \(shown(text))")
    }
  }

  func run() throws {
    let instruments = try config.topology().instruments
    if instruments.isEmpty {
      StandardError.write("there are no instruments: \(listed(config.configs.map { shown($0) })) has none under 'instruments'")
    }
    if let sessions { return try show(sessions: Self.date(sessions), of: search[0], in: instruments) }
    let words = search.joined(separator: " ")
    let places = words.isEmpty ? Array(instruments.all.indices) : instruments.search(words, limit: limit ?? .max)
    let found = places.prefix(limit ?? .max).map { instruments.all[$0] }
    if found.isEmpty, !instruments.isEmpty { StandardError.write("no instrument matches \(shown(words))") }
    try write(InstrumentText.lines(found, format, width: PageWidth.ofTerminal))
  }

  private func write(_ lines: [String]) throws {
    if !lines.isEmpty { try StandardOutput.write(lines.joined(separator: "\n")) }
  }

  private var config: ConfigArguments {
    var arguments = ConfigArguments()
    arguments.configs = configs.isEmpty ? [ConfigLoader.usual] : configs
    return arguments
  }

  private func show(sessions date: TradingDate, of name: String, in instruments: Instruments) throws {
    guard Symbol.fault(in: name) == nil, let instrument = instruments[try Symbol(name)] else {
      let near = instruments.search(name, limit: 1).first.map { "; did you mean \(shown(instruments.all[$0].symbol.description))?" }
      throw ValidationError("there is no instrument \(shown(name))\(near ?? "")")
    }
    guard let calendar = instruments.calendar(for: instrument.symbol) else {
      throw ValidationError("\(shown(name)) has no calendar")
    }
    try write(SessionText.lines(ofWeek: date, calendar, format, width: PageWidth.ofTerminal))
  }
}
