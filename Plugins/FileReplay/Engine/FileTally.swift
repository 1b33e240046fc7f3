internal import MarketData

/// The results for one file. At the end, the note says why the file gave no event, or which sizes are 0 in all of its events.
struct FileTally {
  /// The name used in errors.
  let name: String
  let isCapture: Bool
  /// Bytes that were read, before decompression.
  var bytes = 0
  var hasHeader = false
  var counts = ReplayCounts()
  /// The first malformed row.
  var firstMalformed: MalformedRow?
  /// The time of the last row with a time.
  var last: Timestamp?
  /// Sizes that were missing in all rows, as indices of the event's fields.
  var missingSizes: [Int] = []

  /// The note; nil if the file gave events, and each had its size.
  func note(fields: [ReplayField], event: String, from: Timestamp?, until: Timestamp?) -> String? {
    if counts.events > 0 { return sizeNote(fields) }
    if let row = firstMalformed {
      let outside = counts.outside > 0 ? "\(counted(counts.outside)) outside of 'from' and 'until', " : ""
      return
        "\(name) has no valid \(event): \(outside)\(counted(counts.malformed, "malformed ")), the first on line \(row.line): \(row.reason)"
    }
    if counts.outside > 0 { return outsideNote(from, until) }
    if counts.unknown > 0 {
      return "\(name) has no \(event): \(counted(counts.unknown)) of an unknown kind, which no 'when' in the decoding fits"
    }
    if bytes == 0 { return "\(name) is empty" }
    if isCapture { return "\(name) has no message that becomes a \(event)" }
    return hasHeader ? "\(name) has a header and no rows" : "\(name) has no rows"
  }

  private func counted(_ count: Int, _ kind: String = "") -> String {
    "\(count) \(kind)\(isCapture ? "message" : "row")\(count == 1 ? "" : "s")"
  }

  private func outsideNote(_ from: Timestamp?, _ until: Timestamp?) -> String {
    let window: String
    switch (from, until) {
    case (let from?, nil): window = "before 'from' (\(from))"
    case (nil, let until?): window = "not before 'until' (\(until))"
    case (let from?, let until?): window = "outside of 'from' and 'until' (\(from) to \(until))"
    case (nil, nil): window = "outside"
    }
    let place = last.map { ", the last at \($0)" } ?? ""
    return "\(name) sent no event: \(counted(counts.outside)),\(counts.outside > 1 ? " all" : "") \(window)\(place)"
  }

  private func sizeNote(_ fields: [ReplayField]) -> String? {
    if missingSizes.isEmpty { return nil }
    let names = missingSizes.map { fields[$0].name }
    let tried = missingSizes.map { fields[$0].aliases.map { "'\($0)'" }.joined(separator: ", ") }
    let looked = zip(names, tried).map { names.count > 1 ? "\($0): \($1)" : $1 }.joined(separator: "; ")
    return
      "\(name) has no \(listed(names)) (looked for \(looked)): \(names.count > 1 ? "they are" : "it is") 0 in every event; if the file has one, "
      + "set 'columns: { \(names[0]): ITS-NAME }'"
  }
}
