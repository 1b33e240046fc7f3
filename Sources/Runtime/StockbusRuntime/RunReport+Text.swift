internal import StockbusPlugin

extension RunReport: CustomStringConvertible {
  /// The ledger, the speed and the errors, for people. The last line of a failed run says so.
  public var description: String { text(isQuiet: false, isLenient: true) }

  /// The text at the end of a run: the ledger and the speed, unless it should be quiet, and errors. The last line of a failed run says so.
  package func text(isQuiet: Bool, isLenient: Bool) -> String {
    var lines = isQuiet ? [] : [ledger.description, speed]
    let troubles = troubles + (isLenient ? [] : emptySources.map(\.line))
    if troubles.isEmpty {
      if !isQuiet { lines.insert("balanced: every event is accounted for", at: 1) }
      return lines.joined(separator: "\n")
    }
    if troubles.count > 1 { lines += troubles }
    lines.append("FAILED: " + (troubles.count == 1 ? troubles[0] : counted(isLenient: isLenient)))
    return lines.joined(separator: "\n")
  }

  /// One problem per line.
  private var troubles: [String] {
    var troubles: [String] = fates.compactMap { fate in
      switch fate.outcome {
      case .completed, .unread: nil
      case .failed(let reason):
        "\(fate.id) failed for good\(fate.times) after \(fate.attempts): \(visible(reason, limit: 1000))"
      case .cancelled: "\(fate.id) was cut off\(fate.times)"
      }
    }
    if !late.isEmpty { troubles.append("not drained in time: \(late.joined(separator: ", "))") }
    if ledger.lost > 0 { troubles.append("events lost: \(Ledger.grouped(ledger.lost)), counted as LOST in the ledger") }
    if !ledger.isBalanced { troubles.append("NOT BALANCED: events are unaccounted for") }
    return troubles
  }

  /// `2 components failed for good, 1 was cut off, 3 events lost`.
  private func counted(isLenient: Bool) -> String {
    func count(_ isMeant: (Fate.Outcome) -> Bool) -> Int { fates.reduce(0) { $0 + (isMeant($1.outcome) ? $1.components : 0) } }
    let all = count { _ in true }
    let failed = count { if case .failed = $0 { true } else { false } }
    let cutOff = count { $0 == .cancelled }
    var parts: [String] = []
    if failed > 0 { parts.append("\(failed) of \(all) components failed for good") }
    if cutOff > 0 { parts.append("\(cutOff) of \(all) components \(cutOff == 1 ? "was" : "were") cut off") }
    if !late.isEmpty { parts.append("\(late.count) not drained in time") }
    if ledger.lost > 0 { parts.append("\(Ledger.grouped(ledger.lost)) \(ledger.lost == 1 ? "event" : "events") lost") }
    if !ledger.isBalanced { parts.append("events are unaccounted for") }
    if !isLenient, !emptySources.isEmpty {
      parts.append("\(emptySources.count) \(emptySources.count == 1 ? "source" : "sources") sent no event")
    }
    return parts.joined(separator: ", ")
  }

  /// `10,400,000 events in 0.32 s: 32.5 M/s`.
  package var speed: String {
    let seconds = duration / .seconds(1)
    let what = "\(Ledger.grouped(events)) \(events == 1 ? "event" : "events") in \(Self.time(seconds))"
    return events > 0 && seconds > 0 ? what + ": \(Self.rate(Double(events) / seconds))" : what
  }

  private static func time(_ seconds: Double) -> String {
    if seconds < 60 { return "\(rounded(seconds, decimals: seconds < 10 ? 2 : 1)) s" }
    let whole = Int(min(seconds, 1e15).rounded())
    return whole < 3600 ? "\(whole / 60) min \(whole % 60) s" : "\(Ledger.grouped(whole / 3600)) h \(whole / 60 % 60) min"
  }

  private static func rate(_ rate: Double) -> String {
    for (size, unit) in [(1e9, " G"), (1e6, " M"), (1e3, " k")] where rate >= size * 0.9995 {
      return "\(rounded(rate / size, decimals: 1))\(unit)/s"
    }
    return "\(rounded(rate, decimals: rate < 10 ? 1 : 0))/s"
  }

  /// At most two decimals; formatted without Foundation.
  private static func rounded(_ value: Double, decimals: Int) -> String {
    let scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1
    let whole = Int((min(value, 1e15) * Double(scale)).rounded())
    if scale == 1 { return "\(whole)" }
    let rest = String(whole % scale)
    return "\(whole / scale)." + String(repeating: "0", count: decimals - rest.count) + rest
  }
}

extension RunReport.EmptySource {
  /// Why the source gave nothing, and how to accept that.
  fileprivate var line: String {
    let what =
      if let obstacle {
        "was never connected: \(visible(obstacle, limit: 500))"
      } else if deadLetters > 0 {
        "sent no event, only \(Ledger.grouped(deadLetters)) dead \(deadLetters == 1 ? "letter" : "letters, the first")"
          + (firstReason.map { ": \(visible($0, limit: 500))" } ?? "")
      } else {
        "ended without an event"
      }
    return "\(id) \(what) (--lenient accepts this)"
  }
}

extension RunReport.Fate {
  /// ` 3 times` if several components of this name have ended like this, otherwise nothing.
  fileprivate var times: String { components == 1 ? "" : " \(Ledger.grouped(components)) times" }
}
