import MarketData
import StockbusPlugin
import Testing

/// The text of every message, each with the location of the option.
@Suite struct OptionsMessageTests {
  @Test func `every problem of a mapping is reported at once`() {
    let text = """
      {
        interval: 0s,
        limit: 5000,
        order: descendng,
        watchlst: [A],
        symbols: [A, "B,C", D],
        buffer_size: 64
      }
      """
    #expect(
      complaints(Everything.self, text) == [
        "1:1 'path' is required: text (The file to read.)",
        "1:1 'token' is required: a secret text (The token.)",
        "2:13 'interval' must be between 1ms and 1h, got 0s",
        "3:10 'limit' must be between 1 and 1000, got 5000",
        "4:10 'order' must be one of ascending, descending, got 'descendng'; did you mean 'descending'?",
        "5:3 unknown option 'watchlst'; known are interval, path, url, limit, order, symbols, buffer_size, token",
        "6:16 'symbols[1]' must be a symbol, got 'B,C': a symbol cannot contain control characters, quotation marks, backslashes or commas",
        "7:16 'buffer_size' must be a size such as 64KiB, got '64'; write a unit, such as 64KiB or 64B",
      ])
  }

  @Test func `without a mapping, missing options are reported at the given place`() {
    #expect(throws: Problems.self) { try Everything.decode(nil, at: elsewhere) }
    do throws(Problems) { _ = try Everything.decode(nil, at: elsewhere) } catch {
      #expect(error.sorted.map(\.mark) == [elsewhere, elsewhere])
    }
  }

  @Test func `an option without a blank behind its colon is told, without its value`() {
    #expect(complaints(Buffer.self, "{capacity:s3cret}") == ["1:2 a space is missing after the colon of 'capacity:'; write 'capacity: …'"])
  }

  @Test(
    arguments: [
      ("$500", "write 500, without the currency"), ("500 USD", "write 500, without the currency"),
      ("-$1,000.50", "write -1000.50, without the currency, without marks between thousands"), ("€ 5", "write 5, without the currency"),
      ("1,000.5", "write 1000.5, without marks between thousands"),
      ("1.000,5", "write 1000.5, without marks between thousands, with a decimal point"),
      ("1,000", "write 1.000 or 1000, whichever is meant; a comma is not accepted"),
      ("1'000'000", "write 1000000, without marks between thousands"), ("1_000_000", "write 1000000, without marks between thousands"),
      ("500,5", "write 500.5, with a decimal point"), ("1,5 %", "write 1.5, without the per cent sign, with a decimal point"),
    ])
  func `a number as it is written elsewhere is answered with ours`(text: String, advice: String) {
    #expect(NumberText.advice(text) == advice)
  }

  @Test(arguments: [
    "", "500", "1.5", "high", "5x", "1,00,000", "1.2.3", "$", "1,,5", "12-30", "5 apples", "5,", ",", String(repeating: "1", count: 99),
  ])
  func `what is no number, or a right one, gets no advice`(text: String) { #expect(NumberText.advice(text) == nil) }

  @Test func `prices, percentages and whole numbers give the advice`() {
    func answer<Value: ScalarOption>(_: Value.Type, _ text: String) -> OptionTextError? {
      do throws(OptionTextError) { _ = try Value(option: text) } catch { return error }
      return nil
    }
    #expect(answer(Price.self, "1,000.5") == .hint("write 1000.5, without marks between thousands"))
    #expect(answer(Percent.self, "1,5%") == .hint("write 1.5%, with a decimal point"))
    #expect(answer(Int.self, "1,000") == .hint("write 1000, without marks between thousands"))
    #expect(answer(Int.self, "1.000,5") == .mismatch)
    #expect(answer(Int.self, "1.5") == .mismatch)
  }

  @Test(
    arguments: [
      (Duration.nanoseconds(4_999_736_197), "5s"), (.milliseconds(1234), "1.23s"), (.nanoseconds(12_345_678), "12.3ms"),
      (.milliseconds(100), "100ms"), (.nanoseconds(59_960_000_000), "1m"), (.nanoseconds(3_725_400_000_000), "1h2m5s"), (.zero, "0s"),
      (.nanoseconds(-1_239_000_000), "-1.24s"), (.nanoseconds(1), "1ns"), (.seconds(Int64.max), Duration.seconds(Int64.max).optionText),
    ])
  func `durations for people have three digits`(duration: Duration, text: String) { #expect(duration.roughText == text) }

  @Test func `an unknown option names a near one, or all of them`() {
    #expect(complaints(Buffer.self, "{capcity: 1}") == ["1:2 unknown option 'capcity'; did you mean 'capacity'?"])
    #expect(complaints(Buffer.self, "{zzz: 1}") == ["1:2 unknown option 'zzz'; known are capacity, flush"])
    #expect(complaints(NoOptions.self, "{zzz: 1}") == ["1:2 unknown option 'zzz'; there are none"])
    #expect(complaints(Further.self, "{isShown: true}") == ["1:2 unknown option 'isShown'; did you mean 'is_shown'?"])
    #expect(complaints(Buffer.self, "{\"a\\nb\\u001b[2J\": 1}") == [#"1:2 unknown option 'a\nb\u{1b}[2J'; known are capacity, flush"#])
  }

  @Test func `an option at the wrong level is told where it belongs`() {
    #expect(
      complaints(Buffer.self, "{config: {capacity: 1}}") == [
        "1:2 unknown option 'config'; options are written beside 'plugin': move 'capacity' out of 'config'"
      ])
    #expect(complaints(Buffer.self, "{config: {zzz: 1}}") == ["1:2 unknown option 'config'; known are capacity, flush"])
    #expect(
      complaints(OfProgram.self, "{every: 1s}") == [
        "1:2 unknown option 'every'; known are run, options; options of the program itself are written inside 'options'"
      ])
    #expect(complaints(OfProgram.self, "{cmd: x}") == ["1:2 unknown option 'cmd'; did you mean 'run'?"])
  }

  private struct OfProgram: Options {
    @Setting("The program.") var run: [String] = []
    @Setting("Its options.") var options: Mapping<FreeValue> = [:]
    init() {}
  }

  @Test func `an option written twice is a problem`() {
    #expect(complaints(Buffer.self, "{capacity: 1, capacity: 2}") == ["1:15 'capacity' is written twice"])
    #expect(complaints(One<Mapping<Int>>.self, "{it: {a: 1, a: 2}}") == ["1:13 'it.a' is written twice"])
  }

  @Test func `the wrong shape is named`() {
    #expect(complaints(Buffer.self, "[a]") == ["1:1 the options must be a mapping, got a list"])
    #expect(complaints(Rules.self, "{rules: {name: a}}") == ["1:9 'rules' must be a list of mappings, got a mapping"])
    #expect(complaints(Rules.self, "{rules: a}") == ["1:9 'rules' must be a list of mappings, got 'a'"])
    #expect(complaints(Rules.self, "{rules: [a]}") == ["1:10 'rules[0]' must be a mapping, got 'a'"])
    #expect(complaint([Duration].self, "{a: 1}") == "a list of durations, got a mapping")
    #expect(complaint([Duration].self, "x") == "a list of durations, got 'x'")
    #expect(complaint([Duration].self, "5") == "a list of durations, got '5'; write a unit, such as 5s")
    #expect(complaint([Symbol].self, "\"AAPL, NVDA\"") == "a list of symbols, got 'AAPL, NVDA'; write [AAPL, NVDA]")
    #expect(complaint([Overflow].self, "blok") == "one of block, drop_oldest, drop_newest, conflate, got 'blok'; did you mean 'block'?")
    #expect(complaint([Overflow].self, "{}") == "a list of choices among block, drop_oldest, drop_newest, conflate, got a mapping")
    #expect(complaint(Mapping<Int>.self, "5") == "a mapping of names to whole numbers, got '5'")
    #expect(complaint(Int.self, "[1]") == "a whole number, got a list")
    #expect(
      complaints(One<[Int]>.self, "{it: [1, ~, x]}") == [
        "1:10 'it[1]' must be a whole number, got nothing", "1:13 'it[2]' must be a whole number, got 'x'",
      ])
  }

  @Test func `ranges say what is allowed`() {
    #expect(
      complaints(
        Further.self,
        "{crosses_above: -1, rearm: 5.1, rate: max, name: too long a name, pauses: [1s, 999ms, 0s], size: x, seed: -1}") == [
          "1:17 'crosses_above' must be at least 0, got -1",
          "1:28 'rearm' must be at most 5%, got 5.1%",
          "1:39 'rate' must be at most 1000/s, got max",
          "1:50 'name' must have between 1 and 8 characters, got 15",
          "1:75 'pauses' must have at most 2 items, got 3",
          "1:80 'pauses[1]' must be at least 1s, got 999ms",
          "1:87 'pauses[2]' must be at least 1s, got 0s",
          "1:98 'size' must be a quantity such as 100, got 'x'",
          "1:107 'seed' must be a whole number, got '-1': the least is 0",
        ])
    #expect(complaints(Everything.self, "{path: a, token: b, symbols: []}") == ["1:30 'symbols' must have between 1 and 3 items, got 0"])
    #expect(complaints(Rules.self, "{rules: []}") == ["1:9 'rules' must have at least 1 item, got 0"])
  }

  @Test func `limits of one value and of one item are said in the singular`() {
    struct Narrow: Options {
      @Setting("A number.", in: 5...5) var five = 5
      @Setting("A letter.", length: 1...1) var letter = "a"
      @Setting("Two.", count: 2...2) var pair: [Int] = [1, 2]
    }
    #expect(
      complaints(Narrow.self, "{five: 6, letter: ab, pair: 1}") == [
        "1:8 'five' must be 5, got 6", "1:19 'letter' must have exactly 1 character, got 2",
        "1:29 'pair' must have exactly 2 items, got 1",
      ])
  }

  @Test func `whole numbers that do not fit say so`() {
    #expect(complaint(UInt16.self, "65536") == "a whole number, got '65536': the greatest is 65535")
    #expect(complaint(Int.self, "-9223372036854775809") == "a whole number, got '-9223372036854775809': the least is -9223372036854775808")
    for text in ["1.5", "1e3", "0x10", "٣", "--1", "+", "-"] {
      #expect(complaint(Int.self, "\"\(text)\"") == "a whole number, got '\(text)'")
    }
  }

  @Test func `true and false have one spelling`() {
    #expect(complaint(Bool.self, "yes") == "true or false, got 'yes'; write true")
    #expect(complaint(Bool.self, "False") == "true or false, got 'False'; write false")
    #expect(complaint(Bool.self, "1") == "true or false, got '1'")
  }

  @Test func `exact numbers are not rounded`() {
    #expect(complaint(Price.self, "1.0000000001") == "a price such as 189.25, got '1.0000000001': more than nine decimals")
    #expect(complaint(Price.self, "99999999999") == "a price such as 189.25, got '99999999999': number out of range")
    #expect(complaint(Price.self, "$5") == "a price such as 189.25, got '$5'; write 5, without the currency")
    #expect(complaint(Percent.self, "%") == "a percentage such as 0.5%, got '%'")
  }

  @Test func `a time without a zone is told what to write`() {
    let phrase = "a time such as 2013-10-08T13:30:00Z"
    #expect(complaint(Timestamp.self, "2013-10-08") == "\(phrase), got '2013-10-08'; write a time and a zone, such as 2013-10-08T00:00:00Z")
    #expect(
      complaint(Timestamp.self, "2013-10-08T13:30:00")
        == "\(phrase), got '2013-10-08T13:30:00'; write the zone, such as 2013-10-08T13:30:00Z")
    #expect(complaint(Timestamp.self, "2013-13-08T13:30:00Z") == "\(phrase), got '2013-13-08T13:30:00Z'")
    #expect(complaint(Timestamp.self, "2300-01-01T00:00:00Z") == "\(phrase), got '2300-01-01T00:00:00Z': number out of range")
  }

  @Test func `problems in lists of mappings have their path`() {
    #expect(
      complaints(Rules.self, "{rules: [{name: a, symbol: X, low: 1}, {name: \"\", cooldown: 5, nme: b}]}") == [
        "1:40 'rules[1].symbol' is required: a symbol (What it is about.)",
        "1:47 'rules[1].name' must have at least 1 character, got 0",
        "1:61 'rules[1].cooldown' must be a duration such as 250ms, got '5'; write a unit, such as 5s",
        "1:64 unknown option 'rules[1].nme'; did you mean 'name'?",
      ])
  }

  @Test func `rules over several options are located at the option they name`() {
    #expect(
      complaints(Rules.self, "{rules: [{name: a, symbol: X}, {name: b, symbol: X, high: 1, low: 2}]}") == [
        "1:10 'rules[0]': needs 'low' or 'high'", "1:62 'rules[1]': 'low' is above 'high'",
      ])
  }

  @Test func `rules know what was written and where`() {
    struct Pace: Options {
      @Setting("The pause.") var interval = Duration.seconds(1)
      @Setting("The rate.") var rate = Rate.max
      @Setting("The symbols.") var symbols: [Symbol] = []
      func validate(_ problems: inout OptionProblems) {
        if problems.isGiven("interval"), problems.isGiven("rate") {
          problems.add("either 'interval' or 'rate', not both", at: "rate")
        }
        for (i, symbol) in symbols.enumerated() where symbols[..<i].contains(symbol) {
          problems.add("'\(symbol)' is in 'symbols' twice", at: "symbols", item: i)
        }
      }
    }
    #expect(complaints(Pace.self, "{interval: 1s, rate: 5/s}") == ["1:16 either 'interval' or 'rate', not both"])
    #expect(complaints(Pace.self, "{interval: ~, rate: 5/s}") == [])
    #expect(complaints(Pace.self, "{symbols: [A, B, A]}") == ["1:18 'A' is in 'symbols' twice"])
    let hint = "'symbols': a symbol with blanks is written in quotation marks; write several as"
    #expect(complaints(Pace.self, "{symbols: AAPL  MSFT}") == ["1:11 \(hint) [AAPL, MSFT]"])
    #expect(complaints(Pace.self, "{symbols: [A, B C D]}") == ["1:15 \(hint) [B, C, D]"])
    #expect(complaints(Pace.self, "{symbols: \"AAPL  240119C00150000\"}") == [])
    // If a value is missing or wrong, rules about it are not checked.
    #expect(complaints(Pace.self, "{interval: 1, rate: 5/s}").count == 1)
  }

  @Test func `a choice among mappings says what there is`() {
    let rule = "rules: [{name: a, symbol: X, low: 1}]"
    #expect(
      complaints(Rules.self, "{\(rule), channels: [{deskto: {}}, webhok, {}, {desktop: {}, webhook: {url: u}}, {webhook: {}}, webhook]}")
        == [
          "1:53 'channels[0]' must be one of desktop, webhook, got 'deskto'; did you mean 'desktop'?",
          "1:66 'channels[1]' must be one of desktop, webhook, got text; did you mean 'webhook'? write { webhook: { … } }",
          "1:74 'channels[2]' must be one of desktop, webhook, got a mapping",
          "1:78 'channels[3]' must be one of desktop, webhook, got 2 keys",
          "1:122 'channels[4].webhook.url' is required: text (Where to post.)",
          "1:127 'channels[5].webhook.url' is required: text (Where to post.)",
        ])
  }

  @Test func `long and strange texts are shortened and made visible`() {
    let long = String(repeating: "x", count: 100_000)
    #expect(complaint(Int.self, long) == "a whole number, got '\(String(repeating: "x", count: 57))…'")
    #expect(complaint(Int.self, "\"a\\n\\u001b[31mb\"") == #"a whole number, got 'a\n\u{1b}[31mb'"#)
    #expect(complaints(Buffer.self, "{\(long): 1}")[0].count < 200)
    let deep = String(repeating: "9", count: 100_000)
    #expect(complaint(Duration.self, deep + "d").hasSuffix(": too long"))
    #expect(complaint(Duration.self, "0." + deep + "d").hasSuffix(": finer than an attosecond"))
  }
}
