package import StockbusPlugin

/// The options of a processor that is a program.
package struct ProgramProcessorSettings: Options {
  @SettingGroup package var program = ProgramSettings()
  @Setting("The event type that it emits, such as trade; by default the type that it takes.") package var emits: EventName?
  package init() {}

  package var files: [FileUse] { program.files }
}

/// The options of a source that is a program.
package struct ProgramSourceSettings: Options {
  @SettingGroup package var program = ProgramSettings()
  @Setting("The event type that it emits: one of those that 'describe' lists.") package var emits = EventName(Trade.self)
  package init() {}

  package var files: [FileUse] { program.files }
}
