import StockbusPlugin
import Testing

@testable import StockbusProgram

/// The replies to commands.
@Suite struct ReplyTests {
  private let rules = "high\tAAPL,B*\tabove 200\ton\nany of them\t*\trises_by 1% in 1m\toff"

  @Test func `an answer of several lines is one of as many lines, with tabs for a program and in columns for people`() {
    let text = ReplyText(rules, from: "alerts")
    #expect(text.lines == ["alerts: high\tAAPL,B*\tabove 200\ton", "alerts: any of them\t*\trises_by 1% in 1m\toff"])
    #expect(
      text.columns == ["alerts: high         AAPL,B*  above 200          on", "alerts: any of them  *        rises_by 1% in 1m  off"])
    // Lines that follow each other with the same number of fields are a table of their own.
    #expect(
      ReplyText("account paper\tcash 5\nAAPL\t10\tat 1\nX\t5\tat 22", from: "b").columns == [
        "b: account paper  cash 5", "b: AAPL  10  at 1", "b: X     5   at 22",
      ])
    #expect(ReplyText("AAPL is 10% up", from: "ticks").lines == ["ticks: AAPL is 10% up"])
    #expect(ReplyText("", from: "alerts").lines == ["alerts: nothing"])
  }

  @Test func `no escape sequence goes through, and nothing is endless`() {
    let text = ReplyText("a\u{1b}]0;x\u{7}\r\tb\u{9b}2J\n" + String(repeating: "x", count: 5000), from: "c")
    #expect(text.lines[0] == "c: a\\u{1b}]0;x\\u{7}\\r\tb\\u{9b}2J")
    #expect(text.columns[0] == "c: a\\u{1b}]0;x\\u{7}\\r  b\\u{9b}2J")
    #expect(text.lines[1].count < 1010)
    let many = ReplyText(String(repeating: "line\n", count: 4999) + "line", from: "c").lines
    #expect(many.count == 1001 && many.last == "c: … and 4000 more lines")
  }
}

/// The lines of `--commands`.
@Suite struct CommandRouterTests {
  private let router = CommandRouter(
    [
      ("ticks", [CommandInfo("raise SYMBOL [AMOUNT]", "Raises a price."), CommandInfo("randomise", "Gives every symbol a new price.")]),
      ("bells", [CommandInfo("mute NAME DURATION", "Sends none of a rule's alerts for a while, and counts them.")]),
    ], components: ["ticks", "ranked", "bells"])

  private func request(_ line: String) -> CommandRouter.Request? { Command(line: line).map(router.request) }

  @Test func `the description of a long command is under it`() {
    let rows = [
      ["broker buy SYMBOL QUANTITY [at LIMIT] [stop PRICE] [day|gtc|ioc]", "Buys: at the market, or at a limit."],
      ["broker halt SYMBOL", "Stops trading in an instrument until it is told to go on."],
    ]
    #expect(
      CommandList.lines(rows, width: 60) == [
        "broker buy SYMBOL QUANTITY [at LIMIT] [stop PRICE]", "[day|gtc|ioc]", "                    Buys: at the market, or at a limit.",
        "broker halt SYMBOL  Stops trading in an instrument until it", "                    is told to go on.",
      ])
  }

  @Test func `help has a command a line, aligned, within 80 columns`() {
    #expect(
      request("help")
        == .help([
          "  ticks raise SYMBOL [AMOUNT]  Raises a price.",
          "  ticks randomise              Gives every symbol a new price.",
          "  bells mute NAME DURATION     Sends none of a rule's alerts for a while, and",
          "                               counts them.",
          "  help                         Lists what can be told.",
          "  stop                         Stops the run: sources end, everything else",
          "                               drains.",
        ]))
    #expect(
      request("help bells")
        == .help([
          "  bells mute NAME DURATION  Sends none of a rule's alerts for a while, and", "                            counts them.",
        ]))
    #expect(request("help ranked") == .help(["commands: 'ranked' takes no commands"]))
    #expect(request("help bels") == .help(["commands: no component 'bels'; did you mean 'bells'?"]))
  }

  @Test func `stop stops, and a component is told the rest of its line`() {
    #expect(request("  stop ") == .stop)
    #expect(request("ticks raise AAPL 10") == .command(id: "ticks", Command(verb: "raise", arguments: ["AAPL", "10"])))
    #expect(request("ranked top 5") == .command(id: "ranked", Command(verb: "top", arguments: ["5"])))
    #expect(request(" ") == nil)
  }

  @Test(
    arguments: [
      ("hlep", "no component 'hlep'; did you mean 'help'?"), ("sotp", "no component 'sotp'; did you mean 'stop'?"),
      ("tiks raise AAPL", "no component 'tiks'; did you mean 'ticks'?"),
      ("raise AAPL 10", "which component? such as 'ticks raise AAPL 10'"),
      ("randomise", "which component? such as 'ticks randomise …'"), ("ticks", "'ticks' what? It knows raise, randomise"),
      ("ranked", "'ranked' takes no commands"), ("stop now", "'stop' stops the run, and stands alone"),
      ("HELP", "no component 'HELP'; did you mean 'help'?"), ("Stop", "no component 'Stop'; did you mean 'stop'?"),
      ("TICKS raise AAPL", "no component 'TICKS'; did you mean 'ticks'?"),
      ("RANDOMISE", "no component 'RANDOMISE'; did you mean 'randomise'?"), ("exit", "no component 'exit'; 'stop' ends the run"),
      ("Quit now", "no component 'Quit'; 'stop' ends the run"), ("q", "no component 'q'; 'stop' ends the run"),
      ("?", "no component '?'; 'help' lists what can be told"),
      ("xyzzy", "no component 'xyzzy'; a line is COMPONENT COMMAND …, and 'help' lists them"),
    ])
  func `a line that is no command`(line: String, answer: String) { #expect(request(line) == .mistake(answer)) }
}
