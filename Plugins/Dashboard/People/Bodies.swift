internal import StockbusPeople
internal import StockbusDecoding
internal import StockbusText
internal import StockbusWeb

/// The bodies of the requests.
enum Bodies {
  struct Signup: Decodable {
    let name: String
    let password: String
    let invitation: String?
  }

  struct Login: Decodable {
    let name: String
    let password: String
  }

  struct Logout: Decodable {
    let everywhere: Bool?
  }

  struct NewPassword: Decodable {
    let old: String
    let new: String
  }

  struct Proof: Decodable {
    let password: String
  }

  struct NewToken: Decodable {
    let name: String
    let scopes: [String]
  }

  struct Symbols: Decodable {
    let symbols: [String]
  }

  struct Muting: Decodable {
    let muted: Bool
  }

  /// The body as this type. Throws `AccountError.malformed`, which does not repeat the body, as it may hold a password.
  static func read<Body: Decodable>(_: Body.Type, _ request: WebRequest) throws(AccountError) -> Body {
    do { return try JSONDocument.decode(Body.self, request.body) } catch let error as DecodingError {
      let (key, what): (String?, String) =
        switch error {
        case .keyNotFound(let key, _): (key.stringValue, "is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context): (context.codingPath.first?.stringValue, "has the wrong type")
        default: (nil, "")
        }
      throw .malformed(key.map { "'\($0)' \(what)" } ?? "the body is not the expected JSON object")
    } catch { throw .malformed("the body is not the expected JSON object") }
  }

  /// The body as the text of a JSON object, unchanged.
  static func object(_ request: WebRequest) throws(AccountError) -> String {
    guard let text = String(validating: request.body, as: UTF8.self) else { throw .malformed("the body is not UTF-8") }
    if let fault = JSONGrammar.fault(in: text) { throw .malformed("the body is not JSON: \(fault)") }
    guard text.first(where: { !$0.isWhitespace }) == "{" else { throw .malformed("the body is not a JSON object") }
    return text
  }
}
