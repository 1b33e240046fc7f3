internal import StockbusDecoding
internal import StockbusPlugin

/// Recognises the kind of a file that does not match the configuration, for hints in error messages.
enum FileLook {
  /// The number of lines that are examined.
  private static let lineLimit = 200
  private static let kinds: [(kind: FeedKind, fields: [ReplayField])] = [
    (.trade, Trade.fields), (.quote, Quote.fields), (.bar, Bar.fields),
  ]

  /// The hint if all prices of another event type are among these columns or keys: `; 'open', 'high', 'low' and 'close' are a bar's: set
  /// 'event: bar'`. Empty if there is none, or if the file has those of the wanted type.
  static func otherEvent(than fields: [ReplayField], in names: [String]) -> String {
    let names = Set(names.prefix(CSVFormat.columnLimit).map { $0.lowercased() })
    func prices(_ fields: [ReplayField]) -> [String]? {
      var found: [String] = []
      for field in fields where (field.kind == .price || field.kind == .quoted) && field.isRequired {
        // A single letter is no indication.
        guard let name = field.aliases.first(where: { $0.count > 1 && names.contains($0.lowercased()) }) else { return nil }
        found.append("'\(name)'")
      }
      return found
    }
    if prices(fields) != nil { return "" }
    for other in kinds where other.fields != fields {
      guard let found = prices(other.fields), !found.isEmpty else { continue }
      return "; \(listed(found)) \(found.count == 1 ? "is" : "are") a \(other.kind)'s: set 'event: \(other.kind)'"
    }
    return ""
  }

  /// The hint for a file that begins like a raw capture although rows are expected; nil if it does not.
  static func capture(_ bytes: UnsafeBufferPointer<UInt8>, _ wanted: [ReplayField]) -> String? {
    var messages: [UnsafeBufferPointer<UInt8>] = []
    var notes: [String] = []
    var isFirst = true
    for line in bytes.split(separator: 10, maxSplits: lineLimit, omittingEmptySubsequences: true).prefix(lineLimit) {
      switch CaptureLine(UnsafeBufferPointer(rebasing: line)) {
      case .message(_, let text):
        guard let first = text.first, first == 123 || first == 91 else { return isFirst ? nil : conclude(messages, notes, wanted) }
        messages.append(text)
      case .connected, .sent: notes.append(String(decoding: line.prefix(200), as: UTF8.self))
      case .blank: continue
      case .malformed: if isFirst { return nil }
      }
      isFirst = false
    }
    return isFirst ? nil : conclude(messages, notes, wanted)
  }

  private static func conclude(
    _ messages: [UnsafeBufferPointer<UInt8>], _ notes: [String], _ wanted: [ReplayField]
  ) -> String {
    let (presets, kind) = venue(of: messages, notes, wanted)
    let names = presets.map(\.optionText)
    guard let first = names.first else {
      return "this looks like a raw capture, with a receive time before each message: set 'preset' to its venue, or say in 'decoding' "
        + "what the messages are"
    }
    let others = names.count > 1 ? " (or \(names.dropFirst().joined(separator: ", ")))" : ""
    let event = kind.map { " and 'event: \($0.rawValue)'" } ?? ""
    return "this looks like a raw capture of \(first): set 'preset: \(first)'\(others)\(event)"
  }

  /// The venues whose presets can read most of the messages, and the event type of the messages if none is of the wanted kind. Notes of the
  /// cryptofeed tool contain the address.
  private static func venue(
    of messages: [UnsafeBufferPointer<UInt8>], _ notes: [String], _ wanted: [ReplayField]
  ) -> (presets: [VenuePreset], kind: EventKind?) {
    let named = VenuePreset.allCases.filter { preset in
      guard let host = preset.spec.url?.split(separator: "/").dropFirst().first?.prefix(while: { $0 != ":" }) else { return false }
      return notes.contains { $0.contains("//\(host)") }
    }
    let presets = named.isEmpty ? VenuePreset.allCases : named
    func best(_ count: (VenuePreset) -> Int) -> [VenuePreset]? {
      let found = presets.map { (preset: $0, count: count($0)) }
      let most = found.map(\.count).max() ?? 0
      return most > 0 ? found.filter { $0.count == most }.map(\.preset) : nil
    }
    let first = kinds.first { $0.fields == wanted }.flatMap { EventKind(rawValue: $0.kind.rawValue) } ?? .trade
    for kind in [first] + EventKind.allCases.filter({ $0 != first }) {
      if let found = best({ count(messages, $0, kind).events }) { return (found, kind == first ? nil : kind) }
    }
    return (best { preset in EventKind.allCases.map { count(messages, preset, $0).known }.max() ?? 0 } ?? named, nil)
  }

  /// How many of the messages give events of the wanted kind, and how many are of a known kind.
  private static func count(
    _ messages: [UnsafeBufferPointer<UInt8>], _ preset: VenuePreset, _ kind: EventKind
  ) -> (events: Int, known: Int) {
    guard preset.spec.decodingFaults(event: kind).isEmpty,
      var reader = try? MessageReader(preset.spec, event: kind, symbols: [], limit: 1 << 20)
    else { return (0, 0) }
    var count = (events: 0, known: 0)
    for message in messages {
      var events = 0
      switch reader.read(message, received: Timestamp(ns: 0), into: { _ in events += 1 }) {
      case .unknown, .notJSON, .malformed: break
      default: count.known += 1
      }
      if events > 0 { count.events += 1 }
    }
    return count
  }
}
