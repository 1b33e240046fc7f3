import ArgumentParser
import StockbusControl
import StockbusPlugin
import StockbusRuntime
import StockbusText
import Testing

@testable import Stockbus
@testable import StockbusProgram

/// What people see of a run that is asked.
@Suite struct ControlTextTests {
  /// - Parameter rounds: how far the run has come.
  private func status(_ rounds: Int, name: String = "desk", process: Int = 4242, configuration: String = "/home/ann/desk.yaml") throws
    -> RunStatus
  {
    let (trades, seen) = (2500 * rounds, 2000 * rounds)
    let json = """
      {"name":"\(name)","process":\(process),"version":"0.1.0","configuration":["\(configuration)"],"started":"2026-01-05T14:30:00Z",
      "uptime":\(3_723_000 + 1000 * rounds),"state":"running","reasons":["web is backing off: 127.0.0.1:80: cannot listen there"],
      "components":[
      {"id":"ticks","kind":"source","plugin":"generator","inputs":[],"state":"running","starts":1,"published":\(trades),
      "busy":\(1_257_400 * rounds)},
      {"id":"ranked","kind":"processor","plugin":"sorting_feed","inputs":["ticks"],"state":"running","starts":1,"published":\(seen),
      "busy":\(9400 * rounds)},
      {"id":"web","kind":"sink","plugin":"dashboard","inputs":["ranked"],"state":"backing_off","starts":4,
      "error":"127.0.0.1:80: cannot listen there"}],
      "edges":[
      {"from":"ticks","to":"ranked","in":\(trades),"delivered":\(seen),"filtered":0,"dropped":\(200 * rounds),"conflated":0,"dead":0,
      "waiting":\(300 * rounds),"latency":{"counts":[0,0,0,\(49 * rounds),\(rounds),0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"sum":\(rounds)}},
      {"from":"ranked","to":"web","in":\(seen),"delivered":0,"filtered":0,"dropped":0,"conflated":0,"dead":0,"waiting":\(seen)}],
      "counts":[{"component":"web","name":"frames","total":12}]}
      """
    return try #require(JSONDocument.read(RunStatus.self, Array(json.utf8)))
  }

  @Test func `the status of a run`() throws {
    try expect(StatusText(status: status(3)).lines.joined(separator: "\n"), is: "status.txt")
  }

  @Test func `the rates of a run between two moments`() throws {
    try expect(TopText(before: status(3), now: status(5)).lines.joined(separator: "\n"), is: "top.txt")
  }

  @Test func `what becomes of a symbol`() throws {
    let json = """
      {"symbol":"MSFT","watched":2000,"missed":1204,
      "verdict":"'MSFT' reaches alerts; mine published no event of it","components":[
      {"id":"ticks","kind":"source","plugin":"generator","place":"desk.yaml:2:3","state":"running","out":4000,"last":"{}","leftOut":0,
      "reasons":[]},
      {"id":"mine","kind":"processor","plugin":"watchlist_filter","place":"desk.yaml:4:3","state":"running","in":4000,"out":0,"leftOut":0,
      "reasons":[{"verdict":"filters","reason":"'symbols' does not list it","setting":"symbols","place":"desk.yaml:7:14"}]},
      {"id":"alerts","kind":"sink","plugin":"notification_dispatcher","place":"desk.yaml:13:3","state":"backing_off","in":4000,"out":1,
      "leftOut":17,"reasons":[
      {"verdict":"alerts","reason":"rule 'any' (above 1) has fired, and fires only once","setting":"rules[0]","place":"desk.yaml:13:55",
      "time":"2026-01-05T14:30:01Z"},{"verdict":"waits","reason":"rule 'up' (rises_by 5%) has not been true yet","setting":"rules[1]"}]}]}
      """
    let report = try #require(JSONDocument.read(SymbolReport.self, Array(json.utf8)))
    try expect(SymbolText(report: report).lines.joined(separator: "\n"), is: "why.txt")
  }

  @Test func `the runs that there are`() throws {
    let client = ControlClient(socket: "/none", clock: SystemTimekeeper())
    let runs = [
      PresentRuns.Run(process: 77, client: client, status: nil, failure: "did not respond within 5s"),
      PresentRuns.Run(process: 4242, client: client, status: try status(1), failure: nil),
    ]
    try expect(ListRuns.text(runs), is: "ps.txt")
  }

  @Test func `a plan, and what came of a change`() throws {
    let json = """
      {"outcome":"planned","message":"added alerts; removed log; replaced ranked; rewired web; 1 as before",
      "warnings":["desk.yaml:9:3: warning: it is read by nobody"],"problems":[],"steps":[
      {"id":"ticks","step":"kept","changed":[],"waiting":[]},
      {"id":"ranked","step":"replaced","changed":["by","top"],"waiting":[{"from":"ticks","events":1204}]},
      {"id":"web","step":"rewired","changed":["inputs"],"waiting":[{"from":"ranked","events":1}]},
      {"id":"alerts","step":"added","changed":[],"waiting":[]},
      {"id":"log","step":"removed","changed":[],"waiting":[{"from":"ticks","events":7},{"from":"ranked","events":12}]}]}
      """
    var report = try #require(JSONDocument.read(ChangeReport.self, Array(json.utf8)))
    try expect(ChangeText(report: report).lines.joined(separator: "\n"), is: "plan.txt")
    report = ChangeReport(.invalid, "2 problems", problems: ["desk.yaml:3:5: error: one", "desk.yaml:4:5: error: two"])
    #expect(
      ChangeText(report: report).lines == ["desk.yaml:3:5: error: one", "desk.yaml:4:5: error: two", "not changed: 2 problems"])
    #expect(ChangeText(report: ChangeReport(.refused, "the run is stopping")).lines == ["not changed: the run is stopping"])
  }

  @Test func `which run is meant`() throws {
    let client = ControlClient(socket: "/none", clock: SystemTimekeeper())
    let desk = PresentRuns.Run(process: 4242, client: client, status: try status(1), failure: nil)
    let other = PresentRuns.Run(process: 4243, client: client, status: try status(1, name: "other", process: 4243), failure: nil)
    let mute = PresentRuns.Run(process: 77, client: client, status: nil, failure: "did not respond within 5s")
    func choice(_ wanted: String?, _ runs: PresentRuns.Run...) -> String {
      do throws(RunChoice.RunMistake) { return "\(try RunChoice.choose(wanted, of: runs).status.process)" } catch {
        return error.description
      }
    }
    #expect(choice(nil, desk) == "4242" && choice("desk", desk, other) == "4242" && choice("4243", desk, other, mute) == "4243")
    #expect(choice(nil) == "there are no runs; 'stockbus run plugins.yaml' starts one")
    #expect(
      choice(nil, desk, other) == """
        which run? Add one of these:
          --run desk   process 4242  /home/ann/desk.yaml
          --run other  process 4243  /home/ann/desk.yaml
        """)
    // Of several, the one whose configuration is in the present folder.
    let moved = PresentRuns.Run(
      process: 4245, client: client, status: try status(1, process: 4245, configuration: "/srv/./live/plugins.yaml"), failure: nil)
    func near(_ folder: String, _ runs: PresentRuns.Run...) -> Int? { try? RunChoice.choose(nil, of: runs, in: folder).status.process }
    #expect(near("/home/ann", desk, moved, mute) == 4242 && near("/srv/live/.", desk, moved) == 4245)
    #expect(near("/home", desk, moved) == nil && near("/home/ann", desk, other) == nil && near("/home/ann/desk.yaml", desk, moved) == 4242)
    // What changes a run does not take one of another folder, where this one has a configuration.
    #expect(throws: RunChoice.RunMistake.self) { try RunChoice.choose(nil, of: [desk], in: "/srv/live", isOwn: true) }
    #expect(try RunChoice.choose(nil, of: [desk, moved], in: "/srv/live", isOwn: true).status.process == 4245)
    #expect(try RunChoice.choose("desk", of: [desk], in: "/srv/live", isOwn: true).status.process == 4242)
    #expect(
      choice("desc", desk, mute) == """
        no run 'desc'. Add one of these:
          --run desk  process 4242  /home/ann/desk.yaml
          --run 77    process 77    does not answer
        """)
    // Two of one name are told apart by their numbers.
    let again = PresentRuns.Run(process: 4244, client: client, status: try status(1, process: 4244), failure: nil)
    #expect(
      choice("desk", desk, other, again) == """
        which run? Add one of these:
          --run 4242  process 4242  /home/ann/desk.yaml
          --run 4244  process 4244  /home/ann/desk.yaml
        """)
    #expect(choice("77", desk, mute) == "process 77 does not answer: did not respond within 5s")
  }

  @Test func `a run has the name of its configuration, and a port has a token`() throws {
    func name(_ path: String, arguments: [String] = []) throws -> String { try ControlOptions.parse(arguments).name(of: path) }
    #expect(try name("/home/ann/desk.yaml") == "desk" && name("desk.yml") == "desk" && name("conf/desk/") == "desk")
    #expect(try name("") == "run" && name("demo") == "demo")
    #expect(try name(".") == "run" && name("-") == "run" && name("17.yaml") == "run" && name("a b.yaml") == "ab")
    #expect(try name("x.yaml", arguments: ["--name", "mine"]) == "mine")
    for mistake in ["", "a b", "a/b", "17", String(repeating: "x", count: 65)] {
      #expect(throws: (any Error).self) { try ControlOptions.parse(["--name", mistake]) }
    }
    // What the environment of the tests says does not matter here.
    func port(_ text: String, _ token: String?) throws -> String {
      var options = try ControlOptions.parse([])
      options.control = text
      let port = try #require(try options.port { _ in token })
      return "\(port.host) \(port.number)"
    }
    let token = "0123456789abcdef"
    #expect(try port("127.0.0.1:7070", token) == "127.0.0.1 7070" && port("localhost:0", token) == "localhost 0")
    for (text, token) in [
      ("0.0.0.0:1", token), ("127.0.0.1", token), ("127.0.0.1:65536", token), ("127.0.0.1:1", nil), ("127.0.0.1:1", "short"),
    ] {
      #expect(throws: (any Error).self, "\(text)") { try port(text, token) }
    }
  }
}

/// What people see of a tap.
@Suite struct TapViewTests {
  @Test func `records are in columns, numbers to the right, and the header waits for the first one`() {
    var view = TapView(.table)
    #expect(view.lines(ServerEvent(name: "header", data: "symbol,rank,price,condition")).isEmpty)
    #expect(
      view.lines(ServerEvent(name: "", data: "AAPL,3,-1234567890.25,\"a \"\"b\"\", c\"")) == [
        "SYMBOL          RANK      PRICE  CONDITION", "AAPL               3  -1234567890.25  a \"b\", c",
      ])
    #expect(view.lines(ServerEvent(name: "", data: "MSFT,12,1.5,")) == ["MSFT              12             1.5"])
    #expect(view.lines(ServerEvent(name: "end", data: "over")).isEmpty && view.lines(ServerEvent(name: "left_out", data: "3")).isEmpty)
  }

  @Test func `other formats are as they come`() {
    var view = TapView(.csv)
    #expect(view.lines(ServerEvent(name: "header", data: "symbol")) == ["symbol"])
    #expect(view.lines(ServerEvent(name: "", data: "\"a,b\"")) == ["\"a,b\""])
  }

  @Test(arguments: [
    ("", [""]), ("a,b", ["a", "b"]), (",,", ["", "", ""]), ("\"a,b\",c", ["a,b", "c"]), ("\"\",x", ["", "x"]),
    ("\"say \"\"hi\"\"\"", ["say \"hi\""]), ("\"\"\"\"", ["\""]), ("\"two\nlines\",1", ["two\nlines", "1"]),
  ])
  func `a record's fields`(record: String, fields: [String]) { #expect(TapView.cells(record) == fields) }
}
