import TestSupport
import Testing

@testable import StockbusPeople

@Suite struct PasswordTests {
  /// RFC 7914, section 12.
  @Test(arguments: [
    ("", "", PasswordCost(rounds: 16, blockSize: 1, parallelism: 1), "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"),
    (
      "password", "NaCl", PasswordCost(rounds: 1024, blockSize: 8, parallelism: 16),
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
    ),
  ]) func `scrypt gives the specification's answers`(_ password: String, _ salt: String, _ cost: PasswordCost, _ known: String) throws {
    let key = try PasswordHash.derive(Array(password.utf8), Array(salt.utf8), cost, count: 64)
    #expect(key.prefix(32).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == known)
  }

  @Test func `a hash is stored with its cost, and only its password matches it`() throws {
    let cheap = PasswordCost(rounds: 16, blockSize: 1, parallelism: 1)
    let hash = try PasswordHash(of: "a horse on a roof", cheap)
    let read = try #require(PasswordHash(text: hash.text))
    #expect(read == hash && hash.text.hasPrefix("scrypt$16$1$1$"))
    #expect(try read.matches("a horse on a roof"))
    #expect(try !read.matches("a horse on a roof ") && !read.matches(""))
    #expect(try PasswordHash(of: "a horse on a roof", cheap) != hash)
  }

  @Test(arguments: [
    "", "scrypt$16$1$1$AAAA", "bcrypt$16$1$1$AAAA$AAAA", "scrypt$15$1$1$AAAA$AAAA", "scrypt$1073741824$8$1$AAAA$AAAA",
    "scrypt$16$1$1$AAAA$AAAA", "scrypt$-16$1$1$AAAA$AAAA",
  ]) func `a text that is no hash is none`(_ text: String) { #expect(PasswordHash(text: text) == nil) }

  @Test(arguments: [
    "short", "ninechars", "1234567890", "0987654321", "9876543210", "abcdefghijkl", "aaaaaaaaaaaa", "abcabcabcabc", "Password2024!",
    "!!welcome!!", "QWERTYUIOP", "1q2w3e4r5t", "hannah1234", "hannahhannah", "hannah-2024", "correcthorsebatterystaple",
    String(repeating: "xy7 ", count: 65), "four plain words here\u{0}",
  ]) func `passwords that are tried first are refused`(_ password: String) {
    #expect(PasswordRules.fault(password, name: "hannah") != nil)
  }

  /// scrypt takes these two for one.
  @Test func `zero bytes behind a password make it another one`() throws {
    let password = "four plain words"
    #expect(try PasswordHash(of: password, PasswordCost(rounds: 16, blockSize: 1, parallelism: 1)).matches(password + "\u{0}"))
    #expect(PasswordRules.comparable(password) == password && PasswordRules.comparable(password + "\u{0}").isEmpty)
  }

  @Test func `a password that waits is given up with its task`() async {
    let hasher = PasswordHasher(PasswordCost(rounds: 16, blockSize: 1, parallelism: 1))
    let errors = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var errors: [AccountError?] = []
      do { _ = try await hasher.hash("x") } catch { errors.append(error as? AccountError) }
      do { _ = try await hasher.matches("x", nil) } catch { errors.append(error as? AccountError) }
      return errors
    }.value
    #expect(errors == [.busy, .busy])
  }

  @Test(arguments: ["four plain words here", "tr0ub4dor&3x", "ääääöööüüß", "zwölf Bären", "          x", "hannah likes trains"])
  func `long ones are taken, whatever characters they have`(_ password: String) {
    #expect(PasswordRules.fault(password, name: "hannah") == nil)
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("unix", "unix"), ("2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8::1", "2001:db8:0:0::/64"),
    ("::1", "0:0:0:0::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("1:2", "1:2"),
  ]) func `attempts are counted for networks of IPv6`(_ address: String, _ key: String) { #expect(AddressKey.of(address) == key) }

  @Test func `attempts come back with time, one after the other, and a model agrees`() {
    var limits = AttemptLimits<Int>(3, refill: .seconds(10))
    func take(_ at: Int) -> Duration? { limits.take(1, now: .seconds(at)) }
    #expect(take(0) == nil && take(1) == nil && take(2) == nil)
    #expect(take(3) == .seconds(7))
    #expect(take(10) == nil)
    #expect(take(11) == .seconds(9))
    limits.giveBack(1, now: .seconds(11))
    #expect(take(11) == nil)
    #expect(take(100) == nil && take(100) == nil && take(100) == nil)
    #expect(take(100) == .seconds(10))
    #expect(limits.take(2, now: .seconds(100)) == nil)
  }

  @Test func `more keys than there is room for cost an attacker as many addresses, and no memory`() {
    var limits = AttemptLimits<Int>(1, refill: .seconds(10), mostKeys: 100)
    for key in 0..<10_000 { #expect(limits.take(key, now: .seconds(1)) == nil) }
    #expect(limits.take(9_999, now: .seconds(1)) == .seconds(10))
  }

  @Test func `secrets have 256 bits, are all different, and fit into a cookie`() {
    let secrets = (0..<100).map { _ in RandomSecret() }
    #expect(Set(secrets.map(\.text)).count == 100)
    #expect(secrets.allSatisfy { RandomSecret.isPlausible($0.text) && $0.hash.count == 32 && $0.hash == RandomSecret.hash($0.text) })
    let characters = Set(secrets.flatMap { Array($0.text) })
    #expect(characters.count == 64 && characters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
  }
}
