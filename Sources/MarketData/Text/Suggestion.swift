/// The one of `names` that `word` was probably meant to be: itself in other letters, else the nearest; nil where none is near enough
/// to be a slip of the finger.
public func suggestion(for word: String, among names: some Collection<String>) -> String? {
  let lower = word.lowercased()
  if let same = names.first(where: { $0.lowercased() == lower }) { return same }
  // Characters of Unicode, as what a reader takes for one may be endless.
  let letters = Array(word.unicodeScalars.prefix(64))
  let limit = max(1, letters.count / 3)
  let best = names.map { ($0, editDistance(letters, Array($0.unicodeScalars.prefix(64)))) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
  return best.flatMap { $0.1 <= limit ? $0.0 : nil }
}

/// `; did you mean 'near'?`, or nothing.
public func didYouMean(_ word: String, among names: some Collection<String>) -> String {
  suggestion(for: word, among: names).map { "; did you mean '\($0)'?" } ?? ""
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other (optimal string alignment).
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
