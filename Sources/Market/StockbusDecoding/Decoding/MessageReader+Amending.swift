internal import MarketData

/// Keeps an event in which a number does not fit.
extension MessageReader {
  /// The index of quotes in `EventKind.allCases`.
  static let quote: Int8 = 1

  static func scaled(_ reader: inout ByteReader, _ scale: UInt64, _ written: inout UInt8) throws(TextError) -> Int64 {
    var isFiner = false
    return try reader.scaled(by: scale, decimals: &written, isFiner: &isFiner)
  }

  /// True for a long number that means "undefined" and may be missing: a size, or a side of a quote.
  @inline(never)
  mutating func isUndefined(_ node: Int, _ field: String, _ isRequired: Bool) throws(ValueProblem) -> Bool {
    if tape.nodes[node].count > Self.valueLimit { throw ValueProblem(field: field, reason: .tooLong, node: node) }
    if !NoNumber.isLimit(bytes(node)) { return false }
    if !isRequired {
      keep(\.unfit, ValueProblem(field: field, reason: .undefined, node: node), "; it is 0 in the event, and the rest is kept")
    } else if wanted == Self.quote {
      isOneSided = true
    } else {
      throw ValueProblem(field: field, reason: .undefined, node: node)
    }
    return true
  }

  /// True if null means 0: for a size, and for a side of a quote without an offer.
  @inline(never)
  mutating func mayBeNull(_ isRequired: Bool) -> Bool {
    if isRequired, wanted == Self.quote { isOneSided = true }
    return !isRequired || wanted == Self.quote
  }

  /// Sets the sizes of sides without an offer to 0.
  @inline(never)
  mutating func clearSides() {
    isOneSided = false
    if values.prices.0.raw == 0 { values.sizes.0 = 0 }
    if values.prices.1.raw == 0 { values.sizes.1 = 0 }
  }

  /// The value that replaces a number that could not be read; throws the problem if there is no such value.
  @inline(never)
  mutating func amended(
    _ problem: ValueProblem, _ code: TextError.Code, _ scale: UInt64, isRequired: Bool
  ) throws(ValueProblem) -> Int64 {
    let text = bytes(problem.node)
    if isRequired {
      if wanted == Self.quote, text.isEmpty || NoNumber.isWord(text) || NoNumber.isLimit(text) {
        isOneSided = true
        return 0
      }
      if NoNumber.isLimit(text) { throw ValueProblem(field: problem.field, reason: .undefined, node: problem.node) }
      guard code == .tooManyDecimals, book.roundsPrices, let raw = fitted(text, scale, .round), raw != 0 else { throw problem }
      keep(\.rounded, problem, "; it is rounded to nine decimals")
      decimals = 9
      return raw
    }
    if NoNumber.isWord(text) { return 0 }
    switch code {
    case .tooManyDecimals:
      guard let raw = fitted(text, scale, .cut) else { throw problem }
      keep(\.cut, problem, "; it is cut after the ninth")
      decimals = 9
      return raw
    case .outOfRange:
      let remedy = scale < 1_000_000_000 ? "; 'size_scale: \(scale * 1000)' reads sizes in units of \(scale * 1000)" : ""
      keep(\.unfit, problem, "; it is 0 in the event, and the rest is kept\(remedy)")
      return 0
    default: throw problem
    }
  }

  private func fitted(_ text: UnsafeBufferPointer<UInt8>, _ scale: UInt64, _ finer: FinerNumbers) -> Int64? {
    var reader = ByteReader(text)
    var (decimals, isFiner) = (UInt8(0), false)
    guard let raw = try? reader.scaled(by: scale, finer: finer, decimals: &decimals, isFiner: &isFiner), reader.isAtEnd else { return nil }
    return raw
  }

  /// Counts a value that did not fit; the first of its kind is also described.
  private mutating func keep(_ count: WritableKeyPath<KeptValues, Int>, _ problem: ValueProblem, _ what: String) {
    kept[keyPath: count] += 1
    described[keyPath: count] += 1
    if described[keyPath: count] == 1 { remarks.append(problem.description(in: tape) + what) }
  }

  /// The values that did not fit since the last call: their counts, and descriptions of the first of each kind.
  package mutating func takeKept() -> (counts: KeptValues, remarks: [String])? {
    if kept == KeptValues() { return nil }
    defer { (kept, remarks) = (KeptValues(), []) }
    return (kept, remarks)
  }
}
