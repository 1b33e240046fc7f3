import EventBus
import FileWriter
import MarketData
import StockbusPlugin
import StockbusTestKit
import TestSupport
import Testing

@testable import FileReplay

private let kinds: [ColumnInfo] = [
  ColumnInfo("vwap", .number), ColumnInfo("away", .percent), ColumnInfo("age", .duration), ColumnInfo("since", .time),
  ColumnInfo("rising", .flag),
]
private let all = "{ vwap: number, away: percent, age: duration, since: time, rising: flag }"

/// An event and its row, as one text each.
private func read(_ inputs: [ReplayInput], _ options: ReplayOptions, limit: Int = 3, from position: ReplayPosition? = nil) throws
  -> [String]
{
  var replay = try Replay<Trade>(inputs, options)
  if let position { #expect(try replay.skip(to: position) { _ in .skip }) }
  var lines: [String] = []
  let width = options.extraColumns.columns.count
  while true {
    let count = try replay.next(limit: limit, intoRows: { lines += texts($0, $1, width) }, noted: { _ in .skip })
    if count == 0 { return lines }
  }
}

private func texts(_ events: Span<Trade>, _ rows: Span<Int64>, _ width: Int) -> [String] {
  #expect(rows.count == events.count * width)
  return events.indices.map { i in
    let row = (0..<width).map { rows[i * width + $0] == ColumnLayout.missing ? "-" : "\(rows[i * width + $0])" }
    return "\(line(events[i])) \(row.joined(separator: " "))"
  }
}

private func input(_ text: String) -> ReplayInput { ReplayInput(name: "f", contents: .bytes(Array(text.utf8))) }

@Suite struct ColumnTests {
  /// The columns of the events of a file, as JSON writes them, and the reasons of the dead letters.
  private func rows(_ text: String, _ more: String = "", as name: String = "f.csv", columns: String = all) async throws -> (
    rows: [String], reasons: [String]
  ) {
    let folder = TemporaryFolder()
    folder.put(text, in: name)
    let harness = PluginHarness(clock: ManualTimekeeper(start: Timestamp(ns: 1_780_000_000_000_000_000)))
    let lines = try await harness.jsonOutput(
      of: Plugin.fileReplay, options: "path: \(folder.file(name))\nextra_columns: \(columns)\n" + more, feeds: [])
    let cut = lines.map { line in line.firstRange(of: #""vwap""#).map { String(line[$0.lowerBound...]) } ?? line }
    return (cut, harness.deadLetters.map(\.reason))
  }

  @Test func `cells become values of every kind, and empty ones none`() async throws {
    let (rows, reasons) = try await rows(
      """
      symbol,time,price,size,vwap,away,age,since,rising
      A,2026-01-05T14:30:00Z,100,1,99.5,-0.25,1.5,2026-01-05T14:29:58.5Z,true
      A,2026-01-05T14:30:00Z,100,1,,,,,
      A,2026-01-05T14:30:00Z,100,1,"1e-3", 1.5 % ,.5,"2026-01-05T14:29:58Z",FALSE
      A,2026-01-05T14:30:00Z,100,1,NaN,3%,-0.000000001,,true
      A,2026-01-05T14:30:00Z,100,1,9223372036.854775807,-9223372036.854775807,0,1969-12-31T23:59:59Z,false

      """)
    #expect(
      rows == [
        #""vwap":99.5,"away":-0.25,"age":1.5,"since":"2026-01-05T14:29:58.500Z","rising":true}"#,
        #""vwap":null,"away":null,"age":null,"since":null,"rising":null}"#,
        #""vwap":0.001,"away":1.5,"age":0.5,"since":"2026-01-05T14:29:58Z","rising":false}"#,
        #""vwap":null,"away":3,"age":-0.000000001,"since":null,"rising":true}"#,
        #""vwap":9223372036.854775807,"away":-9223372036.854775807,"age":0,"since":"1969-12-31T23:59:59Z","rising":false}"#,
      ])
    #expect(reasons == [])
  }

  @Test func `members become values, in any order and as numbers or texts, and those that are null or not there none`() async throws {
    let head = #"{"symbol":"A","time":"2026-01-05T14:30:00Z","price":100"#
    let (rows, reasons) = try await rows(
      """
      \(head),"vwap":99.5,"away":-0.25,"age":1.5,"since":"2026-01-05T14:29:58Z","rising":true}
      \(head),"vwap":98,"away":-0.25,"age":1.5,"since":"2026-01-05T14:29:58Z","rising":false}
      \(head)}
      \(head),"vwap":98,"away":null,"age":1.5,"since":null,"rising":false}
      \(head),"rising":null,"vwap":"97.25","away":"2 %"}
      \(head),"vwap":98,"away":1e-3,"age":NaN,"since":"2026-01-05T14:29:58Z","rising":true}

      """, as: "f.jsonl")
    #expect(
      rows == [
        #""vwap":99.5,"away":-0.25,"age":1.5,"since":"2026-01-05T14:29:58Z","rising":true}"#,
        #""vwap":98,"away":-0.25,"age":1.5,"since":"2026-01-05T14:29:58Z","rising":false}"#,
        #""vwap":null,"away":null,"age":null,"since":null,"rising":null}"#,
        #""vwap":98,"away":null,"age":1.5,"since":null,"rising":false}"#,
        #""vwap":97.25,"away":2,"age":null,"since":null,"rising":null}"#,
        #""vwap":98,"away":0.001,"age":null,"since":"2026-01-05T14:29:58Z","rising":true}"#,
      ])
    #expect(reasons == [])
  }

  @Test func `a value that cannot be read makes a dead letter of its row, with the reason`() async throws {
    func row(_ cells: String) -> String { "A,2026-01-05T14:30:00Z,100,1,\(cells)\n" }
    let text =
      "symbol,time,price,size,vwap,away,age,since,rising\n" + row("x,,,,") + row("1.0000000001,,,,") + row(",1%%,,,")
      + row(",,9223372037,,")
      + row(",,,yesterday,") + row(",,,,yes") + row(",,-9223372036.854775808,,") + row("7,,,,")
    let (found, reasons) = try await rows(text)
    #expect(found == [#""vwap":7,"away":null,"age":null,"since":null,"rising":null}"#])
    #expect(
      reasons == [
        "'vwap' is not a number: 'x'", "'vwap' has more than nine decimals: '1.0000000001'; 'finer_prices: round' rounds it to nine",
        "'away' is not a number: '1%%'", "'age' is out of range: '9223372037'",
        "'since' is not a time in ISO-8601 or since the epoch: 'yesterday'",
        "'rising' is neither true nor false: 'yes'", "'age' is out of range: '-9223372036.854775808'",
      ])
    let objects = [#""vwap":{"a":1}"#, #""rising":1"#, #""vwap":true"#].map {
      #"{"symbol":"A","time":"2026-01-05T14:30:00Z","price":100,\#($0)}"# + "\n"
    }
    #expect(
      try await rows(objects.joined(), as: "f.jsonl").reasons == [
        "'vwap' is an object or a list, not a value", "'rising' is neither true nor false: '1'", "'vwap' is not a number: 'true'",
      ])
  }

  @Test func `numbers and times are written as the others of the file`() async throws {
    let text = "symbol;time;price;size;vwap;away;age;since;rising\nA;1767623400000;1.100,5;1;1.099,5;2,5 %;0,5;1767623399000;true\n"
    let (comma, _) = try await rows(text, "delimiter: semicolon\nnumbers: comma\ntime: ms")
    #expect(comma == [#""vwap":1099.5,"away":2.5,"age":0.5,"since":"2026-01-05T14:29:59Z","rising":true}"#])
    // The unit of the time is found, as that of the rows is.
    let (auto, reasons) = try await rows(
      "symbol,time,price,vwap,away,age,since,rising\nA,1767623400,1,0.33333333333333,,,1767623399000,\n", "finer_prices: round")
    #expect(auto == [#""vwap":0.333333333,"away":null,"age":null,"since":"2026-01-05T14:29:59Z","rising":null}"#])
    #expect(reasons == [])
  }

  @Test func `columns says where they are, and a header that is one of them is no field`() async throws {
    let (mapped, _) = try await rows(
      "symbol,time,price,VWAP 1,volume\nA,2026-01-05T14:30:00Z,100,99.5,7\n", "columns: { vwap: VWAP 1, volume: 5 }",
      columns: "{ vwap: number, volume: number }")
    #expect(mapped == [#""vwap":99.5,"volume":7}"#])
    let (line, _) = try await rows(
      "symbol,time,price,conditions,volume\nA,2026-01-05T14:30:00Z,100,3,7\n", columns: "{ conditions: number, volume: number }")
    #expect(line.first?.contains(#""size":0,"#) == true && line.first?.hasSuffix(#""conditions":3,"volume":7}"#) == true, "\(line)")
    let (both, _) = try await rows(
      "symbol,time,price,volume\nA,2026-01-05T14:30:00Z,100,7\n", "columns: { size: volume }", columns: "{ volume: number }")
    #expect(both.first?.contains(#""size":7,"#) == true && both.first?.hasSuffix(#""volume":7}"#) == true, "\(both)")
    let (path, _) = try await rows(
      #"{"symbol":"A","time":"2026-01-05T14:30:00Z","price":100,"x":{"v":[1,2]}}"#, "format: jsonl\ncolumns: { vwap: 'x.v[1]' }",
      as: "f.jsonl", columns: "{ vwap: number }")
    #expect(path == [#""vwap":2}"#])
    let (bare, _) = try await rows(
      "A,2026-01-05T14:30:00Z,100,7\n", "header: false\ncolumns: { symbol: 1, time: 2, price: 3, vwap: 4 }", columns: "{ vwap: number }")
    #expect(bare == [#""vwap":7}"#])
  }

  @Test func `a header without a column is an error that names the headers`() {
    let found: Outcome<Trade> = run(
      "symbol,time,price,Vwap1\nA,1,2,3\n", options { $0.extraColumns = ColumnLayout([ColumnInfo("vwap", .number)]) })
    #expect(
      found.error?.description
        == "f:1: no column for the vwap (looked for 'vwap'); there are 'symbol', 'time', 'price', 'Vwap1'; set 'columns: { vwap: Vwap1 }' if that is the right one"
    )
    let bare: Outcome<Trade> = run(
      "A,1,2\n",
      options {
        $0.csv.hasHeader = false
        $0.columns = ["symbol": "1", "time": "2", "price": "3"]
        $0.extraColumns = ColumnLayout([ColumnInfo("vwap", .number)])
      })
    #expect(
      bare.error?.description
        == "f:1: the file has no header: say which column has the vwap, as in 'columns: { vwap: 4 }'")
  }

  @Test func `a column may not be named as a field, nor stand beside messages`() {
    func problems(_ options: String) -> [String] {
      do throws(Problems) {
        _ = try PipelineHarness(
          "sources:\n  it: { plugin: file_replay, path: /dev/null, \(options) }\nsinks: { out: { plugin: file_writer, inputs: [it], path: /dev/null } }\n",
          plugins: [.fileReplay, .fileWriter])
        return []
      } catch { return error.list.map { "\($0.mark.line):\($0.mark.column): \($0.message)" } }
    }
    #expect(
      problems("extra_columns: { price: number }") == [
        "2:71: source 'it': 'extra_columns': a trade has a field 'price'; a column needs another name"
      ])
    #expect(
      problems("extra_columns: { vwap: money }") == [
        "2:70: source 'it': 'extra_columns.vwap' must be one of number, percent, duration, time, flag, got 'money'"
      ])
    #expect(
      problems("preset: binance, extra_columns: { vwap: number }").map { $0.drop { $0 != "'" } } == [
        "'it': 'extra_columns' is not for raw captures"
      ])
    #expect(problems("columns: { vwap: A }").first?.contains("trade has no field 'vwap'") == true)
  }

  // MARK: All ways of reading

  /// A file with all kinds of rows, and what it has, in the order of its lines.
  private struct Made {
    var text = ""
    var lines: [String] = []

    init(_ random: inout SplitMix, isJSON: Bool, rows: Int, from time: Int = 0) {
      var time = time
      if !isJSON { text = "symbol,rising,price,vwap,time,since,away,age\n" }
      for _ in 0..<rows {
        time += random.upTo(3)
        let symbol = ["A", "BB", "LONGERNAME"][random.upTo(2)]
        let (price, at) = (1 + random.upTo(1000), "\(Timestamp(ns: Int64(time) * 1_000_000_000))")
        var values: [Int64?] = kinds.map { _ in random.oneIn(4) ? nil : Int64(random.upTo(2_000_000)) * 1_000_000 - 1_000_000_000_000 }
        if values[4] != nil { values[4] = Int64(random.upTo(1)) }
        let texts = zip(kinds, values).map { column, value -> String? in
          guard let value else { return nil }
          var out = ByteWriter(capacity: 64)
          column.kind.write(value, .iso8601(.shortest), to: &out)
          return out.string
        }
        let isBad = random.oneIn(12)
        if isJSON {
          var members = ["\"symbol\":\"\(symbol)\"", "\"price\":\(price)", "\"time\":\"\(at)\""]
          for (column, text) in zip(kinds, texts) {
            if text == nil, random.oneIn(2) { continue }
            let isText = column.kind == .time || column.kind == .percent && random.oneIn(3)
            members.append("\"\(column.name)\":" + (text.map { isText ? "\"\($0)\"" : $0 } ?? "null"))
          }
          if random.oneIn(5) { members.shuffle(using: &random) }
          text += "{" + members.joined(separator: ",") + (isBad ? ",\"x\"\n" : "}\n")
        } else {
          var cells = [symbol, texts[4], "\(price)", texts[0], at, texts[3], texts[1], texts[2]].map { $0 ?? "" }
          if random.oneIn(9) { cells[3] = "\"\(cells[3])\"" }
          if random.oneIn(9), !cells[6].isEmpty { cells[6] += "%" }
          if isBad { cells[7] = "bad" }
          text += cells.joined(separator: ",") + "\n"
        }
        if isBad { continue }
        let row = values.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
        lines.append("\(symbol) \(price) x0 @\(at) \(row)")
      }
    }
  }

  private static func allColumns(_ change: (inout ReplayOptions) -> Void = { _ in }) -> ReplayOptions {
    FileReplayTests.options {
      $0.extraColumns = ColumnLayout(kinds)
      change(&$0)
    }
  }

  @Test(arguments: [false, true]) func `rows keep their columns in batches, blocks, loops and behind a restart`(isJSON: Bool) async throws {
    var random = SplitMix(isJSON ? 11 : 12)
    for _ in 0..<rounds(20) {
      let made = Made(&random, isJSON: isJSON, rows: random.upTo(300))
      let options = Self.allColumns()
      let limit = 1 + random.upTo(100)
      #expect(try read([input(made.text)], options, limit: limit) == made.lines)
      let looped = Self.allColumns { $0.loops = .times(2) }
      if !made.lines.isEmpty {
        #expect(try read([input(made.text)], looped, limit: limit) == made.lines + made.lines)
        let at = random.upTo(made.lines.count - 1)
        #expect(
          try read([input(made.text)], looped, limit: limit, from: ReplayPosition(loop: 1, events: at)) == Array(made.lines.dropFirst(at)))
      }
      let blocks = Self.allColumns { $0.blockSize = 512 }
      var lines: [String] = []
      var replay = try ParallelReplay<Trade>(input(made.text), blocks, parsers: 3)
      try await replay.run(limit: limit) { events, rows, _ in
        lines += texts(events, rows, kinds.count)
      } noted: { _ in
        .skip
      }
      #expect(lines == made.lines)
    }
  }

  @Test func `files that are merged by time keep the columns of their rows, whatever is left out`() throws {
    var random = SplitMix(13)
    for _ in 0..<rounds(20) {
      let files = (0..<(2 + random.upTo(2))).map { _ in Made(&random, isJSON: random.oneIn(2), rows: random.upTo(200)) }
      func time(_ line: String) -> Substring { line.split(separator: " ")[3] }
      // Of equal times the file listed first; `enumerated` keeps the order of the lines.
      let merged = files.enumerated().flatMap { file, made in made.lines.map { (file, $0) } }.enumerated().sorted {
        let (a, b) = ($0.element, $1.element)
        return (time(a.1), a.0, $0.offset) < (time(b.1), b.0, $1.offset)
      }.map(\.element.1)
      let options = Self.allColumns { $0.from = Timestamp(ns: 40_000_000_000) }
      let from = merged.filter { time($0) >= "@1970-01-01T00:00:40Z" }
      #expect(try read(files.map { input($0.text) }, options, limit: 1 + random.upTo(50)) == from)
    }
  }

  @Test func `events whose receipts are put in order keep their columns`() async throws {
    let topic = Topic<Trade>("it", capacity: 64, columns: ColumnLayout([ColumnInfo("vwap", .number)]))
    let lines = Watched<[String]>([])
    let subscription = topic.subscribeToRows { event, row in lines.update { $0.append("\(event.received.ns) \(row)") } }
    guard var outlet = topic.claim() else { return }
    var order = ReceiptOrder(isNeeded: true)
    let trades = [1, 3, 2, 4].map { number -> Trade in
      var trade = Trade.schema.example
      trade.received = Timestamp(ns: Int64(number))
      return trade
    }
    order.send(trades.span, [10, 30, 20, ColumnLayout.missing].span, into: &outlet)
    outlet.commit()
    await lines.wait { $0.count == 4 }
    #expect(lines.value == ["1 [10]", "3 [30]", "3 [20]", "4 [\(Int64.min)]"])
    subscription.cancel()
  }

  // MARK: Files of file_writer

  @Test(arguments: ["csv", "jsonl"], ["iso8601", "ns"])
  func `what file_writer has written is the same after it was replayed and written again`(form: String, times: String) async throws {
    var random = SplitMix(14)
    let layout = ColumnLayout(kinds)
    let extremes: [Int64?] = [nil, 0, 1, -1, 999_999_999, -1_000_000_001, .max, -.max]
    let rows = (0..<300).map { _ -> [Int64?] in
      kinds.map { column in
        switch column.kind {
        case .flag: [nil, 0, 1][random.upTo(2)]
        case .time: [nil, 0, -1, 1_381_239_000_000_000_001, 4_000_000_000_000_000_000][random.upTo(4)]
        default: random.oneIn(2) ? extremes[random.upTo(extremes.count - 1)] : Int64(bitPattern: random.next()) / 3
        }
      }
    }
    let trades = rows.indices.map { i -> Trade in
      var trade = Trade.schema.example
      trade.time = Timestamp(ns: 1_381_239_000_000_000_000 + Int64(i))
      trade.condition = i % 2 == 0 ? .regular : .opening
      return trade
    }
    let folder = TemporaryFolder()
    let first = folder.file("first.\(form)")
    try await PluginHarness().consume(
      [Feed(trades, columns: layout, rows: rows)], by: Plugin.fileWriter, options: "path: \(first)\ntimes: \(times)")
    let text = """
      sources: { it: { plugin: file_replay, path: \(first), extra_columns: \(all), time: \(times) } }
      sinks: { out: { plugin: file_writer, inputs: [it], path: \(folder.file("second.\(form)")), times: \(times) } }
      """
    let report = await (try PipelineHarness(text, plugins: [.fileReplay, .fileWriter])).run()
    #expect(report.exitStatus == 0)
    #expect(folder.content("second.\(form)") == folder.content("first.\(form)"))
    #expect(folder.content("first.\(form)").utf8.count { $0 == 10 } == (form == "csv" ? 301 : 300))
  }

  @Test func `with columns it keeps the contract, paced too`() async throws {
    let folder = TemporaryFolder()
    var random = SplitMix(15)
    folder.put(Made(&random, isJSON: false, rows: 300, from: 1_381_239_000).text, in: "f.csv")
    for more in ["", "speed: 1000x\n"] {
      #expect(await checkContract(.fileReplay, options: "path: \(folder.file("f.csv"))\nextra_columns: \(all)\n\(more)") == [])
    }
  }
}
