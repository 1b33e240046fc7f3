import Foundation
import StockbusHistory
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusPeople

/// Accounts, sessions, tokens and belongings in a file, with a manual clock and a cheap hash.
@Suite(.timeLimit(.minutes(15))) struct AccountsTests {
  private let folder = TemporaryFolder()
  private let clock = ManualTimekeeper()
  private let trouble = Watched<[String?]>([])
  private let ended = Watched<[Identity.Proof]>([])
  private let good = "four plain words"

  private func accounts(_ signup: Accounts.Signup = .open) async throws -> Accounts {
    var settings = Accounts.Settings()
    settings.signup = signup
    settings.cost = PasswordCost(rounds: 16, blockSize: 1, parallelism: 1)
    let (ended, trouble) = (ended, trouble)
    return Accounts(
      try await DatabaseShare.open(folder.file("h.db")), settings, clock: clock,
      trouble: { reason in trouble.update { $0.append(reason) } },
      ended: { gone in ended.update { $0 += gone } })
  }

  private func fault(_ body: () async throws -> Void) async -> AccountError? {
    do {
      try await body()
      return nil
    } catch { return error as? AccountError }
  }

  @Test func `an account is made once, and its session is known until it is logged out`() async throws {
    let accounts = try await accounts()
    let secret = try await accounts.signUp(name: "Hannah", password: good, invitation: nil, from: "a")
    let identity = try #require(try await accounts.identity(session: secret))
    #expect(identity.person.name == "hannah" && identity.scopes == [.read, .trade])
    #expect(await fault { _ = try await accounts.signUp(name: "HANNAH", password: good, invitation: nil, from: "a") } == .nameTaken)
    let other = try await accounts.logIn(name: "hannah", password: good, from: "b")
    try await accounts.logOut(identity, everywhere: false)
    #expect(try await accounts.identity(session: secret) == nil)
    #expect(try await accounts.identity(session: other) != nil)
    #expect(ended.value == [identity.proof])
    for wrong in ["", "x", String(secret.dropLast()) + "?", String(repeating: "A", count: 43)] {
      #expect(try await accounts.identity(session: wrong) == nil)
    }
  }

  @Test(arguments: ["", "1a", "local", "a b", "ä", "a/b", String(repeating: "a", count: 33), "a\n"])
  func `names that are none are refused`(_ name: String) async throws {
    let accounts = try await accounts()
    #expect(await fault { _ = try await accounts.signUp(name: name, password: good, invitation: nil, from: "a") } == .badName)
  }

  @Test func `an unknown name and a wrong password are refused in the same words`() async throws {
    let accounts = try await accounts()
    _ = try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "a")
    #expect(await fault { _ = try await accounts.logIn(name: "hannah", password: "x", from: "b") } == .wrongLogin)
    #expect(await fault { _ = try await accounts.logIn(name: "nobody", password: good, from: "b") } == .wrongLogin)
    #expect(await fault { _ = try await accounts.logIn(name: "?", password: good, from: "b") } == .wrongLogin)
    #expect(
      await fault { _ = try await accounts.logIn(name: "hannah", password: String(repeating: "x", count: 1000), from: "b") } == .wrongLogin)
  }

  @Test func `a session ends without requests, and at its latest in any case`() async throws {
    let accounts = try await accounts()
    let secret = try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "a")
    let day = Duration.seconds(86_400)
    clock.advance(by: day * 7 - .seconds(1))
    #expect(try await accounts.identity(session: secret) != nil)
    // That request was seen, so another week begins.
    for _ in 0..<3 {
      clock.advance(by: day * 6)
      #expect(try await accounts.identity(session: secret) != nil)
    }
    clock.advance(by: day * 5)
    #expect(try await accounts.identity(session: secret) != nil)
    clock.advance(by: .seconds(1))
    #expect(try await accounts.identity(session: secret) == nil)
    let idle = try await accounts.logIn(name: "hannah", password: good, from: "a")
    clock.advance(by: day * 7)
    #expect(try await accounts.identity(session: idle) == nil)
  }

  @Test func `logging in again ends the session before it, and a new password ends all`() async throws {
    let accounts = try await accounts()
    let first = try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "a")
    let second = try await accounts.logIn(name: "hannah", password: good, from: "a", instead: first)
    #expect(try await accounts.identity(session: first) == nil)
    let third = try await accounts.logIn(name: "hannah", password: good, from: "b")
    let identity = try #require(try await accounts.identity(session: second))
    #expect(
      await fault { _ = try await accounts.changePassword(identity, old: "wrong", new: "five other plain words", from: "a") }
        == .wrongLogin)
    let fourth = try await accounts.changePassword(identity, old: good, new: "five other plain words", from: "a")
    #expect(try await accounts.identity(session: second) == nil)
    #expect(try await accounts.identity(session: third) == nil)
    #expect(try await accounts.identity(session: fourth)?.person == identity.person)
    #expect(ended.value.count == 3)
    #expect(await fault { _ = try await accounts.logIn(name: "hannah", password: good, from: "a") } == .wrongLogin)
  }

  @Test func `guessing ends soon, and does not lock out a person at a known address`() async throws {
    let accounts = try await accounts()
    _ = try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "home")
    var refused = 0
    for i in 0..<40 {
      let outcome = await fault { _ = try await accounts.logIn(name: "hannah", password: "guess \(i)", from: "away \(i)") }
      if case .tooMany(let seconds) = outcome {
        refused += 1
        #expect(seconds == 60)
      } else {
        #expect(outcome == .wrongLogin)
      }
    }
    #expect(refused == 30)
    // From the person's own address nothing has changed, and other accounts are not concerned.
    _ = try await accounts.logIn(name: "hannah", password: good, from: "home")
    _ = try await accounts.signUp(name: "otto", password: good, invitation: nil, from: "away 1")
    // An unknown name is limited in the same way.
    for i in 0..<12 {
      let outcome = await fault { _ = try await accounts.logIn(name: "nobody", password: "x", from: "far \(i)") }
      #expect(outcome == (i < 10 ? .wrongLogin : .tooMany(seconds: 60)))
    }
    clock.advance(by: .seconds(60))
    _ = try await accounts.logIn(name: "hannah", password: good, from: "new")
  }

  @Test func `one address may try so many names`() async throws {
    let accounts = try await accounts()
    for i in 0..<21 {
      let outcome = await fault { _ = try await accounts.logIn(name: "name\(i)", password: "x", from: "bad") }
      #expect(outcome == (i < 20 ? .wrongLogin : .tooMany(seconds: 30)))
    }
  }

  @Test func `an invitation makes one account, with its scopes, within its time`() async throws {
    let accounts = try await accounts(.invitation)
    let (one, late) = (try await accounts.invite(scopes: [.read]), try await accounts.invite(scopes: [.read, .control]))
    #expect(await fault { _ = try await accounts.signUp(name: "eve", password: good, invitation: nil, from: "a") } == .badInvitation)
    #expect(await fault { _ = try await accounts.signUp(name: "eve", password: good, invitation: "x", from: "b") } == .badInvitation)
    let secret = try await accounts.signUp(name: "hannah", password: good, invitation: one, from: "c")
    #expect(try await accounts.identity(session: secret)?.scopes == [.read])
    #expect(await fault { _ = try await accounts.signUp(name: "otto", password: good, invitation: one, from: "d") } == .badInvitation)
    clock.advance(by: .seconds(7 * 86_400))
    #expect(await fault { _ = try await accounts.signUp(name: "otto", password: good, invitation: late, from: "e") } == .badInvitation)
    let closed = try await self.accounts(.closed)
    #expect(await fault { _ = try await closed.signUp(name: "otto", password: good, invitation: nil, from: "f") } == .signupClosed)
  }

  @Test func `a token may do no more than its owner, and is told once`() async throws {
    let accounts = try await accounts()
    let secret = try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "a")
    let hannah = try #require(try await accounts.identity(session: secret))
    let otto = try #require(
      try await accounts.identity(session: try await accounts.signUp(name: "otto", password: good, invitation: nil, from: "b")))
    let token = try await accounts.addToken(hannah, name: "script", scopes: [.read])
    let identity = try #require(try await accounts.identity(token: token.secret))
    #expect(identity.person == hannah.person && identity.scopes == [.read] && identity.proof == .token(token.id))
    #expect(try await accounts.tokens(hannah).map(\.name) == ["script"])
    #expect(try await accounts.tokens(otto).isEmpty)
    #expect(await fault { _ = try await accounts.addToken(hannah, name: "x", scopes: [.control]) } != nil)
    #expect(await fault { _ = try await accounts.addToken(hannah, name: "x", scopes: []) } != nil)
    #expect(await fault { _ = try await accounts.addToken(identity, name: "x", scopes: [.read]) } != nil)
    #expect(await fault { try await accounts.removeToken(otto, id: token.id) } == .unknown("token"))
    #expect(try await accounts.identity(session: token.secret) == nil)
    try await accounts.removeToken(hannah, id: token.id)
    #expect(try await accounts.identity(token: token.secret) == nil)
  }

  @Test func `what belongs to one is not seen or changed by another, and goes with the account`() async throws {
    let accounts = try await accounts()
    let first = try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "a")
    let hannah = try #require(try await accounts.identity(session: first))
    let otto = try #require(
      try await accounts.identity(session: try await accounts.signUp(name: "otto", password: good, invitation: nil, from: "b")))
    try await accounts.putWatchlist(hannah.person, Watchlist(name: "tech", symbols: ["AAPL", "BTC/USD"]))
    try await accounts.putWatchlist(hannah.person, Watchlist(name: "old", symbols: []))
    try await accounts.putWatchlist(hannah.person, Watchlist(name: "tech", symbols: ["NVDA"]))
    #expect(
      try await accounts.watchlists(hannah.person) == [
        Watchlist(name: "tech", symbols: ["NVDA"]), Watchlist(name: "old", symbols: []),
      ])
    let rule = try await accounts.addRule(hannah.person, #"{"name":"x"}"#)
    try await accounts.muteRule(hannah.person, id: rule, true)
    try await accounts.putSettings(of: hannah.person, #"{"theme":"dark"}"#)
    #expect(try await accounts.watchlists(otto.person).isEmpty)
    #expect(try await accounts.rules(otto.person).isEmpty)
    #expect(try await accounts.settings(of: otto.person) == "{}")
    #expect(await fault { try await accounts.removeWatchlist(otto.person, name: "tech") } == .unknown("watchlist"))
    #expect(await fault { try await accounts.removeRule(otto.person, id: rule) } == .unknown("rule"))
    #expect(await fault { try await accounts.muteRule(otto.person, id: rule, false) } == .unknown("rule"))
    #expect(try await accounts.rules(hannah.person) == [OwnRule(id: rule, rule: #"{"name":"x"}"#, isMuted: true)])
    #expect(await fault { try await accounts.delete(hannah, password: "wrong", from: "a") } == .wrongLogin)
    try await accounts.delete(hannah, password: good, from: "a")
    #expect(try await accounts.identity(session: first) == nil)
    #expect(try await accounts.rules(hannah.person).isEmpty)
    #expect(try await accounts.watchlists(hannah.person).isEmpty)
    #expect(try await accounts.list().map(\.name) == ["otto"])
    // A reserved name is asked about as it is kept, and only if it is well formed.
    let asked = Watched<[String]>([])
    for name in ["Paper", "no good"] {
      _ = await fault {
        _ = try await accounts.signUp(name: name, password: good, invitation: nil, from: "b") { name in
          asked.update { $0.append(name) }
          return true
        }
      }
    }
    #expect(asked.value == ["paper"])
    // The paper account of that name stays, so nobody else gets the name.
    #expect(await fault { _ = try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "a") } == .nameTaken)
    #expect(await fault { try await accounts.add(name: "hannah", password: good, scopes: [.read]) } == .nameTaken)
    #expect(await fault { try await accounts.reset(name: "hannah", password: good) } == .unknown("account"))
    for password in [good, ""] {
      #expect(await fault { _ = try await accounts.logIn(name: "hannah", password: password, from: "a") } == .wrongLogin)
    }
  }

  @Test func `lists have limits, and so do names`() async throws {
    let accounts = try await accounts()
    let me = Person.local
    for i in 0..<Accounts.mostWatchlists { try await accounts.putWatchlist(me, Watchlist(name: "\(i)", symbols: [])) }
    #expect(await fault { try await accounts.putWatchlist(me, Watchlist(name: "more", symbols: [])) } != nil)
    try await accounts.putWatchlist(me, Watchlist(name: "0", symbols: (0..<Accounts.mostSymbols).map { "S\($0)" }))
    #expect(await fault { try await accounts.putWatchlist(me, Watchlist(name: "0", symbols: (0...1000).map { "S\($0)" })) } != nil)
    for bad in [["A", "A"], ["A\nB"], [""]] {
      #expect(await fault { try await accounts.putWatchlist(me, Watchlist(name: "0", symbols: bad)) } != nil)
    }
    #expect(await fault { try await accounts.putWatchlist(me, Watchlist(name: "", symbols: [])) } != nil)
    #expect(await fault { _ = try await accounts.addRule(me, String(repeating: "x", count: 4097)) } != nil)
    #expect(await fault { try await accounts.putSettings(of: me, String(repeating: "x", count: 16_385)) } != nil)
    #expect(try await accounts.watchlists(me).count == Accounts.mostWatchlists)
  }

  @Test func `a new password from the command line ends the sessions in the file, also those of another process`() async throws {
    let (served, other) = (try await accounts(), try await accounts())
    let secret = try await served.signUp(name: "hannah", password: good, invitation: nil, from: "a")
    #expect(try await other.list().map(\.sessions) == [1])
    try await other.reset(name: "hannah", password: "five other plain words")
    #expect(try await served.identity(session: secret) == nil)
    _ = try await served.logIn(name: "hannah", password: "five other plain words", from: "b")
    #expect(await fault { try await other.reset(name: "nobody", password: good) } == .unknown("account"))
    try await other.add(name: "otto", password: good, scopes: [.read, .control])
    #expect(await fault { try await other.add(name: "otto", password: good, scopes: [.read]) } == .nameTaken)
    #expect(try await served.list().map(\.scopes) == [[.read, .trade], [.read, .control]])
  }

  /// Whoever had the old password may have made one.
  @Test func `a new password ends the tokens too, the person's own and the operator's`() async throws {
    let accounts = try await accounts()
    let secret = try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "a")
    let hannah = try #require(try await accounts.identity(session: secret))
    let first = try await accounts.addToken(hannah, name: "one", scopes: [.read])
    _ = try await accounts.changePassword(hannah, old: good, new: "five other plain words", from: "a")
    #expect(try await accounts.identity(token: first.secret) == nil)
    #expect(ended.value == [hannah.proof, .token(first.id)])
    let second = try await accounts.addToken(hannah, name: "two", scopes: [.read])
    try await accounts.reset(name: "hannah", password: good)
    #expect(try await accounts.identity(token: second.secret) == nil)
    #expect(ended.value.last == .token(second.id))
    // Logging out everywhere is about sessions.
    let third = try await accounts.addToken(hannah, name: "three", scopes: [.read])
    try await accounts.logOut(hannah, everywhere: true)
    #expect(try await accounts.identity(token: third.secret) != nil)
  }

  @Test func `an operator lists tokens, and ends one or all of a person`() async throws {
    let accounts = try await accounts()
    let hannah = try #require(
      try await accounts.identity(session: try await accounts.signUp(name: "hannah", password: good, invitation: nil, from: "a")))
    let otto = try #require(
      try await accounts.identity(session: try await accounts.signUp(name: "otto", password: good, invitation: nil, from: "b")))
    let (one, two) = (
      try await accounts.addToken(hannah, name: "one", scopes: [.read]),
      try await accounts.addToken(hannah, name: "two", scopes: [.read, .trade])
    )
    let (other, local) = (
      try await accounts.addToken(otto, name: "other", scopes: [.read]), try await accounts.addToken(.local, name: "mine", scopes: [.read])
    )
    func all() async throws -> [String] { try await accounts.tokens(ofPerson: nil).map { "\($0.token.id) \($0.person) \($0.token.name)" } }
    #expect(try await all() == ["1 hannah one", "2 hannah two", "3 otto other", "4 local mine"])
    #expect(try await accounts.tokens(ofPerson: "Hannah").map(\.token.scopes) == [[.read], [.read, .trade]])
    #expect(await fault { _ = try await accounts.tokens(ofPerson: "nobody") } == .unknown("account"))
    #expect(await fault { _ = try await accounts.revoke(token: 9) } == .unknown("token"))
    #expect(await fault { _ = try await accounts.revoke(token: other.id, ofPerson: "hannah") } == .unknown("token"))
    #expect(try await accounts.revoke(token: one.id) == 1)
    #expect(try await accounts.identity(token: one.secret) == nil)
    #expect(try await accounts.revoke(ofPerson: "hannah") == 1)
    #expect(try await accounts.identity(token: two.secret) == nil)
    #expect(try await all() == ["3 otto other", "4 local mine"])
    #expect(try await accounts.revoke(token: local.id) == 1)
    #expect(ended.value == [.token(1), .token(2), .token(4)])
  }

  @Test func `what is locked or has gone is an error that may pass`() async throws {
    let accounts = try await accounts()
    try await accounts.add(name: "hannah", password: good, scopes: [.read])
    let names = folder.names
    for name in names { try FileManager.default.moveItem(atPath: folder.file(name), toPath: folder.file("aside-" + name)) }
    let gone = await fault { _ = try await accounts.list() }
    #expect(gone?.code == "busy")
    guard case .unavailable(let cause) = gone else {
      Issue.record("\(gone as Any)")
      return
    }
    #expect(cause.contains("it was moved or removed"))
    for name in names { try FileManager.default.moveItem(atPath: folder.file("aside-" + name), toPath: folder.file(name)) }
    for _ in 0..<2 { #expect(try await accounts.list().count == 1) }
    #expect(trouble.value == [cause, nil])
  }

  @Test func `more passwords than may wait are refused at once`() async throws {
    let hasher = PasswordHasher(PasswordCost(rounds: 16, blockSize: 1, parallelism: 1))
    let (begun, mayEnd) = (Watched(0), Watched(false))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<PasswordHasher.queue {
        group.addTask {
          try? await hasher.queued {
            begun.update { $0 += 1 }
            await mayEnd.wait { $0 }
          }
        }
      }
      await begun.wait { $0 == PasswordHasher.queue }
      #expect(await fault { _ = try await hasher.matches("x", nil) } == .busy)
      mayEnd.update { $0 = true }
    }
    #expect(await fault { _ = try await hasher.matches("x", nil) } == nil)
  }
}
