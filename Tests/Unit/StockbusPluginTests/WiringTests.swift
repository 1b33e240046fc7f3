import StockbusPlugin
import Testing

@Suite struct WiringTests {
  private func options(_ name: String, _ value: String) -> ConfigNode {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    return ConfigNode(.map([.init(key: name, mark: mark, value: ConfigNode(.scalar(value), at: mark))]), at: mark)
  }

  @Test func `a generic plugin has a blueprint for every type that fits`() throws {
    let plugin = Plugin.same
    #expect(plugin.acceptedTypes == "events about a symbol")
    #expect(plugin.takesInputs)
    #expect(plugin.fits(Trade.self) && plugin.fits(Alert.self) && !plugin.fits(DeadLetter.self))
    #expect(try #require(plugin.blueprint(for: [Trade.self, Trade.self], options: nil)).output == Trade.self)
    let open = try #require(plugin.blueprint(for: [Alert.self], options: nil))
    #expect(open.output == Alert.self)
    #expect(open.inputs.count == 1 && open.inputs[0] == Alert.self)
    #expect(plugin.blueprint(for: [Trade.self, Alert.self], options: nil) == nil)
    #expect(plugin.blueprint(for: [DeadLetter.self], options: nil) == nil)
  }

  @Test func `an option decides about the type where the plugin says so`() throws {
    let plugin = Plugin.many
    #expect(plugin.emits == "trade, quote")
    #expect(!plugin.takesInputs)
    #expect(plugin.blueprint(for: [], options: options("emit", "quotes"))?.output == Quote.self)
    #expect(plugin.blueprint(for: [], options: options("emit", "trades"))?.output == Trade.self)
    // The default is used if the option is missing, or has a value that decoding will report.
    #expect(plugin.blueprint(for: [], options: nil)?.output == Trade.self)
    #expect(plugin.blueprint(for: [], options: options("emit", "bars"))?.output == Trade.self)
  }

  @Test func `a sink of two types takes either and both`() {
    let plugin = Plugin.takers
    #expect(plugin.acceptedTypes == "trade, quote")
    #expect(plugin.kind == .sink)
    #expect(plugin.emits == "")
    for types in [[Trade.self], [Quote.self], [Quote.self, Trade.self]] as [[any Event.Type]] {
      #expect(plugin.blueprint(for: types, options: nil) != nil)
    }
    #expect(plugin.blueprint(for: [Bar.self], options: nil) == nil)
    #expect(plugin.blueprint(for: [Trade.self, Bar.self], options: nil) == nil)
  }

  @Test func `a plugin that takes inputs has no blueprint without them`() {
    #expect(Plugin.takers.blueprint(for: [], options: nil) == nil)
    #expect(Plugin.same.blueprint(for: [], options: nil) == nil)
  }

  @Test func `a catalogue finds plugins by name and lists them by name`() {
    let catalogue = Catalogue([.takers, .many, .same])
    #expect(catalogue.plugins.map(\.name) == ["many", "same", "takers"])
    #expect(catalogue["same"]?.doc == "Passes on.")
    #expect(catalogue["other"] == nil)
  }

  @Test func `options are decoded when the assembly is made, with every problem located`() throws {
    let blueprint = try #require(Plugin.many.blueprint(for: [], options: nil))
    let mark = ConfigNode.Mark(file: "a.yaml", line: 3, column: 4)
    do throws(Problems) {
      _ = try blueprint.assembly(options("emit", "bars"), at: mark)
      Issue.record("bars are none of the variants")
    } catch {
      #expect(error.sorted.map(\.message) == ["'emit' must be one of trades, quotes, got 'bars'"])
    }
  }
}
