internal import StockbusPlugin
internal import StockbusSystem

/// The credentials by which a client identifies itself.
enum NATSCredentials: Sendable {
  case none
  case password(user: String, Secret)
  case token(Secret)
  case nkey(NKey)
  /// A token that names the owner of the key.
  case jwt(Secret, NKey)

  /// The largest credentials file.
  static var fileLimit: Int { 1 << 16 }

  /// Reads the credentials file, if there is one. The file is read again for every connection, because such tokens expire and are replaced.
  init(_ login: NATSLogin) throws(NATSError) {
    if let user = login.user {
      self = .password(user: user, login.password ?? Secret(""))
    } else if let token = login.token {
      self = .token(token)
    } else if let seed = login.nkey {
      guard let key = NKey(seed: seed) else { throw .refused("'nkey' is not the seed of a user's NKey") }
      self = .nkey(key)
    } else if let path = login.credentials {
      self = try Self.read(path)
    } else {
      self = .none
    }
  }

  private static func read(_ path: String) throws(NATSError) -> NATSCredentials {
    var bytes: [UInt8]?
    do throws(Errno) { bytes = try FileDescriptor.contents(ofPlainFile: path, atMost: fileLimit + 1) } catch {
      if error != .noSuchFileOrDirectory { throw .refused("\(path): cannot be read") }
    }
    guard let bytes, bytes.count <= fileLimit else {
      throw .refused("\(path): not a credentials file, which has at most \(fileLimit) bytes")
    }
    return try parse(String(decoding: bytes, as: UTF8.self), path)
  }

  /// The two texts between lines of dashes: `-----BEGIN NATS USER JWT-----` and `-----BEGIN USER NKEY SEED-----`.
  static func parse(_ text: String, _ path: String) throws(NATSError) -> NATSCredentials {
    var parts: [String: String] = [:]
    var name: String?
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
        name = String(line.dropFirst(11).dropLast(5))
      } else if line.hasPrefix("---") {
        name = nil
      } else if let name {
        parts[name, default: ""] += line.filter { !$0.isWhitespace }
      }
    }
    guard let token = parts["NATS USER JWT"], let seed = parts["USER NKEY SEED"], let key = NKey(seed: Secret(seed)) else {
      throw .refused("\(path): not a credentials file: a part 'NATS USER JWT' and a part 'USER NKEY SEED' are needed")
    }
    return .jwt(Secret(token), key)
  }
}
