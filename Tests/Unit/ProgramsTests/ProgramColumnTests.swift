import Programs
import StockbusTestKit
import TestSupport
import Testing

/// Columns beside the events that programs are given, and beside those that they send.
@Suite(.timeLimit(.minutes(15))) struct ProgramColumnTests {
  private static let layout = ColumnLayout([
    ColumnInfo("vwap", .number), ColumnInfo("away", .percent), ColumnInfo("age", .duration), ColumnInfo("seen", .time),
    ColumnInfo("rising", .flag),
  ])
  private let scripts = Scripts()
  private let harness = PluginHarness()

  /// Rows with values of every kind, each of which may be missing.
  private static func rows(_ count: Int) -> [[Int64?]] {
    var random = SplitMix(7)
    return (0..<count).map { _ in
      layout.columns.map { column in
        if random.upTo(3) == 0 { return nil }
        return column.kind == .flag ? Int64(random.upTo(1)) : Int64(bitPattern: random.next()) >> Int64(2 + random.upTo(40))
      }
    }
  }

  private static func feed(_ count: Int) -> Feed { Feed(trades(count), columns: layout, rows: rows(count)) }

  /// Two trades with the column `vwap`, of which the second has no value.
  private var two: Feed { Feed(trades(2), columns: ColumnLayout([ColumnInfo("vwap", .number)]), rows: [[102_500_000_000], [nil]]) }

  /// The trade as JSON, with `more` behind its fields.
  private func json(_ number: Int, _ more: String) -> String { Trade.schema.json(trades(number)[number - 1]).dropLast() + "," + more + "}" }

  private func output(_ options: String, of plugin: Plugin = .programProcessor, _ feeds: [Feed]) async throws -> [String] {
    try await harness.jsonOutput(of: plugin, options: options, feeds: feeds)
  }

  /// The error that comes of a program, or of its options.
  private func failure(_ options: String, _ feed: Feed? = nil) async -> String {
    do {
      _ = try await output(options, [feed ?? two])
      return "none"
    } catch { return "\(error)" }
  }

  private func perl(_ events: String, framing: String = "binary_columns") -> String {
    scripts.folder.put(
      #"""
      binmode STDIN; binmode STDOUT; $| = 1;
      sub frame { print pack("V", 1 + length $_[1]) . chr($_[0]) . $_[1] }
      my $hello = <STDIN>;
      print "{\"hello\":1,\"framing\":\"FRAMING\"}\n";
      while (read(STDIN, my $head, 5) == 5) {
        my ($size, $kind) = unpack("VC", $head);
        my $content = "";
        read(STDIN, $content, $size - 1);
        if ($kind == 2) { my $last = unpack("V", $content); EVENTS }
        elsif ($content =~ /^\{"start"/) { frame(1, "{\"ready\":true}") }
        elsif ($content =~ /^\{"(drain|hand_over)"/) { frame(1, "{\"drained\":true}") }
      }
      """#.replacing("EVENTS", with: events).replacing("FRAMING", with: framing), in: "program.pl")
    return "run: [perl, \(scripts.folder.file("program.pl"))]"
  }

  private static let passing = #"frame(2, ("\0" x 8) . substr($content, 8)); frame(1, "{\"done\":$last}");"#

  @Test func `what a program sends back as it came has the columns that it came with, however it is written`() async throws {
    let ways = [
      scripts.options(scripts.program()), "protocol: lines\nrun: [cat]", "protocol: lines\nformat: csv\nrun: [cat]", perl(Self.passing),
    ]
    let encoder = EventEncoder<Trade>(columns: Self.layout)
    let expected = zip(trades(700), Self.rows(700)).map { event, row in
      var text = ByteWriter()
      encoder.encodeJSON(event, row: row.map { $0 ?? ColumnLayout.missing }, to: &text)
      return text.string
    }
    for options in ways {
      let got = try await output(options, [Self.feed(700)])
      #expect(got == expected, "\(options)")
    }
  }

  @Test func `a program is told which columns there are, and gets them behind the fields`() async throws {
    let script = scripts.program(
      hello: #"say "$line" >&2; say '{"hello":1}'"#, events: #"say "$line" >&2; say "{\"done\":$n}""#)
    let options = scripts.options(script, "emits: trade\nextra_columns: { double: number, late: flag }")
    #expect(try await output(options, [two]) == [])
    let (vwap, double) = (#"{"name":"vwap","kind":"number"}"#, #"{"name":"double","kind":"number"},{"name":"late","kind":"flag"}"#)
    #expect(
      harness.log.texts(.notice) == [
        #"notice plugin: {"hello":1,"component":"plugin","kind":"processor","takes":"trade","emits":"trade","columns":["# + vwap
          + #"],"emits_columns":["# + vwap + "," + double + #"],"framings":["lines","binary","binary_columns"]}"#,
        #"notice plugin: {"events":["# + json(1, #""vwap":102.5"#) + "," + json(2, #""vwap":null"#) + #"],"last":2}"#,
      ])
    try await harness.consume([two], by: Plugin.programSink, options: "protocol: lines\nformat: csv\nrun: [cat]")
    let head = "info plugin: A,189.25,1,buy,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z,,"
    #expect(harness.log.texts(.info).contains(head + "102.5"), "\(harness.log.lines)")
  }

  @Test func `a program adds columns, which have no value where it leaves them out`() async throws {
    let more = "protocol: lines\nextra_columns: { double: number }\n"
    let added = [json(1, #""vwap":102.5,"double":205"#), json(2, #""vwap":null,"double":null"#)]
    let sed = #"run: [sed, -u, 's/"vwap":102.5}/"double":205.0,"vwap":102.5}/']"#
    #expect(try await output(more + sed, [two]) == added)
    let awk = "format: csv\nrun: [awk, '-F,', '$8 == 102.5 { print $0 \",\" 2 * $8; next } { print }']"
    #expect(try await output(more + awk, [two]) == added)
    // Another type has no columns but these.
    let alert = #"{"symbol":"A","price":1,"rule":"r","message":"m","time":"2013-10-08T13:30:00Z""#
    let script = scripts.program(events: #"say '{"events":[\#(alert),"away":-0.5}]}'; say "{\"done\":$n}""#)
    let alerts = try await output(scripts.options(script, "emits: alert\nextra_columns: { away: percent }"), [two])
    #expect(alerts.count == 1 && alerts[0].hasSuffix(#","away":-0.5}"#), "\(alerts)")
    let lines = "extra_columns: { at: time }\nprotocol: lines\nrun: [echo, '\(json(1, #""at":1381239000000000000"#))']"
    #expect(try await output(lines, of: .programSource, []) == [json(1, #""at":"2013-10-08T13:30:00Z""#)])
    let source = scripts.program(ready: #"say '{"ready":true}'; say '{"events":[\#(json(1, #""at":null"#))]}'; say '{"ended":true}'"#)
    #expect(try await output(scripts.options(source, "extra_columns: { at: time }"), of: .programSource, []) == [json(1, #""at":null"#)])
  }

  @Test(arguments: [
    (#""vwp":1"#, "'vwp': no such field at byte 141; a trade has symbol, price, size, side, time, received, condition, vwap, in "),
    (#""vwap":"1""#, "'vwap': unexpected text at byte 148, in "),
    (#""vwap":1e3"#, "'vwap': a number with an exponent; write all its digits at byte 149, in "),
    (#""vwap":1.0000000001"#, "'vwap': more than nine decimals at byte 148, in "),
    (#""vwap":true"#, "'vwap': unexpected text at byte 148, in "),
    (#""vwap":1,"vwap":2"#, "'vwap': there twice at byte 150, in "),
  ])
  func `a member that is no column, or no value of one, ends the program like a bad field`(_ what: (member: String, error: String)) async {
    let script = scripts.program(events: #"say '{"events":[\#(json(1, what.member))]}'; say "{\"done\":$n}""#)
    let error = await failure(scripts.options(script))
    #expect(error.hasPrefix("the program sends a bad trade: " + what.error), "\(error)")
  }

  @Test(arguments: [
    (
      #"[{"name":"double","kind":"number"}]"#,
      "the program emits a column 'double', which its output does not have; write 'extra_columns: { double: number }'"
    ),
    (#"[{"name":"vwap","kind":"percent"}]"#, "the program emits the column 'vwap' as a percent, and in its output it is a number"),
    (#"[{"name":"vwap","kind":"price"}]"#, #"the program sends hello with columns that are none: '[{"name":"vwap","kind":"price"}]'"#),
    (#"{"vwap":"number"}"#, #"the program sends hello with columns that are none: '{"vwap":"number"}'"#),
    (#"[{"name":"vwap","kind":"number"}]"#, "none"),
  ])
  func `a program that says which columns it emits has to fit`(_ what: (columns: String, error: String)) async {
    let script = scripts.program(hello: #"say '{"hello":1,"columns":\#(what.columns)}'"#)
    #expect(await failure(scripts.options(script)) == what.error)
  }

  @Test func `a program with frames that knows no columns loses them, and others are ended for what is wrong`() async throws {
    #expect(
      try await output(perl(Self.passing, framing: "binary"), [two]) == [json(1, #""vwap":null"#), json(2, #""vwap":null"#)])
    let bad = [
      #"frame(2, substr($content, 0, 11));"#: "the batch ends too early",
      #"frame(2, substr($content, 0, -1));"#: "2 events cannot have",
      #"frame(2, $content . "12345678");"#: "2 events cannot have",
    ]
    for (does, error) in bad {
      let found = await failure(perl(does))
      #expect(found.hasPrefix("the program sends bad packed events of trade: " + error), "\(does): \(found)")
    }
    // The row stands before the event, which has 40 bytes.
    let flag = Feed(trades(1), columns: ColumnLayout([ColumnInfo("late", .flag)]), rows: [[1]])
    let found = await failure(perl(#"frame(2, substr($content, 0, -48) . "\2" . ("\0" x 7) . substr($content, -40));"#), flag)
    #expect(found.hasPrefix("the program sends bad packed events of trade: 'late' is neither true nor false"), "\(found)")
    let script = scripts.program(hello: #"say '{"hello":1,"framing":"xml"}'"#)
    #expect(
      await failure(scripts.options(script))
        == #"the program needs the framing '"xml"'; this stockbus supports lines, binary and binary_columns"#)
  }

  @Test(arguments: [
    ("{ price: number }", "a trade has a field 'price'; a column needs another name"),
    ("{ 'a b': number }", "the name of a column is made of letters, digits and underscores"),
    ("{ vwap: percent }", "the column 'vwap' of the input is a number"),
    ("{ x: numbr }", "did you mean 'number'?"),
  ])
  func `extra columns that cannot be are errors of the configuration`(_ what: (columns: String, error: String)) async {
    for more in ["", "protocol: lines\n"] {
      let error = await failure("\(more)run: [cat]\nextra_columns: \(what.columns)")
      #expect(error.contains("extra_columns") && error.contains(what.error), "\(error)")
    }
  }
}
