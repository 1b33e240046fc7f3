/// The one of `names` that was probably meant by `word`: the same in other case, otherwise the nearest; nil if none is near enough to be a
/// typing error.
public func suggestion(for word: String, among names: some Collection<String>) -> String? {
  let lower = word.lowercased()
  if let same = names.first(where: { $0.lowercased() == lower }) { return same }
  // Unicode scalars, because characters may be arbitrarily long.
  let letters = Array(word.unicodeScalars.prefix(64))
  let limit = max(1, letters.count / 3)
  let best = names.map { ($0, editDistance(letters, Array($0.unicodeScalars.prefix(64)))) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
  return best.flatMap { $0.1 <= limit ? $0.0 : nil }
}

/// `; did you mean 'near'?`, or an empty text.
public func didYouMean(_ word: String, among names: some Collection<String>) -> String {
  suggestion(for: word, among: names).map { "; did you mean '\($0)'?" } ?? ""
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one into the other (optimal string alignment).
func editDistance<Letter: Equatable>(_ a: [Letter], _ b: [Letter]) -> Int {
  if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
  var before: [Int] = []
  var last = Array(0...b.count)
  for i in 1...a.count {
    var row = [i]
    for j in 1...b.count {
      var cost = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, before[j - 2] + 1) }
      row.append(cost)
    }
    before = last
    last = row
  }
  return last[b.count]
}
