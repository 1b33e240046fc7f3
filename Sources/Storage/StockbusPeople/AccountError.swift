/// Why a request about an account was refused, in words for the person.
package enum AccountError: Error, Sendable, Hashable {
  case badName
  case badPassword(String)
  case nameTaken
  /// The name, the password or both are wrong; the error does not say which.
  case wrongLogin
  case signupClosed
  case badInvitation
  /// Too many attempts; the next one may be made after `seconds`.
  case tooMany(seconds: Int)
  /// Too many passwords wait to be checked.
  case busy
  case unknown(String)
  case malformed(String)
  case limit(String)
  case forbidden(String)
  /// The person or its token lacks this right.
  case lacks(Scope)
  /// The token may look and change nothing.
  case readOnly
  /// The database cannot be read or written.
  case storage(String)
  /// The database cannot be read or written at present: it is locked, or its disk is full.
  case unavailable(String)
}

extension AccountError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badName: "a name has 1 to 32 letters, digits, dots, hyphens and underscores, and begins with a letter"
    case .badPassword(let why): why
    case .nameTaken: "this name is taken"
    case .wrongLogin: "the name or the password is wrong"
    case .signupClosed: "only the operator of this server creates accounts"
    case .badInvitation: "this invitation is not valid, or was used"
    case .tooMany(let seconds): "too many attempts; try again in \(seconds) \(seconds == 1 ? "second" : "seconds")"
    case .busy: "the server is busy; try again in a moment"
    case .unknown(let what): "there is no such \(what)"
    case .lacks(let scope): "this needs the right to \(scope.rawValue)"
    case .malformed(let what), .limit(let what), .forbidden(let what): what
    case .readOnly: "this token may only read; changes need a token with the right to trade or control"
    case .storage: "the data could not be saved or read"
    case .unavailable: "the server is busy: the data could not be saved or read at present; try again in a moment"
    }
  }

  /// The kind of error as a word, for programs.
  package var code: String {
    switch self {
    case .badName: "bad_name"
    case .badPassword: "bad_password"
    case .nameTaken: "name_taken"
    case .wrongLogin: "wrong_login"
    case .signupClosed: "signup_closed"
    case .badInvitation: "bad_invitation"
    case .tooMany: "too_many"
    case .busy, .unavailable: "busy"
    case .unknown: "unknown"
    case .malformed: "malformed"
    case .limit: "limit"
    case .forbidden: "forbidden"
    case .lacks, .readOnly: "scope"
    case .storage: "storage"
    }
  }
}
