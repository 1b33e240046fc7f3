internal import StockbusHistory

/// A list of symbols with its name.
package struct Watchlist: Sendable, Hashable {
  package let name: String
  package let symbols: [String]

  package init(name: String, symbols: [String]) {
    self.name = name
    self.symbols = symbols
  }
}

/// An alert rule as its person has written it: a JSON object.
package struct OwnRule: Sendable, Hashable {
  package let id: Int64
  package let rule: String
  package let isMuted: Bool
}

/// The private data of one person, which nobody else sees.
extension Accounts {
  static let mostWatchlists = 50
  static let mostSymbols = 1000
  static let mostRules = 50
  static let ruleBytes = 4096
  static let settingsBytes = 16 << 10

  /// The lists, in the order in which they were made.
  package func watchlists(_ person: Person) throws(AccountError) -> [Watchlist] {
    try read { db in
      try db.rows("SELECT name, symbols FROM people_watchlists WHERE person = ? ORDER BY position", .integer(person.id)).compactMap { row in
        guard let name = row[0].text, let symbols = row[1].text else { return nil }
        return Watchlist(name: name, symbols: symbols.split(separator: "\n").map(String.init))
      }
    }
  }

  /// Makes the list, or replaces its symbols.
  package func putWatchlist(_ person: Person, _ list: Watchlist) throws(AccountError) {
    guard Self.isText(list.name, most: 64) else { throw .malformed("a watchlist's name has 1 to 64 bytes") }
    guard list.symbols.count <= Self.mostSymbols else { throw .limit("a watchlist has at most \(Self.mostSymbols) symbols") }
    guard list.symbols.allSatisfy({ Self.isText($0, most: 64) }), Set(list.symbols).count == list.symbols.count else {
      throw .malformed("a watchlist's symbols have 1 to 64 bytes each, and no symbol occurs twice")
    }
    try write { db in
      let known = try db.rows("SELECT name FROM people_watchlists WHERE person = ?", .integer(person.id)).compactMap { $0[0].text }
      if !known.contains(list.name), known.count >= Self.mostWatchlists {
        throw AccountError.limit("there are already \(Self.mostWatchlists) watchlists, the limit")
      }
      try db.run(
        """
        INSERT INTO people_watchlists (person, name, position, symbols)
        VALUES (?1, ?2, (SELECT coalesce(max(position), 0) + 1 FROM people_watchlists WHERE person = ?1), ?3)
        ON CONFLICT (person, name) DO UPDATE SET symbols = ?3
        """, .integer(person.id), .text(list.name), .text(list.symbols.joined(separator: "\n")))
    }
  }

  package func removeWatchlist(_ person: Person, name: String) throws(AccountError) {
    let count = try write { db in
      try db.run("DELETE FROM people_watchlists WHERE person = ? AND name = ?", .integer(person.id), .text(name))
    }
    if count == 0 { throw .unknown("watchlist") }
  }

  /// The rules, in the order in which they were made.
  package func rules(_ person: Person) throws(AccountError) -> [OwnRule] {
    try read { db in
      try db.rows("SELECT id, rule, muted FROM people_rules WHERE person = ? ORDER BY id", .integer(person.id)).compactMap { row in
        guard let id = row[0].integer, let rule = row[1].text, let muted = row[2].integer else { return nil }
        return OwnRule(id: id, rule: rule, isMuted: muted != 0)
      }
    }
  }

  /// The rules of all people, for the start of a run.
  package func rulesOfAll() throws(AccountError) -> [(person: Person, rule: OwnRule)] {
    try read { db in
      try db.rows(
        """
        SELECT people.id, people.name, people.scopes, people_rules.id, rule, muted FROM people_rules JOIN people ON people.id = person
        ORDER BY people_rules.id
        """
      ).compactMap { row in
        guard let person = row[0].integer, let name = row[1].text, let scopes = row[2].text, let id = row[3].integer,
          let rule = row[4].text, let muted = row[5].integer
        else { return nil }
        return (Person(id: person, name: name, scopes: Set(text: scopes)), OwnRule(id: id, rule: rule, isMuted: muted != 0))
      }
    }
  }

  /// Adds a rule that was checked before; returns its number.
  package func addRule(_ person: Person, _ rule: String) throws(AccountError) -> Int64 {
    guard rule.utf8.count <= Self.ruleBytes else { throw .limit("a rule has at most \(Self.ruleBytes) bytes") }
    return try write { db in
      let count = try db.rows("SELECT count(*) FROM people_rules WHERE person = ?", .integer(person.id)).first?[0].integer ?? 0
      if count >= Self.mostRules { throw AccountError.limit("there are already \(Self.mostRules) rules, the limit") }
      try db.run("INSERT INTO people_rules (person, rule, muted) VALUES (?, ?, 0)", .integer(person.id), .text(rule))
      return db.lastID
    }
  }

  package func muteRule(_ person: Person, id: Int64, _ isMuted: Bool) throws(AccountError) {
    let count = try write { db in
      try db.run(
        "UPDATE people_rules SET muted = ? WHERE id = ? AND person = ?", .integer(isMuted ? 1 : 0), .integer(id), .integer(person.id))
    }
    if count == 0 { throw .unknown("rule") }
  }

  package func removeRule(_ person: Person, id: Int64) throws(AccountError) {
    let count = try write { db in try db.run("DELETE FROM people_rules WHERE id = ? AND person = ?", .integer(id), .integer(person.id)) }
    if count == 0 { throw .unknown("rule") }
  }

  /// The stored settings of a person's page: a JSON object.
  package func settings(of person: Person) throws(AccountError) -> String {
    try read { db in try db.rows("SELECT value FROM people_settings WHERE person = ?", .integer(person.id)).first?[0].text } ?? "{}"
  }

  package func putSettings(of person: Person, _ json: String) throws(AccountError) {
    guard json.utf8.count <= Self.settingsBytes else { throw .limit("settings have at most \(Self.settingsBytes) bytes") }
    try write { db in
      try db.run(
        "INSERT INTO people_settings (person, value) VALUES (?1, ?2) ON CONFLICT (person) DO UPDATE SET value = ?2", .integer(person.id),
        .text(json))
    }
  }

  static func isText(_ text: String, most: Int) -> Bool {
    (1...most).contains(text.utf8.count) && !text.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) }
  }
}
