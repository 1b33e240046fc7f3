internal import MarketData
internal import StockbusHistory

/// What the operator of the program may do, from the command line.
extension Accounts {
  static let invitationTime: Int64 = 7 * 86_400 * 1_000_000_000
  static let mostInvitations = 1000

  /// Creates an account.
  package func add(name: String, password: String, scopes: Set<Scope>) async throws(AccountError) {
    let name = try Self.name(name)
    if let fault = PasswordRules.fault(password, name: name) { throw .badPassword(fault) }
    let hash = try await hashed(password)
    let isNew = try write { db in try Self.insert(db, name, hash, scopes, now) != nil }
    if !isNew { throw .nameTaken }
  }

  /// Gives an account a new password; all of its sessions and tokens end.
  package func reset(name: String, password: String) async throws(AccountError) {
    let name = try Self.name(name)
    if let fault = PasswordRules.fault(password, name: name) { throw .badPassword(fault) }
    let hash = try await hashed(password)
    let gone: [Identity.Proof] = try write { db in
      guard let id = try Self.person(db, name) else { throw AccountError.unknown("account") }
      try db.run("UPDATE people SET password = ?, changed = ? WHERE id = ?", .text(hash), .integer(now), .integer(id))
      return try Self.endAll(db, id)
    }
    notify(gone)
  }

  /// All accounts, by name.
  package func list() throws(AccountError) -> [AccountSummary] {
    try read { db in
      try db.rows(
        """
        SELECT name, scopes, created, (SELECT count(*) FROM people_sessions WHERE person = people.id AND created > ?1 AND seen > ?2)
        FROM people WHERE password != '' ORDER BY name
        """, .integer(now - settings.absolute.wholeNanoseconds), .integer(now - settings.idle.wholeNanoseconds)
      ).compactMap { row in
        guard let name = row[0].text, let scopes = row[1].text, let created = row[2].integer, let sessions = row[3].integer else {
          return nil
        }
        return AccountSummary(name: name, scopes: Set(text: scopes), created: created, sessions: Int(sessions))
      }
    }
  }

  /// The tokens of all people, or of one, by their numbers.
  package func tokens(ofPerson name: String?) throws(AccountError) -> [(person: String, token: TokenSummary)] {
    let name = try name.map { name throws(AccountError) in try Self.name(name) }
    let found: [(person: String, token: TokenSummary)]? = try read { db in
      let person = try name.flatMap { try Self.person(db, $0) }
      if name != nil, person == nil { return nil }
      let tokens = try db.rows("SELECT \(Self.tokenColumns), person FROM people_tokens ORDER BY id")
      let names = try db.rows("SELECT id, name FROM people")
      let known = Dictionary(names.compactMap { row in row[0].integer.map { ($0, row[1].text ?? "") } }) { first, _ in first }
      return tokens.compactMap { row in
        guard let token = TokenSummary(row), let owner = row[4].integer, person ?? owner == owner else { return nil }
        return (known[owner] ?? Person.local.name, token)
      }
    }
    guard let found else { throw .unknown("account") }
    return found
  }

  /// Ends the token with this number, or all of a person; returns how many have ended. Without arguments nothing ends.
  package func revoke(token id: Int64? = nil, ofPerson name: String? = nil) throws(AccountError) -> Int {
    let name = try name.map { name throws(AccountError) in try Self.name(name) }
    if id == nil, name == nil { return 0 }
    let gone: [(id: Int64, person: Int64)] = try write { db in
      let person = try name.flatMap { try Self.person(db, $0) }
      if name != nil, person == nil { throw AccountError.unknown("account") }
      return try Self.endTokens(db, id, of: person)
    }
    if id != nil, gone.isEmpty { throw .unknown("token") }
    notify(gone.map { .token($0.id) })
    return gone.count
  }

  /// The number of a person; nil if there is no such account.
  private static func person(_ db: DatabaseStatements, _ name: String) throws -> Int64? {
    try db.rows("SELECT id FROM people WHERE name = ? AND password != ''", .text(name)).first?[0].integer
  }

  /// Makes an invitation for one new account, valid for seven days; returns its secret.
  package func invite(scopes: Set<Scope>) throws(AccountError) -> String {
    let secret = RandomSecret()
    try write { db in
      try db.run("DELETE FROM people_invitations WHERE expires <= ?", .integer(now))
      let count = try db.rows("SELECT count(*) FROM people_invitations").first?[0].integer ?? 0
      if count >= Self.mostInvitations { throw AccountError.limit("there are already \(Self.mostInvitations) invitations, the limit") }
      try db.run(
        "INSERT INTO people_invitations (hash, scopes, expires) VALUES (?, ?, ?)", .bytes(secret.hash), .text(scopes.text),
        .integer(now + Self.invitationTime))
    }
    return secret.text
  }
}
