import StockbusPlugin
import Testing

/// Settings that two plugins share, with a group inside the group.
private struct Deeper: Options, Equatable {
  @Setting("How deep.", in: 1...9) var depth = 3
}

private struct Shared: Options, Equatable {
  @Setting("Where it is.") var place: String
  @SettingGroup var deeper = Deeper()
  @Setting("How many.", in: 1...9) var maxCount = 5

  init() {}
  init(maxCount: Int) { self.maxCount = maxCount }

  func validate(_ problems: inout OptionProblems) {
    if place == "nowhere" { problems.add("'place' is nowhere", at: "place") }
  }
}

private struct Outer: Options, Equatable {
  @Setting("What comes first.") var first = 1
  @SettingGroup var shared = Shared(maxCount: 7)
  @Setting("What comes last.") var last = 2

  func validate(_ problems: inout OptionProblems) {
    if shared.place == "nowhere" { problems.add("so much for 'first'", at: "first") }
  }
}

@Suite struct OptionsGroupTests {
  @Test func `a group's settings stand among the others, where the group stands`() throws {
    #expect(Outer.describe().map(\.name) == ["first", "place", "depth", "max_count", "last"])
    #expect(Outer.describe().map(\.defaultText) == ["1", nil, "3", "7", "2"])
    let all = try decode(Outer.self, "{last: 4, depth: 2, place: here, max_count: 9}")
    #expect(all.first == 1 && all.last == 4)
    #expect(all.shared.place == "here" && all.shared.maxCount == 9 && all.shared.deeper.depth == 2)
    #expect(all.optionText == "{first: 1, place: here, depth: 2, max_count: 9, last: 4}")
  }

  @Test func `what is not written is the default that the outer options gave the group`() throws {
    #expect(try decode(Outer.self, "{place: a}").shared.maxCount == 7)
    #expect(try decode(Shared.self, "{place: a}").maxCount == 5)
  }

  @Test func `problems inside a group are found with all others, and know the group's names`() {
    #expect(
      complaints(Outer.self, "{max_count: 12, depth: 0, first: x, plaice: 1}") == [
        "1:1 'place' is required: text (Where it is.)", "1:13 'max_count' must be between 1 and 9, got 12",
        "1:24 'depth' must be between 1 and 9, got 0", "1:34 'first' must be a whole number, got 'x'",
        "1:37 unknown option 'plaice'; did you mean 'place'?",
      ])
  }

  @Test func `the group's rules come before those of the options around it`() {
    #expect(complaints(Outer.self, "{place: nowhere, first: 3}") == ["1:2 'place' is nowhere", "1:18 so much for 'first'"])
  }

  @Test func `mistakes in a group's declaration are mistakes of the options`() {
    struct Careless: Options {
      @Setting("A number.", in: 1...9) var number = 10
      var forgotten = 7
    }
    struct Clash: Options {
      @Setting("A number.") var number = 1
      @SettingGroup var careless = Careless()
    }
    #expect(Outer.verify() == [])
    #expect(
      Clash.verify() == [
        "'forgotten': a property of options must have @Setting", "'number': two properties have this name",
        "its default cannot be written: 'number' must be between 1 and 9, got 10",
      ])
  }
}
