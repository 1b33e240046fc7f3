import StockbusConfig
import StockbusPlugin
import Testing

/// The steps that turn a run of one configuration into a run of another.
@Suite struct DifferenceTests {
  private static let before = """
    runtime: { seed: 7 }
    sources:
      ticks: { plugin: ticker, symbols: [A] }
    processors:
      one: { plugin: pass, inputs: [ticks] }
      two: { plugin: pass, inputs: [one], output: { capacity: 64 } }
    sinks:
      screen: { plugin: count, inputs: [two, ticks] }
      log: { plugin: count, inputs: [one] }
    """

  /// The steps that are not `kept`, in order.
  private func steps(_ change: (String) -> String) throws -> [String] {
    let difference = try topology(Self.before).difference(to: topology(change(Self.before)))
    return difference.entries.filter { $0.step != .kept }.map { "\($0.id) \($0.step)" } + (difference.changesRuntime ? ["runtime"] : [])
  }

  @Test func `nothing changes where only the writing does`() throws {
    #expect(try steps { $0 } == [])
    #expect(
      try steps { _ in
        """
        # The same, written otherwise.
        sinks:
          log:
            inputs:
              - { from: one }
            plugin: count
          screen:
            plugin: "count"
            inputs: [ "two", ticks ]
        processors:
          two: { output: { capacity: 64 }, inputs: [one], plugin: pass }
          one: { inputs: [ticks], plugin: pass }
        sources: { ticks: { plugin: ticker, symbols: [A] } }
        runtime: { seed: 7 }
        """
      } == [])
  }

  @Test func `options and supervision replace one component only`() throws {
    #expect(
      try steps { $0.replacing("one: { plugin: pass,", with: "one: { plugin: pass, supervision: { restarts: 1 },") } == ["one replaced"])
  }

  @Test func `what is written differently is named, and never its value`() throws {
    func changed(_ change: (String) -> String) throws -> [String: [String]] {
      let entries = try topology(Self.before).difference(to: topology(change(Self.before))).entries.filter { $0.step != .kept }
      return Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0.changed) })
    }
    #expect(try changed { $0.replacing("symbols: [A]", with: "symbols: [A, B]") } == ["ticks": ["symbols"]])
    #expect(
      try changed { $0.replacing("one: { plugin: pass,", with: "one: { plugin: pass, supervision: { restarts: 1 },") }
        == ["one": ["supervision"]])
    #expect(try changed { $0.replacing("capacity: 64", with: "capacity: 128") } == ["two": ["output"], "screen": []])
    #expect(try changed { $0.replacing("[two, ticks]", with: "[two]") } == ["screen": ["inputs"]])
    #expect(try changed { $0.replacing("  log: { plugin: count, inputs: [one] }", with: "") } == ["log": []])
  }

  @Test func `inputs rewire`() throws {
    #expect(try steps { $0.replacing("[two, ticks]", with: "[ticks, two]") } == ["screen rewired"])
    #expect(try steps { $0.replacing("[two, ticks]", with: "[{ from: two, overflow: drop_oldest }, ticks]") } == ["screen rewired"])
  }

  @Test func `another ring is another topic, and whoever reads it reads something else`() throws {
    #expect(try steps { $0.replacing("capacity: 64", with: "capacity: 128") } == ["two replaced", "screen rewired"])
  }

  @Test func `components come and go, and the runtime is a matter of its own`() throws {
    #expect(try steps { $0.replacing("log:", with: "journal:") } == ["journal added", "log removed"])
    #expect(try steps { $0.replacing("seed: 7", with: "seed: 8") } == ["runtime"])
  }
}
