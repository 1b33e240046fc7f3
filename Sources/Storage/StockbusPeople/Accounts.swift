package import StockbusHistory
package import StockbusPlugin

/// The people of a dashboard: accounts, sessions, tokens, and their data, stored in the history's file. An acknowledged change is on the
/// disk.
///
/// Only the counts of failed attempts are kept in memory, so several processes may use one file.
package actor Accounts {
  package enum Signup: String, Sendable, Hashable, CaseIterable {
    case open, invitation, closed
  }

  package struct Settings: Sendable {
    package var signup = Signup.invitation
    /// How long a session lasts at most, and how long it lasts without a request.
    package var absolute = Duration.seconds(30 * 86_400)
    package var idle = Duration.seconds(7 * 86_400)
    package var cost = PasswordCost.usual

    package init() {}
  }

  private let executor = BlockingExecutor(label: "accounts")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  package nonisolated let settings: Settings
  let database: DatabaseShare
  /// The path of the file, as it was given.
  package nonisolated var path: String { database.path }
  let clock: any Timekeeper
  let hasher: PasswordHasher
  private let ended: @Sendable ([Identity.Proof]) -> Void
  private let trouble: @Sendable (String?) -> Void
  /// Set since the file has refused something that may succeed later: true if that was a change.
  private var refusedChange: Bool?
  /// Failed attempts by address, by name from addresses that the person has not used before, and new accounts by address.
  private var byAddress = AttemptLimits<String>(20, refill: .seconds(30))
  private var byName = AttemptLimits<String>(10, refill: .seconds(60))
  private var signups = AttemptLimits<String>(5, refill: .seconds(600))

  /// How often `seen` of a session is written.
  static let seenStep: Int64 = 600 * 1_000_000_000
  static let mostSessions = 32
  static let mostPeople = 10_000

  /// - Parameters:
  ///   - trouble: called with the reason when the file refuses something that may succeed later, and with nil when it works again.
  ///   - ended: called with the sessions and tokens that have ended, so that their sockets can be closed.
  package init(
    _ database: DatabaseShare, _ settings: Settings, clock: any Timekeeper, trouble: @escaping @Sendable (String?) -> Void = { _ in },
    ended: @escaping @Sendable ([Identity.Proof]) -> Void = { _ in }
  ) {
    self.trouble = trouble
    self.database = database
    self.settings = settings
    self.clock = clock
    self.ended = ended
    hasher = PasswordHasher(settings.cost)
  }

  var now: Int64 { clock.now.ns }

  /// Closes the file, so that no log stays beside it. Every call afterwards is an error.
  package func close() throws(HistoryError) { try database.close() }

  // MARK: Logging in and out

  /// Creates an account and logs in. Returns the session's secret, for its cookie.
  /// - Parameter isReserved: true for a name that nobody may use; throws if that is unknown at present. Called after the limits of attempts
  ///   were checked, with a well-formed name.
  package func signUp(
    name: String, password: String, invitation: String?, from address: String,
    isReserved: @Sendable (String) async throws(AccountError) -> Bool = { _ in false }
  ) async throws(AccountError) -> String {
    let address = AddressKey.of(address)
    if settings.signup == .closed { throw .signupClosed }
    let name = try Self.name(name)
    if let fault = PasswordRules.fault(password, name: name) { throw .badPassword(fault) }
    try take(&signups, address)
    if settings.signup == .invitation, try !isInvited(invitation) { throw .badInvitation }
    if try await isReserved(name) { throw .nameTaken }
    let hash = try await hashed(password)
    let secret = RandomSecret()
    let isNew: Bool = try write { db in
      var scopes: Set<Scope> = [.read, .trade]
      if settings.signup == .invitation {
        let found = try db.rows(
          "SELECT scopes FROM people_invitations WHERE hash = ? AND expires > ?", .bytes(RandomSecret.hash(invitation ?? "")), .integer(now)
        )
        guard let text = found.first?.first?.text else { throw AccountError.badInvitation }
        scopes = Set(text: text)
      }
      guard let person = try Self.insert(db, name, hash, scopes, now) else { return false }
      if let invitation { try db.run("DELETE FROM people_invitations WHERE hash = ?", .bytes(RandomSecret.hash(invitation))) }
      try Self.begin(db, secret, person, address, now)
      return true
    }
    guard isNew else { throw .nameTaken }
    return secret.text
  }

  private func isInvited(_ invitation: String?) throws(AccountError) -> Bool {
    guard let invitation, RandomSecret.isPlausible(invitation) else { return false }
    let hash = RandomSecret.hash(invitation)
    return try read { db in
      try !db.rows("SELECT 1 FROM people_invitations WHERE hash = ? AND expires > ?", .bytes(hash), .integer(now)).isEmpty
    }
  }

  /// Begins a session; the client's previous one, if any, ends. An unknown name takes as long, and is refused in the same words, as a wrong
  /// password.
  package func logIn(name: String, password: String, from address: String, instead old: String? = nil) async throws(AccountError) -> String
  {
    let address = AddressKey.of(address)
    let name = (try? Self.name(name)) ?? ""
    let found = try read { db in
      try db.rows(
        """
        SELECT id, password, EXISTS (SELECT 1 FROM people_sessions WHERE person = people.id AND address = ?2)
        FROM people WHERE name = ?1 AND password != ''
        """, .text(name), .text(address)
      ).first
    }
    // Guesses from elsewhere cannot lock out a person at an address that the person uses.
    let isKnown = found?[2].integer == 1
    try take(&byAddress, address)
    if !isKnown {
      do throws(AccountError) { try take(&byName, name) } catch {
        byAddress.giveBack(address, now: clock.uptime)
        throw error
      }
    }
    let matches = try await check(PasswordRules.comparable(password), found?[1].text)
    guard matches, let found, let person = found[0].integer, let stored = found[1].text else { throw .wrongLogin }
    byAddress.giveBack(address, now: clock.uptime)
    if !isKnown { byName.giveBack(name, now: clock.uptime) }
    let secret = RandomSecret()
    let gone: [SessionID] = try write { db in
      // The password may have been changed meanwhile.
      guard try !db.rows("SELECT 1 FROM people WHERE id = ? AND password = ?", .integer(person), .text(stored)).isEmpty else {
        throw AccountError.wrongLogin
      }
      var gone: [SessionID] = []
      if let old, try db.run("DELETE FROM people_sessions WHERE hash = ?", .bytes(RandomSecret.hash(old))) > 0 {
        gone.append(SessionID(hash: RandomSecret.hash(old)))
      }
      gone += try prune(db, person)
      try Self.begin(db, secret, person, address, now)
      return gone
    }
    notify(gone)
    return secret.text
  }

  /// Ends this session, or all of its person's.
  package func logOut(_ identity: Identity, everywhere: Bool) throws(AccountError) {
    guard case .session(let session) = identity.proof else { return }
    let gone: [SessionID] = try write { db in
      if everywhere { return try Self.endSessions(db, identity.person.id) }
      return try db.run("DELETE FROM people_sessions WHERE hash = ?", .bytes(session.hash)) > 0 ? [session] : []
    }
    notify(gone)
  }

  /// Changes the password and ends all sessions and tokens. Returns the secret of a new session.
  package func changePassword(_ identity: Identity, old: String, new: String, from address: String) async throws(AccountError) -> String {
    let address = AddressKey.of(address)
    guard case .session = identity.proof else { throw .forbidden("a password can be changed only after a login, not with a token") }
    if let fault = PasswordRules.fault(new, name: identity.person.name) { throw .badPassword(fault) }
    let stored = try await prove(identity, old, address)
    let hash = try await hashed(new)
    let secret = RandomSecret()
    let gone: [Identity.Proof] = try write { db in
      let changed = try db.run(
        "UPDATE people SET password = ?, changed = ? WHERE id = ? AND password = ?", .text(hash), .integer(now),
        .integer(identity.person.id), .text(stored))
      guard changed == 1 else { throw AccountError.wrongLogin }
      let gone = try Self.endAll(db, identity.person.id)
      try Self.begin(db, secret, identity.person.id, address, now)
      return gone
    }
    notify(gone)
    return secret.text
  }

  /// Removes the account with all its data. Its name is not given again, because the paper account of that name stays in the broker's
  /// records, and the next person would see it.
  package func delete(_ identity: Identity, password: String, from address: String) async throws(AccountError) {
    let address = AddressKey.of(address)
    guard case .session = identity.proof else { throw .forbidden("an account can be deleted only after a login, not with a token") }
    let stored = try await prove(identity, password, address)
    let gone: [Identity.Proof] = try write { db in
      let removed = try db.run(
        "UPDATE people SET password = '', scopes = '', created = 0, changed = 0 WHERE id = ? AND password = ?",
        .integer(identity.person.id), .text(stored))
      guard removed == 1 else { throw AccountError.wrongLogin }
      let gone = try Self.endAll(db, identity.person.id)
      for table in ["people_watchlists", "people_rules", "people_settings"] {
        try db.run("DELETE FROM \(table) WHERE person = ?", .integer(identity.person.id))
      }
      return gone
    }
    notify(gone)
  }

  /// Checks the password of a logged-in person; returns the stored hash.
  private func prove(_ identity: Identity, _ password: String, _ address: String) async throws(AccountError) -> String {
    let stored = try read { db in
      try db.rows("SELECT password FROM people WHERE id = ?", .integer(identity.person.id)).first?[0].text
    }
    try take(&byAddress, address)
    guard try await check(PasswordRules.comparable(password), stored), let stored else { throw .wrongLogin }
    byAddress.giveBack(address, now: clock.uptime)
    return stored
  }

  // MARK: Who it is

  /// The person of a session; nil if there is no such session, or it has expired.
  package func identity(session secret: String) throws(AccountError) -> Identity? {
    guard RandomSecret.isPlausible(secret) else { return nil }
    let hash = RandomSecret.hash(secret)
    let row = try read { db in
      try db.rows(
        """
        SELECT id, name, scopes, people_sessions.created, seen FROM people_sessions JOIN people ON people.id = person
        WHERE hash = ?1 AND people_sessions.created > ?2 AND seen > ?3
        """, .bytes(hash), .integer(now - settings.absolute.wholeNanoseconds), .integer(now - settings.idle.wholeNanoseconds)
      ).first
    }
    guard let row, let id = row[0].integer, let name = row[1].text, let scopes = row[2].text, let seen = row[4].integer else { return nil }
    if now - seen >= Self.seenStep {
      // A time of use that cannot be written now is written with a later request.
      _ = try? write { db in try db.run("UPDATE people_sessions SET seen = ? WHERE hash = ?", .integer(now), .bytes(hash)) }
    }
    let person = Person(id: id, name: name, scopes: Set(text: scopes))
    return Identity(person: person, scopes: person.scopes, proof: .session(SessionID(hash: hash)))
  }

  // MARK: Parts

  /// The name in lower case, in which it is unique.
  static func name(_ text: String) throws(AccountError) -> String {
    let name = text.lowercased()
    let isGood = name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || [45, 46, 95].contains($0) }
    guard isGood, (1...32).contains(name.utf8.count), name.utf8.first.map({ (97...122).contains($0) }) == true, name != Person.local.name
    else { throw .badName }
    return name
  }

  /// The number of the new person; nil if the name is taken.
  static func insert(_ db: DatabaseStatements, _ name: String, _ hash: String, _ scopes: Set<Scope>, _ now: Int64) throws -> Int64? {
    let count = try db.rows("SELECT count(*) FROM people").first?[0].integer ?? 0
    if count >= mostPeople { throw AccountError.limit("there are already \(mostPeople) accounts, the limit") }
    let added = try db.run(
      "INSERT INTO people (name, password, scopes, created, changed) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING", .text(name),
      .text(hash), .text(scopes.text), .integer(now), .integer(now))
    return added == 1 ? db.lastID : nil
  }

  private static func begin(_ db: DatabaseStatements, _ secret: RandomSecret, _ person: Int64, _ address: String, _ now: Int64) throws {
    try db.run(
      "INSERT INTO people_sessions (hash, person, address, created, seen) VALUES (?, ?, ?, ?, ?)", .bytes(secret.hash), .integer(person),
      .text(address), .integer(now), .integer(now))
  }

  private static func endSessions(_ db: DatabaseStatements, _ person: Int64) throws -> [SessionID] {
    let rows = try db.rows("SELECT hash FROM people_sessions WHERE person = ?", .integer(person))
    try db.run("DELETE FROM people_sessions WHERE person = ?", .integer(person))
    return rows.compactMap { $0[0].bytes.map(SessionID.init) }
  }

  /// Ends the sessions and the tokens of a person: anyone with the old password may have made one.
  static func endAll(_ db: DatabaseStatements, _ person: Int64) throws -> [Identity.Proof] {
    let sessions = try endSessions(db, person).map(Identity.Proof.session)
    return try sessions + endTokens(db, of: person).map { .token($0.id) }
  }

  /// Ends expired sessions, and the oldest ones of a person who has too many.
  private func prune(_ db: DatabaseStatements, _ person: Int64) throws -> [SessionID] {
    try db.run(
      "DELETE FROM people_sessions WHERE created <= ? OR seen <= ?", .integer(now - settings.absolute.wholeNanoseconds),
      .integer(now - settings.idle.wholeNanoseconds))
    let old = try db.rows(
      "SELECT hash FROM people_sessions WHERE person = ? ORDER BY created DESC, hash LIMIT -1 OFFSET ?", .integer(person),
      .integer(Int64(Self.mostSessions - 1))
    ).compactMap { $0[0].bytes }
    for hash in old { try db.run("DELETE FROM people_sessions WHERE hash = ?", .bytes(hash)) }
    return old.map(SessionID.init)
  }

  func notify(_ gone: [Identity.Proof]) { if !gone.isEmpty { ended(gone) } }

  private func notify(_ gone: [SessionID]) { notify(gone.map(Identity.Proof.session)) }

  private func take(_ limits: inout AttemptLimits<String>, _ key: String) throws(AccountError) {
    if let rest = limits.take(key, now: clock.uptime) { throw .tooMany(seconds: max(1, Int((rest / .seconds(1)).rounded(.up)))) }
  }

  func hashed(_ password: String) async throws(AccountError) -> String {
    do { return try await hasher.hash(password) } catch { throw error as? AccountError ?? .storage("\(error)") }
  }

  private func check(_ password: String, _ stored: String?) async throws(AccountError) -> Bool {
    do { return try await hasher.matches(password, stored) } catch { throw error as? AccountError ?? .storage("\(error)") }
  }

  func read<Value: Sendable>(_ body: (DatabaseStatements) throws -> Value) throws(AccountError) -> Value {
    try asked(isChange: false) { try database.read(body) }
  }

  @discardableResult
  func write<Value: Sendable>(_ body: (DatabaseStatements) throws -> Value) throws(AccountError) -> Value {
    try asked(isChange: true) { try database.write(body) }
  }

  private func asked<Value>(isChange: Bool, _ body: () throws -> Value) throws(AccountError) -> Value {
    do {
      let value = try body()
      // A file that another program has locked can still be read.
      if let refusedChange, isChange || !refusedChange {
        self.refusedChange = nil
        trouble(nil)
      }
      return value
    } catch {
      let error = Self.error(error)
      if case .unavailable(let reason) = error {
        refusedChange = isChange || refusedChange == true
        trouble(reason)
      }
      throw error
    }
  }

  private static func error(_ error: any Error) -> AccountError {
    switch error {
    case let error as AccountError: error
    case let error as HistoryError where error.mayPass: .unavailable("\(error)")
    default: .storage("\(error)")
    }
  }
}
