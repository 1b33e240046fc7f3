internal import EventBus
internal import MarketData
@testable import StockbusExpressions

extension Target {
  /// Every text gives an expression or an error with a location. Its verdicts on events agree with the slow model, for single events and in
  /// batches.
  static let expressions = Target(
    "expressions", "conditions over an event's fields", limit: 512,
    words: [
      "price", "size", "percent", "rank", "count", "time", "received", "side", "mood", "previous", "sole", "note", "symbol", "other",
      " and ",
      " or ", "not ", " in [", " not in [", " matches ", "\"*a?\"", "==", "!=", "<=", ">=", "abs(", "min(", "max(", "true", "false", "AAPL",
      "\"BRK.B\"", "buy", "wild", "1.5%", "250ms", "1h30m", "2013-10-08T13:30:00Z", "1e9", "0.000000001", "9223372036.854775807",
      "\\u{71}", " - ", " + ", " * ", " / ", "(price)", "(5)", "sma(", "highest(", "vwap(", "prev(", "rsi(", "zscore(", "macd(", "since(",
      "crosses_above(", ", 20)", ", 5m)", "session)",
      "first 15m)",
    ], budget: 300
  ) { bytes in
    let written = text(bytes)
    do throws(ExpressionError) {
      let expression = try Expression<Reading>(written)
      try check(expression)
    } catch { check(error, written) }
    do throws(ExpressionError) {
      let expression = try Expression<Trade>(written)
      _ = expression.matches(Trade.schema.example)
    } catch { check(error, written) }
    do throws(ExpressionError) {
      let expression = try Expression<Reading>(written, in: .withMemory)
      if expression.hasMemory { checkMemory(expression) }
    } catch { check(error, written) }
    switch ExpressionDraft<Reading>(written) {
    case .empty: law(written.utf8.allSatisfy { $0 == 32 || $0 == 9 }, "empty, and yet something")
    case .ready: law((try? Expression<Reading>(written)) != nil, "a draft that is ready is an expression")
    case .incomplete(let error):
      law(error.isIncomplete, "incomplete")
      check(error, written)
    case .wrong(let error):
      law(!error.isIncomplete, "wrong")
      check(error, written)
    }
  }

  private static func check(_ error: ExpressionError, _ written: String) {
    let count = written.unicodeScalars.count
    law(error.range.lowerBound >= 0 && error.range.upperBound <= count, "the error \(error) lies outside of the text")
    law(!error.message.isEmpty && error.message.count < 700 && isPlain(error.message), "the message is one line: \(error.message)")
    law(error.marked.split(separator: "\n", omittingEmptySubsequences: false).count == 2, "a line and its mark: \(error.marked)")
  }

  private static func check(_ expression: Expression<Reading>) throws(ExpressionError) {
    // Its canonical form gives the same expression.
    let plain = expression.description
    if plain.utf8.count <= ExpressionLimits.length {
      let again = try Expression<Reading>(plain)
      law(again.description == plain, "'\(plain)' is read as '\(again.description)'")
    }
    let tree = try Parser.parse(expression.text)
    var alone: [Verdict] = []
    for event in readings {
      let verdict = expression.verdict(of: event)
      alone.append(verdict)
      guard isForModel(tree) else { continue }
      let truth = Model(event: event).truth(tree)
      let expected: Verdict = truth.map { $0 ? .yes : .no } ?? .undecided
      law(verdict == expected, "'\(plain)' is \(verdict) of \(event), and the model says \(expected)")
    }
    var runner = ExpressionRunner(expression)
    var together: [Verdict] = []
    runner.judge(readings.span) { _, verdicts in for i in verdicts.indices { together.append(verdicts[i]) } }
    law(together == alone, "'\(plain)' judges a run as it judges events")
  }

  /// Functions over earlier events are an error for single events, and batches make no difference.
  private static func checkMemory(_ expression: Expression<Reading>) {
    law((try? Expression<Reading>(expression.text)) == nil, "'\(expression)' has memory, and is taken for single events")
    var together = ExpressionRunner(expression)
    var alone = ExpressionRunner(expression)
    var verdicts: ([Verdict], [Verdict]) = ([], [])
    let events = readings + readings + readings
    together.judge(events.span) { _, chunk in for i in chunk.indices { verdicts.0.append(chunk[i]) } }
    for event in events {
      let batch = [event]
      alone.judge(batch.span) { _, chunk in verdicts.1.append(chunk[0]) }
    }
    law(verdicts.0 == verdicts.1, "'\(expression)' judges batches otherwise than events")
  }

  /// False if the model would take too long, or if its arithmetic, which does not check that, would overflow.
  private static func isForModel(_ tree: Syntax) -> Bool {
    switch tree.kind {
    case .match(_, let pattern, _): if case .string(let glob) = pattern.kind { glob.count { $0 == "*" } < 5 } else { false }
    case .word, .string, .number, .percent, .duration, .time, .opening, .bool: true
    case .negate(let inner), .not(let inner): isForModel(inner)
    case .arithmetic(_, let left, let right): isForModel(left) && isForModel(right)
    case .call(_, let parts), .comparison(let parts, _), .all(let parts), .any(let parts): parts.allSatisfy(isForModel)
    case .membership(let item, let list, _): isForModel(item) && list.allSatisfy(isForModel)
    }
  }

  private static let readings: [Reading] = [
    Reading.schema.example,
    .with {
      $0.symbol = "BRK.B"
      $0.price = Price(raw: .max)
      $0.size = Quantity(raw: .max)
      $0.percent = Percent(raw: .min)
      $0.rank = .max
      $0.count = .min
      $0.time = Timestamp(ns: .min)
      $0.received = Timestamp(ns: .max)
    },
    .with {
      $0.price = 0
      $0.size = 0
      $0.percent = 0
      $0.rank = 0
      $0.count = 0
      $0.time = Timestamp(ns: 0)
      $0.received = Timestamp(ns: 0)
      $0.side = .unknown
      $0.mood = .wild
      $0.note = ""
    },
    .with {
      $0.other = "AAPL"
      $0.price = Price(raw: -1)
      $0.size = Quantity(raw: 1)
      $0.percent = Percent(raw: -1_500_000_000)
      $0.previous = .calm
      $0.note = "calm"
    },
  ]
}
