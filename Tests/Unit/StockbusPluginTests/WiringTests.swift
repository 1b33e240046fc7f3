import StockbusPlugin
import Testing

private struct Own: Event {
  var time: Timestamp
  static let schema = EventSchema<Own>(
    "own", "An author's own.", time: \.time, example: Own(time: Timestamp(ns: 0)), fields: [.init("time", \.time, "When it was.")])
}

private actor OwnTaker: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_ events: Span<Own>) {}
}

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

  @Test func `a source of any type gets it from the catalogue`() throws {
    let alone = Plugin.anySource
    #expect(!alone.takesInputs && alone.emits == "what 'event' says" && alone.fixedOutput == nil)
    for (word, type) in [("trade", Trade.self), ("account", AccountState.self), ("gap", Gap.self)] as [(String, any Event.Type)] {
      #expect(alone.blueprint(for: [], options: options("event", word))?.output == type)
    }
    #expect(alone.blueprint(for: [], options: nil)?.output == Trade.self)
    #expect(alone.blueprint(for: [], options: options("event", "null"))?.output == Trade.self)
    #expect(alone.blueprint(for: [], options: options("event", "own")) == nil)
    #expect(alone.declaring(Own.self).blueprint(for: [], options: options("event", "own"))?.output == Own.self)
    let catalogue = Catalogue([.anySource, Plugin("own", "Takes it.", .sink(OwnTaker.self))])
    let plugin = try #require(catalogue["any_source"])
    #expect(plugin.blueprint(for: [], options: options("event", "own"))?.output == Own.self)
    do throws(Problems) {
      try plugin.checkOptions(options("event", "accounts"), at: ConfigNode.Mark(line: 1, column: 1))
      Issue.record("there is no such type")
    } catch {
      #expect(error.list.count == 1)
      #expect(error.list[0].message.hasPrefix("'event' must be one of account, alert, bar, "))
      #expect(error.list[0].message.hasSuffix(", order, own, position, quote, ranked, trade, got 'accounts'; did you mean 'account'?"))
    }
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
