import StockbusPeople
import StockbusPlugin
import StockbusProgram

/// Accounts as text.
enum AccountText {
  /// `look and trade`.
  static func rights(_ scopes: Set<Scope>) -> String {
    let words = [(Scope.read, "look"), (.trade, "trade"), (.control, "control")].filter { scopes.contains($0.0) }.map(\.1)
    return words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
  }

  static func tokens(_ tokens: [(person: String, token: TokenSummary)]) -> String {
    if tokens.isEmpty { return "no tokens" }
    let rows = tokens.map { person, token in
      ["\(token.id)", person, visible(token.name, limit: 64), rights(token.scopes), Timestamp(ns: token.created).description]
    }
    return TextTable(rows: [["ID", "OF", "NAME", "MAY", "SINCE"]] + rows).lines(width: nil).joined(separator: "\n")
  }

  static func list(_ accounts: [AccountSummary]) -> String {
    if accounts.isEmpty { return "no accounts" }
    let rows = accounts.map { [$0.name, rights($0.scopes), Timestamp(ns: $0.created).description, "\($0.sessions)"] }
    return TextTable(rows: [["NAME", "MAY", "SINCE", "SESSIONS"]] + rows).lines(width: nil).joined(separator: "\n")
  }
}
