import MarketData
import StockbusPlugin
import Testing

@Suite struct OptionsVerifyTests {
  @Test func `good declarations have no faults`() {
    #expect(Everything.verify() == [])
    #expect(Further.verify() == [])
    #expect(Rules.verify() == [])
    #expect(NoOptions.verify() == [])
  }

  @Test func `a property without the wrapper is found, and keeps its value in production`() throws {
    struct Careless: Options {
      @Setting("A number.") var number = 1
      var forgotten = 7
      var nothing: Int?
      var something: String? = "x"
    }
    #expect(
      Careless.verify() == [
        "'forgotten': a property of options must have @Setting", "'nothing': a property of options must have @Setting",
        "'something': a property of options must have @Setting",
      ])
    let careless = try decode(Careless.self, "{number: 2}")
    #expect(careless.number == 2)
    #expect(careless.forgotten == 7)
    #expect(careless.nothing == nil)
    #expect(careless.something == "x")
    #expect(complaints(Careless.self, "{forgotten: 2}") == ["1:2 unknown option 'forgotten'; known are number"])
  }

  @Test func `defaults that no user could write are found, in nested options too`() {
    struct Inner: Options {
      @Setting("A number.", in: 1...9) var number = 10
    }
    struct Outer: Options {
      @Setting("A list.", in: 1..., count: 1...) var list: [Int] = []
      @Setting("A text.", length: ...3) var text = "long"
      @Setting("Inside.") var inner = Inner()
      @Setting("More inside.") var more: [Inner] = []
      @Setting("A fine one.") var fine = 1
    }
    #expect(
      Outer.verify() == [
        "its default cannot be written: 'list' must have at least 1 item, got 0",
        "its default cannot be written: 'text' must have at most 3 characters, got 4",
        "its default cannot be written: 'inner.number' must be between 1 and 9, got 10",
        "its default cannot be written: 'more.number' must be between 1 and 9, got 10",
      ])
  }

  @Test func `missing sentences, doubled and reserved names are found`() {
    struct Sloppy: Options {
      @Setting("") var a = 1
      @Setting("no full stop") var b = 1
      @Setting("Two\nlines.") var c = 1
      @Setting("One.") var maxSize = 1
      @Setting("Two.") var max_size = 1
    }
    #expect(
      Sloppy.verify(reserved: ["plugin", "a"]) == [
        "'a': its description is not a sentence: ''", "'b': its description is not a sentence: 'no full stop'",
        "'c': its description has several lines", "'max_size': two properties have this name", "'a': this name is reserved",
      ])
  }

  @Test func `defaults that break a rule are found`() {
    struct Contradiction: Options {
      @Setting("Low.") var low = 5
      @Setting("High.") var high = 1
      func validate(_ problems: inout OptionProblems) { if low > high { problems.add("'low' is above 'high'", at: "low") } }
    }
    #expect(Contradiction.verify() == ["the defaults are not allowed: 'low' is above 'high'"])
  }

  @Test func `coding keys of one's own are found, and are an error in production`() {
    struct Renamed: Options {
      @Setting("A number.") var number = 1
      enum CodingKeys: String, CodingKey { case number = "nr" }
    }
    #expect(Renamed.verify() == ["the options: remove its own CodingKeys or init(from:)"])
    #expect(complaints(Renamed.self, "{}").count == 1)
  }

  @Test func `names are in snake case`() {
    struct Names: Options {
      @Setting("A.") var path = 1
      @Setting("B.") var bufferSize = 1
      @Setting("C.") var maxURLLength = 1
      @Setting("D.") var url2 = 1
      @Setting("E.") var useHTTPS = true
    }
    #expect(Names.describe().map(\.name) == ["path", "buffer_size", "max_url_length", "url2", "use_https"])
  }
}
