import MarketData
import StockbusPlugin
import Testing

@Suite struct OptionsDecodingTests {
  @Test func `takes what is written and defaults for the rest`() throws {
    let all = try decode(Everything.self, "{path: a.csv, token: xyz, interval: 250ms, order: ascending, symbols: [TSLA]}")
    #expect(all.path == "a.csv")
    #expect(all.token.revealed == "xyz")
    #expect(all.interval == .milliseconds(250))
    #expect(all.order == .ascending)
    #expect(all.symbols == ["TSLA"])
    #expect(all.limit == 500)
    #expect(all.url == nil)
    #expect(all.bufferSize.bytes == 65_536)
  }

  @Test func `reads the other kinds`() throws {
    let all = try decode(
      Further.self,
      """
      {is_shown: false, crosses_above: 189.25, size: 1.5, rearm: 0.5%, from: 2013-10-08T13:30:00Z, rate: 60/m, seed: 4294967295,
       name: "a b", pauses: [1s, 1h], headers: {Accept: text/csv, X-Feed: a}, overflow: [drop_oldest, block]}
      """)
    #expect(!all.isShown)
    #expect(all.crossesAbove?.raw == 189_250_000_000)
    #expect(all.size.raw == 1_500_000_000)
    #expect(all.rearm.raw == 500_000_000)
    #expect(all.from?.ns == 1_381_239_000_000_000_000)
    #expect(all.rate == .perSecond(1))
    #expect(all.seed == 4_294_967_295)
    #expect(all.name == "a b")
    #expect(all.pauses == [.seconds(1), .seconds(3600)])
    #expect(all.headers.entries.map(\.name) == ["Accept", "X-Feed"])
    #expect(all.headers["X-Feed"] == "a")
    #expect(all.overflow == [.dropOldest, .block])
  }

  @Test func `without a node everything is a default`() throws {
    #expect(try Further.decode(nil, at: elsewhere) == Further())
    #expect(try decode(Further.self, "{}") == Further())
    #expect(try decode(Further.self, "null") == Further())
  }

  @Test func `an empty value is the default, nil, or missing`() throws {
    let all = try decode(Everything.self, "{path: a, token: b, interval: ~, url: null, order: }")
    #expect(all.interval == .seconds(2))
    #expect(all.url == nil)
    #expect(all.order == .descending)
    #expect(complaints(Everything.self, "{token: b, path: ~}") == ["1:18 'path' is required: text (The file to read.)"])
  }

  @Test func `an empty text between quotation marks is a text`() throws {
    #expect(try value(String.self, "\"\"") == "")
    #expect(try value(String?.self, "\"null\"") == "null")
    #expect(try value(String?.self, "null") == nil)
  }

  @Test func `quoted numbers count`() throws {
    #expect(try value(Int.self, "\"5\"") == 5)
    #expect(try value(Bool.self, "\"true\"") == true)
    #expect(try value(Duration.self, "\"5s\"") == .seconds(5))
    #expect(complaint(Int.self, "\"\"") == "a whole number, got ''")
  }

  @Test func `one word is a list of one`() throws {
    #expect(try value([Symbol].self, "AAPL") == ["AAPL"])
    #expect(try value([Overflow].self, "drop_newest") == [.dropNewest])
    #expect(try value([Int]?.self, "7") == [7])
    #expect(try value([Int]?.self, "~") == nil)
    #expect(try value([Int].self, "[]") == [])
    #expect(try value([Int?].self, "[1, ~]") == [1, nil])
    #expect(try value([[Int]].self, "[[1, 2], [3]]") == [[1, 2], [3]])
  }

  @Test func `nested options are decoded, onto the default of the setting`() throws {
    struct Outer: Options {
      @Setting("How events wait.") var buffer = Buffer(capacity: 99)
    }
    let rules = try decode(Rules.self, "{rules: [{name: a, symbol: X, low: 1}], buffer: {flush: 1s}}")
    #expect(rules.rules.map(\.name) == ["a"])
    #expect(rules.rules[0].cooldown == .seconds(60))
    #expect(rules.buffer == Buffer(capacity: 16, flush: .seconds(1)))
    #expect(try decode(Outer.self, "{buffer: {flush: 1s}}").buffer == Buffer(capacity: 99, flush: .seconds(1)))
    #expect(try decode(Outer.self, "{buffer: {}}").buffer.capacity == 99)
  }

  @Test func `what a default mapping lacks is missing, not a trap`() throws {
    struct Outer: Options {
      @Setting("Where to post.") var webhook = Webhook()
    }
    #expect(complaints(Outer.self, "{}") == ["1:1 'webhook.url' is required: text (Where to post.)"])
    #expect(Outer.verify().isEmpty)
    #expect(Outer.describe()[0].isRequired)
  }

  @Test func `a choice among mappings takes one of them`() throws {
    let rules = try decode(
      Rules.self, "{rules: [{name: a, symbol: X, low: 1}], channels: [{desktop: {}}, desktop, {desktop: }, {webhook: {url: u}}]}")
    #expect(rules.channels == [.desktop(Desktop()), .desktop(Desktop()), .desktop(Desktop()), .webhook(Webhook(url: "u"))])
  }

  @Test func `a type inside itself is decoded and described`() throws {
    struct Tree: Options {
      @Setting("Its name.") var name = "leaf"
      @Setting("What is below.") var below: [Tree] = []
    }
    let tree = try decode(Tree.self, "{below: [{name: a, below: [{name: b}]}]}")
    #expect(tree.below[0].below[0].name == "b")
    #expect(Tree.verify().isEmpty)
    #expect(Tree.describe().map(\.nested.count) == [0, 0])
    #expect(complaints(Tree.self, "{below: [{nme: a}]}") == ["1:11 unknown option 'below[0].nme'; did you mean 'name'?"])
  }

  @Test func `settings that are written alike are equal`() throws {
    let text = "{path: a, token: b, symbols: [X, Y]}"
    #expect(try decode(Everything.self, text) == decode(Everything.self, text))
    #expect(try decode(Everything.self, text) != decode(Everything.self, "{path: a, token: b, symbols: [X]}"))
  }

  @Test func `a plugin's own type of one word decodes like the others`() throws {
    let ports = try decode(Server.self, "{port: 8080, others: [1, 65535]}")
    #expect(ports.port == Port(number: 8080))
    #expect(ports.others.map(\.number) == [1, 65_535])
    #expect(complaints(Server.self, "{port: 0}") == ["1:8 'port' must be a port such as 8080, got '0': ports count from 1"])
    #expect(Server.verify() == [])
    #expect(
      Server.help() == """
        NAME    TYPE           DEFAULT
        port    port           80       Where to listen.
        others  list of ports  []       Where else to listen.

        """)
  }
}

private struct Port: ScalarOption, Equatable {
  let number: UInt16
  init(number: UInt16) { self.number = number }
  init(option text: String) throws(OptionTextError) {
    guard let number = UInt16(text) else { throw .mismatch }
    guard number > 0 else { throw .because("ports count from 1") }
    self.number = number
  }
  static let optionType = OptionType("port", plural: "ports", phrase: "a port such as 8080")
  static let optionSample = "8080"
  static let optionSchema: JSONValue = ["type": ["integer", "string"]]
  var optionText: String { String(number) }
}

private struct Server: Options {
  @Setting("Where to listen.") var port = Port(number: 80)
  @Setting("Where else to listen.") var others: [Port] = []
}
