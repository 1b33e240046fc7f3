internal import StockbusCrypto
internal import StockbusText

/// The cost of computing a password's hash with scrypt (RFC 7914).
package struct PasswordCost: Sendable, Hashable {
  var rounds: Int
  var blockSize: Int
  var parallelism: Int

  /// 32 MiB and about 0.2 s.
  package static let usual = PasswordCost(rounds: 1 << 15, blockSize: 8, parallelism: 3)
}

/// A password's hash with its salt and cost, as it is stored: `scrypt$32768$8$3$SALT$HASH`.
struct PasswordHash: Sendable, Hashable {
  let cost: PasswordCost
  let salt: [UInt8]
  let hash: [UInt8]

  init(of password: String, _ cost: PasswordCost, salt: [UInt8]? = nil) throws {
    var system = SystemRandomNumberGenerator()
    let salt = salt ?? (0..<16).map { _ in UInt8.random(in: 0...255, using: &system) }
    self.cost = cost
    self.salt = salt
    hash = try Self.derive(Array(password.utf8), salt, cost, count: 32)
  }

  /// Nil if the text is not a hash, or its cost is more than this program would ever use.
  init?(text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let rounds = Int(parts[1]), let blockSize = Int(parts[2]),
      let parallelism = Int(parts[3]),
      rounds >= 2, rounds <= 1 << 20, rounds & (rounds - 1) == 0, (1...32).contains(blockSize), (1...16).contains(parallelism),
      let salt = Base64.decode(String(parts[4])), let hash = Base64.decode(String(parts[5])), hash.count == 32
    else { return nil }
    cost = PasswordCost(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
    self.salt = salt
    self.hash = hash
  }

  var text: String {
    "scrypt$\(cost.rounds)$\(cost.blockSize)$\(cost.parallelism)$\(Base64.encode(salt))$\(Base64.encode(hash))"
  }

  /// Takes as long for a wrong password as for the right one.
  func matches(_ password: String) throws -> Bool {
    let other = try Self.derive(Array(password.utf8), salt, cost, count: hash.count)
    return zip(hash, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 && other.count == hash.count
  }

  static func derive(_ password: [UInt8], _ salt: [UInt8], _ cost: PasswordCost, count: Int) throws -> [UInt8] {
    let memory = 128 * cost.blockSize * (cost.rounds + cost.parallelism) + (1 << 20)
    return try Scrypt.key(
      password, salt: salt, rounds: cost.rounds, blockSize: cost.blockSize, parallelism: cost.parallelism, memory: memory, count: count)
  }
}
