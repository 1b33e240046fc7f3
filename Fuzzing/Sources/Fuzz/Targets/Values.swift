@testable import EchoSocket
internal import EventBus
internal import MarketData
internal import StockbusDecoding
internal import StockbusPlugin

extension Target {
  /// Events from JSON and CSV, and in messages of an echo server: events that were read, written and read again are the same.
  static let events = Target(
    "events", "events as JSON, as CSV and in an echo server's answers (the first byte chooses the type)", limit: 2048,
    words: [
      "{\"seq\":17,\"event\":", "\"symbol\":\"AAPL\"", "\"price\":189.25", "\"size\":100", "\"side\":\"buy\"",
      "\"time\":\"2013-10-08T13:30:00.012Z\"",
      "\"received\":\"2013-10-08T13:30:00.012345678Z\"", "\"rank\":1", "\"open\":1", "\"bid\":1", "\\u0041", "\\\"", "null", "1e9", "-1",
      ",", "\"\"",
    ], budget: 200
  ) { bytes in
    var choices = Choices(bytes)
    let kind = choices.pick(9)
    let rest = Array(choices.rest)
    switch kind {
    case 0: check(Trade.self, rest)
    case 1: check(Quote.self, rest)
    case 2: check(Bar.self, rest)
    case 3: check(Ranked.self, rest)
    case 4: check(Alert.self, rest)
    case 5: check(ConnectionStatus.self, rest)
    case 6: check(Gap.self, rest)
    case 7: check(DeadLetter.self, rest)
    default: check(RawMessage.self, rest)
    }
  }

  private static func check<E: Event & Hashable>(_: E.Type, _ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bytes in
      var json = ByteReader(bytes)
      if let event = try? E.schema.decodeJSON(&json) {
        law(
          reread(event) { (text) throws(TextError) in
            try E.schema.decodeJSON(&text)
          } write: {
            E.schema.encodeJSON($0, to: &$1)
          }, "\(event) is another after JSON")
        law(json.offset <= bytes.count, "it reads beyond the end")
      }
      var csv = ByteReader(bytes)
      if let event = try? E.schema.decodeCSV(&csv) {
        law(
          reread(event) { (text) throws(TextError) in
            try E.schema.decodeCSV(&text)
          } write: {
            E.schema.encodeCSV($0, to: &$1)
          }, "\(event) is another after CSV")
      }
      switch EchoEnvelope.read(bytes) {
      case .answer(let number, let place):
        law(place.lowerBound >= 0 && place.upperBound <= bytes.count, "the event lies at \(place) of \(bytes.count) bytes")
        let sent = E.schema.example
        if EchoEnvelope.difference(bytes, at: place, from: sent) == nil {
          var event = ByteReader(UnsafeBufferPointer(rebasing: bytes[place]))
          law((try? E.schema.decodeJSON(&event)) == sent, "another event is taken for the one that was sent")
        }
        var out = ByteWriter()
        EchoEnvelope.write(number, sent, to: &out)
        let isTaken = out.withBytes { bytes in
          guard case .answer(number, let place) = EchoEnvelope.read(bytes) else { return false }
          return EchoEnvelope.difference(bytes, at: place, from: sent) == nil
        }
        law(isTaken, "what was sent as \(number) is not known again")
      case .malformed(let reason): law(!reason.isEmpty, "a reason is told")
      }
    }
  }

  private static func reread<E: Event & Hashable>(
    _ event: E, read: (inout ByteReader) throws(TextError) -> E, write: (E, inout ByteWriter) -> Void
  ) -> Bool {
    var out = ByteWriter()
    write(event, &out)
    return out.withBytes { bytes in
      var reader = ByteReader(bytes)
      guard let again = try? read(&reader), again == event else { return false }
      return (try? reader.expectEnd()) != nil
    }
  }

  /// Prices, times, durations and similar values: reading is exact, and values that were read, written and read again are the same.
  static let values = Target(
    "values", "numbers, times, durations, sizes and symbols as text", limit: 128,
    words: [
      "9223372036.854775807", "-9223372036.854775808", "1e-9", "2013-10-08T13:30:00.012345678Z", "+05:30", "1h30m", "250ms", "1.5GiB",
      "100/s",
    ],
    budget: 100
  ) { bytes in
    let written = text(bytes)
    if let price = try? Price(written) {
      law((try? Price(price.description)) == price, "'\(written)' is \(price), and that is another price")
      if let exact = Self.billionths(written) {
        law(exact == Int128(price.raw), "'\(written)' is \(price), and should be \(exact) billionths")
      }
    } else if let exact = Self.billionths(written) {
      law(Int64(exactly: exact) == nil || written.utf8.count > 60, "'\(written)' is no price, and should be \(exact) billionths")
    }
    if let percent = try? Percent(written) { law((try? Percent(percent.description)) == percent, "'\(written)' is \(percent)") }
    if let size = try? Quantity(written) { law((try? Quantity(size.description)) == size, "'\(written)' is \(size)") }
    if let time = try? Timestamp(iso8601: written) {
      law((try? Timestamp(iso8601: time.description)) == time, "'\(written)' is \(time), and that is another time")
    }
    if let symbol = try? Symbol(written) {
      law(symbol.description == written && (1...64).contains(written.utf8.count), "'\(written)' becomes \(symbol)")
      law(isPlainName(written), "'\(written)' is a symbol")
      law(Symbol.fault(in: written) == nil, "'\(written)' is a symbol, and none")
    }
    Self.again(Duration.self, written)
    Self.again(ByteSize.self, written)
    Self.again(Rate.self, written)
  }

  private static func isPlainName(_ name: String) -> Bool {
    name.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 && !",\"\\".unicodeScalars.contains($0) }
  }

  private static func again<O: ScalarOption & Equatable>(_: O.Type, _ text: String) {
    guard let value = try? O(option: text) else { return }
    law((try? O(option: value.optionText)) == value, "'\(text)' is written as '\(value.optionText)', and that is another \(O.self)")
  }

  /// The value in units of 1e-9, computed digit by digit; nil if the text is not a plain decimal number of at most nine decimals.
  private static func billionths(_ text: String) -> Int128? {
    var rest = text.utf8[...]
    let isNegative = rest.first == 45
    if isNegative { rest = rest.dropFirst() }
    let parts = rest.split(separator: 46, maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, !whole.isEmpty, whole.count < 20, whole.allSatisfy({ (48...57).contains($0) }) else { return nil }
    var value: Int128 = 0
    for digit in whole { value = value * 10 + Int128(digit - 48) }
    let decimals = parts.count == 2 ? Array(parts[1]) : []
    if parts.count == 2, decimals.isEmpty || decimals.count > 9 || !decimals.allSatisfy({ (48...57).contains($0) }) { return nil }
    for i in 0..<9 { value = value * 10 + (i < decimals.count ? Int128(decimals[i] - 48) : 0) }
    return isNegative ? -value : value
  }
}
