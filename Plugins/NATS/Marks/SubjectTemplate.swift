internal import EventBus
internal import MarketData

/// A subject with `{partition}` or `{symbol}` in it, or neither.
///
/// A symbol's partition is the 64-bit FNV-1a hash of its name modulo the number of partitions, so that every program, in any language,
/// computes the same partition.
struct SubjectTemplate: Sendable {
  enum Kind: Sendable, Hashable { case fixed, partition, symbol }

  let kind: Kind
  private let before: String
  private let after: String

  /// The text without a placeholder has the kind `fixed`. Text between other braces is left as it is, and is no valid subject.
  init(_ text: String) {
    for (word, kind) in [("{partition}", Kind.partition), ("{symbol}", Kind.symbol)] {
      guard let range = text.firstRange(of: word) else { continue }
      self.kind = kind
      before = String(text[..<range.lowerBound])
      after = String(text[range.upperBound...])
      return
    }
    kind = .fixed
    before = text
    after = ""
  }

  func subject(partition: Int) -> String { kind == .fixed ? before : "\(before)\(partition)\(after)" }
  func subject(symbol: String) -> String { before + NATSSubject.token(symbol) + after }
  /// The subject, or the pattern for all of them.
  var pattern: String { kind == .fixed ? before : "\(before)*\(after)" }

  /// The fault of the template; nil if it has none.
  func fault(wildcards: Bool) -> String? {
    let sample = subject(partition: 0)
    for word in ["{partition}", "{symbol}"] where sample.contains(word) {
      return "it can contain {partition} or {symbol} only once, and not both"
    }
    if sample.contains("{") || sample.contains("}") { return "only {partition} and {symbol} are allowed in braces" }
    if kind != .fixed, before.isEmpty || !before.hasSuffix(".") || !after.isEmpty && !after.hasPrefix(".") {
      return "{partition} and {symbol} must stand alone between dots, as in ticks.{partition}"
    }
    if kind == .symbol, sample.utf8.count + 3 * 64 > NATSLimits.subject { return "is too long" }
    return NATSSubject.fault(sample, wildcards: wildcards).map { "'\(sample)' \($0)" }
  }

  static func partition(of symbol: UnsafeBufferPointer<UInt8>, among count: Int) -> Int {
    Int(EventMark.hash(symbol) % UInt64(max(1, count)))
  }
}
