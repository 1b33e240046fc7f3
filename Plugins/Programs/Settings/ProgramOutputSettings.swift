package import StockbusPlugin

/// The options of a processor that is a program.
package struct ProgramProcessorSettings: Options {
  @SettingGroup package var program = ProgramSettings()
  @Setting("The event type that it emits, such as trade; by default the type that it takes.") package var emits: ProgramEvent?
  package init() {}
}

/// The options of a source that is a program.
package struct ProgramSourceSettings: Options {
  @SettingGroup package var program = ProgramSettings()
  @Setting("The event type that it emits.") package var emits = ProgramEvent.trade
  package init() {}
}

/// The event types that programs may emit.
package enum ProgramEvent: String, Choice {
  case trade, quote, bar, ranked, mover, alert, order, fill, position, account
}
