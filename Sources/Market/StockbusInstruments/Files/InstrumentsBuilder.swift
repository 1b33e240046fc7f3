internal import StockbusFiles
package import StockbusPlugin

/// Collects calendars and instruments from the pieces of a configuration and from files, with all problems.
///
/// Add calendars first, because instruments name them.
package struct InstrumentsBuilder {
  package private(set) var problems = Problems()
  /// Warnings about contents that are allowed but probably unintended, one line each with its place: `instruments.csv:1:20: warning: …`.
  package private(set) var warnings: [String] = []

  private var instruments: [Instrument] = []
  /// The place at which each symbol was first given.
  private var marks: [Symbol: ConfigNode.Mark] = [:]
  private var calendars: [String: TradingCalendar] = [:]
  private var calendarOrder: [String] = []
  private var calendarMarks: [String: ConfigNode.Mark] = [:]
  private var isFull = false
  /// The problems reported so far. A node with several aliases is read several times.
  private var reported: Set<Problem> = []

  package init() {}

  /// The instruments and calendars added. If there are problems, the parts that they concern are missing.
  package consuming func finish() -> Instruments { Instruments(instruments, calendars: calendarOrder.compactMap { calendars[$0] }) }

  /// Adds a problem once, up to a limit.
  package mutating func report(_ message: String, at mark: ConfigNode.Mark) {
    guard reported.count < InstrumentLimits.problems, reported.insert(Problem(message, at: mark)).inserted else { return }
    problems.add(message, at: mark)
    if reported.count == InstrumentLimits.problems { problems.add("too many problems; the rest is not shown", at: mark) }
  }

  mutating func warn(_ message: String, at mark: ConfigNode.Mark) {
    if warnings.count < InstrumentLimits.problems { warnings.append("\(mark.place): warning: \(message)") }
  }

  // MARK: Calendars

  /// Adds calendars: a mapping of names to calendars.
  package mutating func add(calendars node: ConfigNode) {
    guard case .map(let entries) = node.value else {
      return report("calendars must be a mapping of names to calendars, got \(node.kind)", at: node.mark)
    }
    for entry in entries { add(entry.key, entry.value, at: entry.mark) }
  }

  private mutating func add(_ name: String, _ node: ConfigNode, at mark: ConfigNode.Mark) {
    let title = "calendar \(shown(name))"
    if let mistake = Self.mistake(in: name) { return report("\(title): \(mistake)", at: mark) }
    if let first = calendarMarks[name] { return report("\(title): the name is given twice, first at \(first.place)", at: mark) }
    if calendarMarks.count >= InstrumentLimits.calendars {
      if calendarMarks.count == InstrumentLimits.calendars {
        report("there are more than \(InstrumentLimits.calendars) calendars, the limit", at: mark)
      }
      calendarMarks[name] = mark
      return
    }
    calendarMarks[name] = mark
    do throws(Problems) {
      let options = try CalendarOptions.decode(node, at: mark)
      do throws(ZoneProblem) {
        calendars[name] = try options.calendar(name)
        calendarOrder.append(name)
      } catch { report("\(title): \(error.message)", at: mark) }
    } catch {
      for problem in error.redacted(node).list { report("\(title): \(problem.message)", at: problem.mark) }
    }
  }

  /// The error in a calendar's name; nil if the name is valid.
  private static func mistake(in name: String) -> String? {
    if TradingCalendar.builtInNames.contains(name) { return "this calendar is built in; choose another name" }
    let isPlain = name.utf8.allSatisfy { ($0 | 32) &- 97 < 26 || $0 &- 45 < 13 || $0 == 95 }
    if isPlain, !name.isEmpty, name.utf8.count <= InstrumentLimits.text { return nil }
    return "a name has letters, digits, '_', '-', '.' and '/', at most \(InstrumentLimits.text) of them"
  }

  // MARK: Instruments

  /// Begins an instrument. Returns nil after reporting an error in its symbol.
  mutating func begin(_ name: String, shown text: String, at mark: ConfigNode.Mark) -> Instrument? {
    let symbol: Symbol
    do throws(TextError) { symbol = try Symbol(name) } catch {
      report("'symbol' must be a symbol, got \(text): \(error.reason)", at: mark)
      return nil
    }
    if let first = marks[symbol] {
      report("the symbol \(text) is given twice, first at \(first.place)", at: mark)
      return nil
    }
    marks[symbol] = mark
    return Instrument(symbol)
  }

  /// Adds an instrument that `begin` has created.
  mutating func add(_ instrument: Instrument, at mark: ConfigNode.Mark) {
    if instruments.count < InstrumentLimits.instruments {
      instruments.append(instrument)
    } else if !isFull {
      isFull = true
      report("there are more than \(InstrumentLimits.instruments) instruments, the limit", at: mark)
    }
  }

  /// Sets a field from its text, which messages show as `text`.
  mutating func set(
    _ field: InstrumentField, of instrument: inout Instrument, to value: String, shown text: String, isFromVariable: Bool = false,
    at mark: ConfigNode.Mark
  ) {
    do throws(OptionTextError) { try field.set(&instrument, value) } catch {
      return report(Self.message(field.name, field.phrase, text, error, isFromVariable), at: mark)
    }
    if field.name == "calendar" { find(value, shown: text, isFromVariable, at: mark) }
  }

  /// Adds a split, which messages show as `text`.
  mutating func add(
    split value: String, to instrument: inout Instrument, shown text: String, isFromVariable: Bool = false, at mark: ConfigNode.Mark
  ) {
    let split: Split
    do throws(OptionTextError) { split = try Split(option: value) } catch {
      return report(Self.message("splits", Split.optionType.phrase, text, error, isFromVariable), at: mark)
    }
    if instrument.splits.contains(where: { $0.date == split.date }) {
      return report("'splits': there are two splits on \(split.date)", at: mark)
    }
    guard instrument.splits.count < InstrumentLimits.splits else {
      return report("'splits': more than \(InstrumentLimits.splits) splits, the limit", at: mark)
    }
    let place = instrument.splits.firstIndex { $0.date > split.date } ?? instrument.splits.count
    instrument.splits.insert(split, at: place)
  }

  private static func message(
    _ name: String, _ phrase: String, _ text: String, _ error: OptionTextError, _ isFromVariable: Bool
  ) -> String {
    "'\(name)' must be \(phrase), got \(text)" + (error.mayRepeatText && isFromVariable ? "" : error.suffix)
  }

  /// Checks that there is a calendar with this name, and creates it if it is built in.
  private mutating func find(_ name: String, shown text: String, _ isFromVariable: Bool, at mark: ConfigNode.Mark) {
    // A calendar with problems has been reported.
    if calendars[name] != nil || calendarMarks[name] != nil { return }
    do throws(ZoneProblem) {
      if let builtIn = try TradingCalendar.builtIn(name) {
        calendars[name] = builtIn
        calendarOrder.append(name)
        return
      }
    } catch {
      // Reported once.
      calendarMarks[name] = mark
      return report("'calendar': \(text): \(error.message)", at: mark)
    }
    let known = calendarMarks.keys.sorted() + TradingCalendar.builtInNames
    let near = isFromVariable ? "" : didYouMean(name, among: known)
    report("'calendar': there is no calendar \(text)" + (near.isEmpty ? "; there are \(listed(known.sorted()))" : near), at: mark)
  }
}
