/// Decides which passwords are accepted (after NIST SP 800-63B, section 5.1.1.2): long ones that are not among the first to be guessed. No
/// kinds of characters are required.
enum PasswordRules {
  static let shortest = 10
  /// The most bytes, so that nobody makes the server hash a book.
  static let longest = 256

  /// The bytes by which a password is compared; none for one that no account can have. scrypt cannot distinguish a short password from the
  /// same one followed by zero bytes.
  static func comparable(_ password: String) -> String { password.utf8.count > longest || password.utf8.contains(0) ? "" : password }

  /// Why a password is refused; nil if it is accepted.
  static func fault(_ password: String, name: String) -> String? {
    if password.unicodeScalars.count < shortest {
      return "a password has at least \(shortest) characters; a few words are easy to remember"
    }
    if password.utf8.count > longest { return "a password has at most \(longest) bytes" }
    if password.utf8.contains(0) { return "a password has no characters U+0000" }
    let plain = password.lowercased()
    let letters = core(plain)
    if common.contains(plain) || common.contains(letters) { return "this password is among the most common ones; choose another one" }
    if letters == name || plain.split(separator: name).joined().count < 4 { return "the password must differ from the name" }
    if isRepetition(plain) || isSequence(plain) { return "this password is a repetition or a sequence; choose another one" }
    return nil
  }

  /// `password` of `password2024!`, as digits and signs at the end are tried with every word.
  private static func core(_ text: String) -> String {
    var rest = text[...]
    while let last = rest.last, !last.isLetter { rest = rest.dropLast() }
    while let first = rest.first, !first.isLetter { rest = rest.dropFirst() }
    return String(rest)
  }

  /// True for `aaaaaaaaaa` and `abcabcabcabc`.
  private static func isRepetition(_ text: String) -> Bool {
    let characters = Array(text)
    return (1...4).contains { length in characters.indices.allSatisfy { characters[$0] == characters[$0 % length] } }
  }

  /// True if each character follows the one before, upwards or downwards, as in `9876543210`.
  private static func isSequence(_ text: String) -> Bool {
    let values = text.unicodeScalars.map { Int($0.value) }
    let steps = Set(zip(values, values.dropFirst()).map { $1 - $0 })
    return steps.isSubset(of: [1, -9]) || steps.isSubset(of: [-1, 9])
  }

  /// Words that everybody tries, alone or with additions; also rows of keyboards.
  private static let common: Set<String> = Set(
    """
    password passwort motdepasse contrasena passwordpassword passw0rd p@ssw0rd p@ssword secret secretsecret letmein letmeinnow welcome
    welcomehome administrator admin adminadmin root rootroot guest guestguest changeme changemenow default iloveyou iloveyouforever
    trustno sunshine princess football baseball basketball superman batman starwars dragon monkey shadow master michael jordan jennifer
    charlie ashley daniel thomas computer internet whatever freedom hello helloworld hellohello test testtest testing bitcoin ethereum
    cryptocurrency stockmarket stockbus tothemoon diamondhands money moneymoney trading correcthorsebatterystaple
    qwerty qwertyuiop qwertzuiop azertyuiop asdfghjkl asdfghjkl; zxcvbnm qwertyqwerty asdfasdf qazwsx qazwsxedc qazwsxedcrfv
    1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc zaq12wsx zaq1xsw2cde3 q1w2e3r4t5 q1w2e3r4t5y6 qwer1234 qwerty1234 abc123 abcd1234
    a1b2c3d4e5 123qweasdzxc 123456789a 1234567890 0123456789 0987654321 1234512345 1122334455 112233445566
    1029384756 123321123321 3141592653 3141592654
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
