package import StockbusInstruments
package import StockbusPlugin
internal import StockbusViewing

/// The settings of one rule: its symbols, one condition, and how often it may fire.
package struct RuleSettings: Options {
  /// What a threshold is compared with.
  package enum Measure: String, Choice {
    case price, change, percent
  }

  /// In what a rule fires at most once.
  package enum Period: String, Choice {
    case session
  }

  /// What a change counts from.
  package enum Since: String, Choice {
    case firstPrice, previousClose
  }

  @Setting("The rule's name; by default its condition, such as 'AAPL crosses_above 200'.", length: 1...100)
  package var name: String?
  @Setting("The only symbol that the rule is about.")
  package var symbol: Symbol?
  @Setting(
    "The symbols that the rule is about, each checked by itself: names, and patterns with * and ?. Without 'symbol' and 'symbols' it is about all symbols.",
    count: 1...10_000)
  package var symbols: [String]?
  @Setting(
    "The value that 'above', 'below' and the crossings compare: the price, or its change or per cent since the beginning of the window, "
      + "or without a window since the first price or the previous close ('since').")
  package var of = Measure.price
  @Setting(
    "The reference of changes: the first price, or the previous close, which for the first trading date comes from the file under 'history'; without a known close it is the first price of the date."
  )
  package var since = Since.firstPrice
  @Setting("Fires while the value is above this.")
  package var above: Move?
  @Setting("Fires while the value is below this.")
  package var below: Move?
  @Setting("Fires when the value rises above this.")
  package var crossesAbove: Move?
  @Setting("Fires when the value falls below this.")
  package var crossesBelow: Move?
  @Setting("Fires while the price is this much above the lowest one in the window, or above the previous close.")
  package var risesBy: Move?
  @Setting("Fires while the price is this much below the highest one in the window, or below the previous close.")
  package var fallsBy: Move?
  @Setting(
    "Fires while this condition is true; it may look at earlier events, as in crosses_above(sma(close, 20), sma(close, 50)). Every event of the inputs is judged, also those whose price does not count."
  )
  package var when: ConditionText?
  @Setting(
    "Fires when no event of a symbol has been received for this long, by the times of receipt; also for symbols that never come, if 'symbol' or 'symbols' names them. What a calendar says is closed does not count.",
    in: .nanoseconds(1) ... .seconds(604_800))
  package var silentFor: Duration?
  @Setting(
    "For 'silent_for': which sessions of an instrument with a calendar count, all (pre, regular, post) or regular ones only; by default as the component's 'sessions' says."
  )
  package var sessions: CountedSessions?
  @Setting(
    "Fires only when the condition has been true for this long without a break, also if nothing more comes meanwhile. Not for crossings.",
    in: .nanoseconds(1) ... .seconds(31_622_400))
  package var `for`: Duration?
  @Setting(
    "How far back prices are compared, by the events' own times; by default back to the start.",
    in: .nanoseconds(1) ... .seconds(31_622_400)
  )
  package var window: Duration?
  @Setting(
    "How far the value must move back across the threshold before the rule can fire again; a percentage is a share of the threshold.")
  package var rearm: Move?
  @Setting("Before the rule can fire again this condition must have been true; by default the rule's own condition must have been false.")
  package var rearmWhen: ConditionText?
  @Setting("How long the rule does not fire again for the same symbol.", in: .zero ... .seconds(31_622_400))
  package var cooldown = Duration.zero
  @Setting("Fires again at this interval while the condition is true; not for crossings.", in: .nanoseconds(1) ... .seconds(31_622_400))
  package var remind: Duration?
  @Setting(
    "Sends an alert with the status resolved, and the id of the alert that has fired, when that is over: when the rule is armed again, or expires."
  )
  package var resolve = false
  @Setting("Fires once for each symbol, and never again.")
  package var once = false
  @Setting("Fires at most once for each symbol in a session: the trading date of its calendar, or a day in the zone of the run.")
  package var oncePer: Period?
  @Setting("Fires even if the condition is already true at a symbol's first price, or when 'when' is first decided.")
  package var initial = false
  @Setting("The time after which the rule does not fire; with 'resolve' its alerts are over then.")
  package var expires: Timestamp?
  @Setting("False disables it; a command can enable it.")
  package var enabled = true
  @Setting("Is delivered in quiet hours too.")
  package var urgent = false
  @Setting("The names of the channels that deliver its alerts; by default all.", count: 1...100)
  package var channels: [String]?
  @Setting(
    "The dashboard account that owns the rule: only this account sees its alerts on the page, and no channel delivers them. The rule's name is @OWNER NAME.",
    length: 1...32)
  package var owner: String?
  @Setting(
    "The text of the alert, with {rule}, {symbol}, {price}, {time}, {threshold}, {reference}, {change}, {percent}.", length: 1...1000)
  package var message: String?

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    let conditions = conditions
    let names = conditions.map(\.kind.rawValue) + (when == nil ? [] : ["when"]) + (silentFor == nil ? [] : ["silent_for"])
    if names.isEmpty {
      problems.add("a rule needs one of \(Condition.Kind.list), 'when', 'silent_for'", at: name == nil ? nil : "name")
    } else if names.count > 1 {
      problems.add("a rule has one condition, not \(names.map { "'\($0)'" }.joined(separator: " and "))", at: names[1])
    }
    if let owner, owner.contains(where: \.isWhitespace) { problems.add("'owner' is a name without spaces", at: "owner") }
    if owner != nil, channels != nil { problems.add("either 'owner' or 'channels', not both", at: "channels") }
    if owner == nil, name?.hasPrefix("@") == true { problems.add("a name begins with '@' only if the rule has an 'owner'", at: "name") }
    if symbol != nil, symbols != nil { problems.add("either 'symbol' or 'symbols', not both", at: "symbols") }
    for (i, text) in (symbols ?? []).enumerated() {
      if let fault = Glob.fault(in: text) { problems.add("'symbols': \(fault)", at: "symbols", item: i) }
    }
    if let message {
      do throws(TemplateError) { _ = try NotificationTemplate(message, NotificationTemplate.ruleNames) } catch {
        problems.add("'message': \(error)", at: "message")
      }
    }
    if let condition = conditions.first, names.count == 1 { validate(condition, &problems) }
    if when != nil { validateWhen(&problems) }
    if silentFor != nil { validateSilence(&problems) }
    validateTime(&problems)
    validateFiring(&problems)
  }

  private func validateWhen(_ problems: inout OptionProblems) {
    if of != .price { problems.add("'of' is for \(Condition.Kind.levels), not for 'when'", at: "of") }
    if since != .firstPrice { problems.add("'since' is for changes, not for 'when'", at: "since") }
    if window != nil { problems.add("'window' is for changes; a function of 'when' has its own, as in highest(price, 5m)", at: "window") }
    if rearm != nil { problems.add("'rearm' moves a threshold, which 'when' does not have; write 'rearm_when'", at: "rearm") }
    if owner != nil { problems.add("'when' is not for a rule with an 'owner'", at: "when") }
  }

  private func validateSilence(_ problems: inout OptionProblems) {
    let unused: [(option: String, isSet: Bool)] = [
      ("of", of != .price), ("since", since != .firstPrice), ("window", window != nil), ("rearm", rearm != nil),
      ("rearm_when", rearmWhen != nil), ("remind", remind != nil), ("initial", initial), ("for", self.for != nil),
    ]
    for (option, isSet) in unused where isSet {
      problems.add("'\(option)' is not for 'silent_for', which ends with the next event", at: option)
    }
  }

  /// Checks what depends on the time that passes.
  private func validateTime(_ problems: inout OptionProblems) {
    if sessions != nil, silentFor == nil {
      problems.add("'sessions' of a rule is for 'silent_for'; for windows such as session it is an option of the component", at: "sessions")
    }
    if self.for != nil, let condition, condition.isCrossing {
      problems.add("'for' is for a condition that lasts; write '\(condition.kind == .crossesAbove ? "above" : "below")'", at: "for")
    }
    if resolve, once { problems.add("a rule with 'once' is never armed again, so 'resolve' has no effect", at: "resolve") }
  }

  /// Checks how often the rule may fire.
  private func validateFiring(_ problems: inout OptionProblems) {
    for (option, text) in expressions {
      if let fault = text.syntaxFault(option) { problems.add(fault) }
    }
    if rearmWhen != nil {
      if rearm != nil { problems.add("either 'rearm' or 'rearm_when', not both", at: "rearm_when") }
      if once { problems.add("a rule with 'once' is never armed again, so 'rearm_when' has no effect", at: "rearm_when") }
      if remind != nil { problems.add("'remind' fires again without being armed; either it or 'rearm_when', not both", at: "rearm_when") }
      if owner != nil { problems.add("'rearm_when' is not for a rule with an 'owner'", at: "rearm_when") }
    }
    if let oncePer {
      if once { problems.add("either 'once' or 'once_per', not both", at: "once_per") }
      if remind != nil { problems.add("either 'remind' or 'once_per: \(oncePer.rawValue)', not both", at: "once_per") }
    }
  }

  private func validate(_ condition: Condition, _ problems: inout OptionProblems) {
    let key = condition.kind.rawValue
    if condition.isMove {
      if condition.level.raw <= 0 { problems.add("'\(key)' must be more than zero", at: key) }
      if of != .price { problems.add("'of' is for \(Condition.Kind.levels); '\(key)' compares a change by itself", at: "of") }
    } else {
      if of == .percent, !condition.level.isPercent {
        problems.add("'\(key)' must be a percentage such as 5%, as 'of' is percent", at: key)
      }
      if of != .percent, condition.level.isPercent {
        problems.add("'\(key)' must be an amount, as 'of' is \(of.rawValue); for a percentage write of: percent", at: key)
      }
      if of == .price, window != nil {
        problems.add("'window' is for changes: 'rises_by', 'falls_by', of: change, of: percent", at: "window")
      }
    }
    if since == .previousClose {
      if window != nil { problems.add("either 'since' or 'window', not both", at: "since") }
      if of == .price, !condition.isMove {
        problems.add("'since' is for changes: 'rises_by', 'falls_by', of: change, of: percent", at: "since")
      }
    }
    if let rearm {
      if rearm.raw < 0 { problems.add("'rearm' must not be negative", at: "rearm") }
      if condition.isPercent(of: of), !rearm.isPercent {
        problems.add("'rearm' must be a percentage, because the threshold is one", at: "rearm")
      }
    }
    if remind != nil, condition.isCrossing {
      problems.add("'remind' is not for a crossing, which fires once when it happens", at: "remind")
    }
    if remind != nil, once { problems.add("either 'remind' or 'once', not both", at: "remind") }
  }
}

extension RuleSettings {
  /// The condition of a rule.
  struct Condition: Hashable, Sendable, Codable {
    enum Kind: String, CaseIterable, Sendable, Codable {
      case above, below
      case crossesAbove = "crosses_above"
      case crossesBelow = "crosses_below"
      case risesBy = "rises_by"
      case fallsBy = "falls_by"

      static var list: String { allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") }
      static var levels: String { allCases.prefix(4).map { "'\($0.rawValue)'" }.joined(separator: ", ") }
    }

    let kind: Kind
    let level: Move

    init(_ kind: Kind, _ level: Move) {
      self.kind = kind
      self.level = level
    }

    var isCrossing: Bool { kind == .crossesAbove || kind == .crossesBelow }
    var isMove: Bool { kind == .risesBy || kind == .fallsBy }
    /// True if the threshold is in per cent.
    func isPercent(of measure: Measure) -> Bool { isMove ? level.isPercent : measure == .percent }
  }

  var conditions: [Condition] {
    let written: [(Condition.Kind, Move?)] = [
      (.above, above), (.below, below), (.crossesAbove, crossesAbove), (.crossesBelow, crossesBelow), (.risesBy, risesBy),
      (.fallsBy, fallsBy),
    ]
    return written.compactMap { kind, level in level.map { Condition(kind, $0) } }
  }

  var condition: Condition? { conditions.first }

  /// True if the rule has to do something at a time at which no event comes.
  var needsTime: Bool { self.for != nil || silentFor != nil || (resolve && expires != nil) }

  /// Its conditions that are expressions, by their options.
  var expressions: [(option: String, text: ConditionText)] {
    [("when", when), ("rearm_when", rearmWhen)].compactMap { option, text in text.map { (option, $0) } }
  }

  /// The symbols it applies to; nil for all.
  var choice: SymbolChoice? { symbol.map { SymbolChoice(only: $0) } ?? symbols.map { SymbolChoice($0) } }

  /// The symbols it names, each with its location in the settings.
  var namedSymbols: [NamedSymbol] {
    (symbol.map { [NamedSymbol($0.description, in: "symbol")] } ?? [])
      + (symbols ?? []).enumerated().map { NamedSymbol($1, in: "symbols", item: $0) }
  }

  /// Its name, or a description of its condition; behind its owner.
  var effectiveName: String { RuleOwner(name: owner, title: title).rule }

  /// What its owner calls it.
  var title: String {
    if let name { return name }
    let subject = symbol?.description ?? symbols.map { $0.prefix(3).joined(separator: ",") + ($0.count > 3 ? ",…" : "") } ?? "*"
    let what = of == .price ? "" : " \(of.rawValue)"
    let span = window.map { " in \($0.optionText)" } ?? (since == .previousClose ? " since previous_close" : "")
    var title = subject + what
    if let condition { title += " \(condition.kind.rawValue) \(condition.level)" } else if let when { title += " when \(when.text)" }
    if let silentFor { title += " silent_for \(silentFor.optionText)" }
    title += span
    if let hold = self.for { title += " for \(hold.optionText)" }
    return title
  }
}
