/// `Alternatives limits`, or `Alternatives count ROUNDS NAME CASE…`, or `Alternatives time SECONDS CASE…`.
///
/// A case is `order SYMBOLS tick|places|jump`, `decode BYTES plain|masked READ` or `encode BYTES plain|masked`. `limits` prints a table, the
/// others a line of JSON; `count` is for callgrind, with one of the case's contestants. `compare.py` runs them all.
@main
struct Alternatives {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["limits"] { return Limits.print() }
    if arguments.count > 3, arguments[0] == "count", let rounds = Int(arguments[1]), let contest = contest(arguments[3...]) {
      return contest.count(arguments[2], rounds: rounds)
    }
    if arguments.count > 2, arguments[0] == "time", let seconds = Double(arguments[1]), let contest = contest(arguments[2...]) {
      return contest.time(seconds: seconds)
    }
    print("usage: Alternatives limits | count ROUNDS NAME CASE… | time SECONDS CASE…")
  }

  private static func contest(_ words: ArraySlice<String>) -> Contest? {
    let words = Array(words)
    guard words.count > 2, let size = Int(words[1]), size > 0 else { return nil }
    switch words[0] {
    case "order": return Moves.Kind(rawValue: words[2]).map { .order(symbols: size, $0) }
    case "decode": return words.count > 3 ? Int(words[3]).map { .decode(bytes: size, isMasked: words[2] == "masked", read: $0) } : nil
    case "encode": return .encode(bytes: size, isMasked: words[2] == "masked")
    default: return nil
    }
  }
}
