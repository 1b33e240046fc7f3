internal import MarketData
internal import StockbusHistory

/// What whoever runs the program may do, from the command line.
extension Accounts {
  static let invitationTime: Int64 = 7 * 86_400 * 1_000_000_000
  static let mostInvitations = 1000

  /// Makes an account.
  package func add(name: String, password: String, scopes: Set<Scope>) async throws(AccountError) {
    let name = try Self.name(name)
    if let fault = PasswordRules.fault(password, name: name) { throw .badPassword(fault) }
    let hash = try await hashed(password)
    let isNew = try write { db in try Self.insert(db, name, hash, scopes, now) != nil }
    if !isNew { throw .nameTaken }
  }

  /// Gives an account a new password; all of its sessions end.
  package func reset(name: String, password: String) async throws(AccountError) {
    let name = try Self.name(name)
    if let fault = PasswordRules.fault(password, name: name) { throw .badPassword(fault) }
    let hash = try await hashed(password)
    let gone: [SessionID] = try write { db in
      guard let id = try db.rows("SELECT id FROM people WHERE name = ? AND password != ''", .text(name)).first?[0].integer else {
        throw AccountError.unknown("account")
      }
      try db.run("UPDATE people SET password = ?, changed = ? WHERE id = ?", .text(hash), .integer(now), .integer(id))
      return try Self.endAll(db, id)
    }
    tell(gone)
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

  /// Makes an invitation for one new account, valid for seven days; returns its secret.
  package func invite(scopes: Set<Scope>) throws(AccountError) -> String {
    let secret = RandomSecret()
    try write { db in
      try db.run("DELETE FROM people_invitations WHERE expires <= ?", .integer(now))
      let count = try db.rows("SELECT count(*) FROM people_invitations").first?[0].integer ?? 0
      if count >= Self.mostInvitations { throw AccountError.limit("there are \(Self.mostInvitations) invitations already") }
      try db.run(
        "INSERT INTO people_invitations (hash, scopes, expires) VALUES (?, ?, ?)", .bytes(secret.hash), .text(scopes.text),
        .integer(now + Self.invitationTime))
    }
    return secret.text
  }
}
