internal import StockbusHistory

/// A token of a person's programs, without its secret. Its time is nanoseconds since 1970.
package struct TokenSummary: Sendable, Hashable {
  package let id: Int64
  package let name: String
  package let scopes: Set<Scope>
  package let created: Int64

  package init(id: Int64, name: String, scopes: Set<Scope>, created: Int64) {
    self.id = id
    self.name = name
    self.scopes = scopes
    self.created = created
  }
}

extension TokenSummary {
  /// Makes it from the columns `Accounts.tokenColumns`; nil if a value has a wrong type.
  init?(_ row: [DatabaseCell]) {
    guard let id = row[0].integer, let name = row[1].text, let scopes = row[2].text, let created = row[3].integer else { return nil }
    self.init(id: id, name: name, scopes: Set(text: scopes), created: created)
  }
}

extension Accounts {
  static let mostTokens = 32
  static let tokenColumns = "id, name, scopes, created"

  package func tokens(_ identity: Identity) throws(AccountError) -> [TokenSummary] {
    try read { db in
      try db.rows("SELECT \(Self.tokenColumns) FROM people_tokens WHERE person = ? ORDER BY id", .integer(identity.person.id))
        .compactMap(TokenSummary.init)
    }
  }

  /// Creates a token; its secret is returned only here. The token may do no more than its person.
  package func addToken(_ identity: Identity, name: String, scopes: Set<Scope>) throws(AccountError) -> (id: Int64, secret: String) {
    if case .token = identity.proof { throw .forbidden("a token cannot create tokens") }
    guard (1...64).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.value < 32 || (127..<160).contains($0.value) })
    else {
      throw .malformed("a token's name has 1 to 64 bytes")
    }
    guard !scopes.isEmpty, scopes.isSubset(of: identity.scopes) else { throw .forbidden("a token cannot have more rights than its owner") }
    let secret = RandomSecret()
    let id: Int64 = try write { db in
      let count = try db.rows("SELECT count(*) FROM people_tokens WHERE person = ?", .integer(identity.person.id)).first?[0].integer ?? 0
      if count >= Self.mostTokens { throw AccountError.limit("there are already \(Self.mostTokens) tokens, the limit") }
      try db.run(
        "INSERT INTO people_tokens (person, name, hash, scopes, created) VALUES (?, ?, ?, ?, ?)", .integer(identity.person.id), .text(name),
        .bytes(secret.hash), .text(scopes.text), .integer(now))
      return db.lastID
    }
    return (id, secret.text)
  }

  package func removeToken(_ identity: Identity, id: Int64) throws(AccountError) {
    if case .token = identity.proof { throw .forbidden("a token cannot remove tokens") }
    let gone = try write { db in try Self.endTokens(db, id, of: identity.person.id) }
    if gone.isEmpty { throw .unknown("token") }
    notify(gone.map { .token($0.id) })
  }

  /// Ends the token with this number, all of a person, or this one of that person; returns the ended tokens.
  static func endTokens(_ db: DatabaseStatements, _ id: Int64? = nil, of person: Int64?) throws -> [(id: Int64, person: Int64)] {
    try db.rows(
      "DELETE FROM people_tokens WHERE id = coalesce(?1, id) AND person = coalesce(?2, person) RETURNING id, person",
      id.map(DatabaseCell.integer) ?? .null, person.map(DatabaseCell.integer) ?? .null
    ).compactMap { row in row[0].integer.flatMap { id in row[1].integer.map { (id, $0) } } }
  }

  /// The person of a token; nil if there is none. Its scopes shrink with those of its person.
  package func identity(token secret: String) throws(AccountError) -> Identity? {
    guard RandomSecret.isPlausible(secret) else { return nil }
    let row = try read { db in
      try db.rows(
        """
        SELECT person, people.name, people.scopes, people_tokens.scopes, people_tokens.id
        FROM people_tokens LEFT JOIN people ON people.id = person WHERE hash = ?
        """, .bytes(RandomSecret.hash(secret))
      ).first
    }
    guard let row, let id = row[0].integer, let scopes = row[3].text, let token = row[4].integer else { return nil }
    let person: Person
    if id == Person.local.id {
      person = .local
    } else if let name = row[1].text, let own = row[2].text {
      person = Person(id: id, name: name, scopes: Set(text: own))
    } else {
      return nil
    }
    return Identity(person: person, scopes: person.scopes.intersection(Set(text: scopes)), proof: .token(token))
  }
}
