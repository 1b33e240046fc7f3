internal import CZlib
internal import EventBus
@testable import FileReplay
internal import MarketData
@testable import StockbusDecoding
internal import StockbusFiles

/// The whole result of a replay.
private struct Outcome<E: ReplayEvent & Equatable>: Equatable {
  var events: [E] = []
  var malformed: [MalformedRow] = []
  var error: ReplayError?
  var counts = ReplayCounts()

  init(_ bytes: [UInt8], _ options: ReplayOptions, limit: Int = 1000) {
    do throws(ReplayError) {
      var replay = try Replay<E>([ReplayInput(name: "f", contents: .bytes(bytes))], options)
      defer { counts = replay.counts }
      while true {
        let before = events.count
        let count = try replay.next(limit: limit) { run in
          for i in run.indices { events.append(run[i]) }
        } noted: {
          if case .malformed(let row) = $0 { malformed.append(row) }
          return .skip
        }
        law(count == events.count - before && count <= limit, "\(count) events were announced, \(events.count - before) came")
        if count == 0 { break }
      }
    } catch {
      self.error = error
      // What a wrong header is explained by depends on how much of the file has been read.
      if error.code == .badColumns { self.error?.message = "" }
    }
  }

  /// Checks the properties of every file.
  func check() {
    law(counts.events == events.count, "\(counts.events) events are counted, \(events.count) came")
    law(counts.malformed == malformed.count, "\(counts.malformed) malformed rows are counted, \(malformed.count) came")
    for row in malformed {
      law(row.line >= 1 && !row.reason.isEmpty && row.text.utf8.count <= 3 * MalformedRow.textLimit, "a row is told: \(row)")
    }
  }
}

/// Replays the bytes with these sizes of blocks and batches; the result must be the same for all sizes.
private func replay<E: ReplayEvent & Equatable>(_: E.Type, _ bytes: [UInt8], _ options: ReplayOptions, _ sizes: [Int]) -> Outcome<E> {
  let whole = Outcome<E>(bytes, options)
  whole.check()
  for size in sizes {
    var cut = options
    cut.blockSize = size
    let other = Outcome<E>(bytes, cut, limit: size)
    law(other == whole, "blocks of \(size) bytes give \(other), whole it gives \(whole)")
  }
  return whole
}

private func makeOptions(_ fill: (inout ReplayOptions) -> Void) -> ReplayOptions {
  var options = ReplayOptions()
  // Larger than any input, but not much, because blocks are cleared when they are allocated.
  options.blockSize = 8192
  fill(&options)
  return options
}

extension Target {
  /// Rows of delimited fields: the result is the same with blocks of any size, and events that are written and read again are the same.
  static let csv = Target(
    "csv", "files of delimited rows (the first byte chooses options)", limit: 4096,
    words: [
      "symbol", "price", "size", "side", "time", "received", "bid", "ask", "bid_size", "ask_size", "open", "high", "low", "close", "volume",
      ",", ";", "\t", "|", "\r\n", "\"", "\"\"", "\u{feff}", "2013-10-08T13:30:00.012Z", "1719850000123456789", "2008-01-02", "buy", "S",
      "01/02/2024 9:30:00.5 AM", "$1,234.50", "1.2K", "#",
      "1e-9", "-0.5", "9223372036.854775807", "AAPL,1.5,1\n",
    ], budget: 1000
  ) { bytes in
    var choices = Choices(bytes)
    let kind = choices.pick(12)
    let options = makeOptions {
      $0.format = .csv
      $0.lineLimit = 200
      if kind == 1 { $0.csv.delimiter = .semicolon }
      if kind == 2 { $0.csv.delimiter = .tab }
      if kind == 3 {
        $0.csv.hasHeader = false
        $0.columns = ["symbol": "1", "price": "2", "time": "3"]
      }
      if kind == 4 { $0.symbol = "SPY" }
      if kind == 5 { $0.priceScale = 10_000 }
      if kind == 6 {
        $0.time.format = .millisecondsSinceMidnight
        $0.date = CivilDate(year: 2013, month: 10, day: 8)
      }
      if kind == 7 { $0.encoding = .windows1252 }
      if kind == 8 { $0.encoding = .utf16 }
      if kind == 9 { ($0.csv.skipped, $0.csv.ignored, $0.numbers) = (1, [[35]], .grouped) }
      if kind == 10 { $0.columns = ["date": "received", "size": "size", "side": "size"] }
      if kind == 11, let pattern = try? TimePattern("MM/dd/yyyy h:mm:ss.S a") { $0.time = TimeForm(pattern) }
    }
    let file = Array(choices.rest)
    let guess = FileGuess(.bytes(file), name: "f")
    law(guess.problem != nil || guess.rows > 0, "a guess without a problem reads rows")
    let trades = replay(Trade.self, file, options, [1, 7, 64])
    _ = replay(Quote.self, file, options, [13])
    _ = replay(Bar.self, file, options, [31])
    var out = ByteWriter()
    out.append(Trade.schema.fields.map(\.name).joined(separator: ",") + "\n")
    for trade in trades.events {
      Trade.schema.encodeCSV(trade, to: &out)
      out.append("\n")
    }
    let again = Outcome<Trade>(out.withBytes { Array($0) }, makeOptions { $0.format = .csv })
    checkWrittenAgain(again, trades, isScaled: kind == 5)
  }

  /// Rows that are JSON objects: the same properties; and a row that gives an event is valid JSON.
  static let json = Target(
    "json", "files of JSON lines (the first byte chooses options)", limit: 4096,
    words: [
      "\"symbol\":", "\"price\":", "\"size\":", "\"side\":", "\"time\":", "\"received\":", "\"data\":",
      "{\"symbol\":\"A\",\"price\":1,\"time\":1}\n",
      "{", "}", "[", "]", "\\u0041", "\\ud83d\\ude00", "\\", "null", "true", "1e3", "-0.5", "\"2013-10-08T13:30:00.012Z\"", "\r\n",
      "\u{7f}",
      "\u{9b}",
    ], budget: 1000
  ) { bytes in
    var choices = Choices(bytes)
    let kind = choices.pick(4)
    let options = makeOptions {
      $0.format = .jsonLines
      $0.lineLimit = 300
      if kind == 1 { $0.columns = ["price": "data.p", "symbol": "data.s[0]"] }
      if kind == 2 { $0.symbol = "SPY" }
      if kind == 3 { $0.priceScale = 100 }
    }
    let file = Array(choices.rest)
    let trades = replay(Trade.self, file, options, [1, 7, 64])
    _ = replay(Quote.self, file, options, [13])
    var out = ByteWriter()
    for trade in trades.events {
      Trade.schema.encodeJSON(trade, to: &out)
      out.append("\n")
    }
    let again = Outcome<Trade>(out.withBytes { Array($0) }, makeOptions { $0.format = .jsonLines })
    checkWrittenAgain(again, trades, isScaled: kind == 3)
    for line in file.split(separator: 10) {
      // A byte-order mark before the first line, and blanks around it.
      var line = Array(line)
      if line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
      // Values that are not read need not be UTF-8.
      let words = Array(String(decoding: line, as: UTF8.self).utf8)
      if line.count > 300 || line.contains(13) || JSONModel.read(words, depthLimit: 64) != nil { continue }
      let one = Outcome<Trade>(line, options)
      law(one.events.isEmpty, "an event out of what is no JSON: '\(text(line))' gives \(one.events)")
    }
  }

  /// Events that were written and read are the same. A price that was divided by a scale has the decimals it was written with before, and those
  /// of the quotient after.
  private static func checkWrittenAgain(_ again: Outcome<Trade>, _ trades: Outcome<Trade>, isScaled: Bool) {
    var (new, old) = (again.events, trades.events)
    if isScaled {
      for i in new.indices { new[i].priceDecimals = 0 }
      for i in old.indices { old[i].priceDecimals = 0 }
    }
    law(new == old && again.malformed.isEmpty, "written again it is \(again), and was \(trades)")
  }

  /// Compressed files: complete ones give their contents; cut and damaged ones give the beginning and an error.
  static let gzip = Target(
    "gzip", "compressed files, damaged ones among them (the first bytes say where)", limit: 4096, seeds: gzipSeeds, budget: 1000
  ) { bytes in
    var choices = Choices(bytes)
    let options = makeOptions {
      $0.csv.hasHeader = false
      $0.columns = ["symbol": "1", "price": "2", "time": "3"]
      $0.format = .csv
    }
    switch choices.pick(3) {
    case 0:
      // Arbitrary bytes as compressed data.
      _ = replay(Trade.self, [0x1f, 0x8b] + choices.rest, options, [1, 64])
    case 1:
      // In members of any size; zeros may follow.
      let sizes = [choices.pick(256), choices.pick(256) * 16]
      let zeros = choices.pick(20)
      let plain = Array(choices.rest)
      // Contents that begin like a compressed file would be treated as one.
      if plain.starts(with: [0x1f, 0x8b]) { return }
      let packed = plain.isEmpty ? compressed([]) : pieces(plain[...], sizes).flatMap { compressed(Array($0)) }
      let expected = Outcome<Trade>(plain, options)
      if expected.error != nil { return }
      let got = replay(Trade.self, packed + [UInt8](repeating: 0, count: zeros), options, [7])
      law(got == expected, "out of gzip comes \(got), plain it is \(expected)")
    default:
      // One byte changed, or the end cut off.
      let (place, change, isCut) = (choices.pick(256) * 256 + choices.pick(256), UInt8(choices.pick(256)), choices.coin())
      let plain = Array(choices.rest)
      if plain.starts(with: [0x1f, 0x8b]) || plain.isEmpty { return }
      let expected = Outcome<Trade>(plain, options)
      if expected.error != nil { return }
      var packed = compressed(plain)
      let at = 2 + place % (packed.count - 2)
      if isCut { packed.removeSubrange(at...) } else { packed[at] ^= change }
      let got = replay(Trade.self, packed, options, [7])
      // Header fields that do not affect the data may be changed without an error; otherwise there is an error, and no event that was not
      // in the file.
      if got.error == nil { law(got == expected, "damage at \(at) is not seen: \(got) instead of \(expected)") }
      if isCut { law(got.error?.code == .badGzip, "cut off at \(at), and no error") }
    }
  }

  private static let gzipSeeds: [[UInt8]] = {
    let table = Array((0..<40).map { "A,\($0).5,\($0)\n" }.joined().utf8)
    return [
      [0] + compressed(table).dropFirst(2), [0] + (compressed(table) + compressed([]) + compressed(table) + [0, 0]).dropFirst(2),
      [1, 50, 1, 3] + table, [2, 0, 40, 255, 0] + table, [2, 1, 7, 1, 1] + table,
    ]
  }()

  /// Gzip (RFC 1952) by zlib.
  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    deflateInit2_(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 32)
    return input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        deflate(&stream, Z_FINISH)
        return Array(target.prefix(target.count - Int(stream.avail_out)))
      }
    }
  }

  /// Messages with their times of receipt: the result is the same with blocks of any size, and messages that are written and read again are
  /// the same.
  static let captures = Target(
    "captures", "raw captures of a venue (the first byte chooses it)", limit: 4096,
    words: ["1618677545000000001 ", "1618677545.25: ", " <-> ", " <- ", "wss://x", "\n", "\r\n", "[7,\"hb\",1]", "{\"e\":\"trade\""]
      + venueWords,
    budget: 1000
  ) { bytes in
    var choices = Choices(bytes)
    let preset = VenuePreset.allCases[choices.pick(VenuePreset.allCases.count)]
    let options = makeOptions {
      $0.format = .raw
      $0.decoding = preset.spec
      $0.lineLimit = 500
    }
    let file = Array(choices.rest)
    if preset.events.contains(.trade) { _ = replay(Trade.self, file, options, [1, 64]) }
    if preset.events.contains(.quote) { _ = replay(Quote.self, file, options, [7]) }
    let raw = replay(RawMessage.self, file, options, [16])
    // Without messages that a recorder does not write: times that are too short to be recognised as nanoseconds, and texts that begin with
    // a blank.
    let kept = raw.events.filter { message in
      let isWhole = message.text.utf8.first.map { $0 != 32 && $0 != 9 } ?? false
      return isWhole && message.text.utf8.count < 400 && message.received.ns >= 100_000_000_000_000_000
    }
    var out = ByteWriter()
    for message in kept {
      var text = message.text
      text.withUTF8 { CaptureLine.write(received: message.received, text: $0, to: &out) }
    }
    let again = Outcome<RawMessage>(out.withBytes { Array($0) }, options)
    law(again.events.map(\.received) == kept.map(\.received), "written again it is \(again.events), and was \(kept)")
  }
}
