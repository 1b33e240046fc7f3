package import StockbusPlugin

/// The options of a processor that is a program.
package struct ProgramProcessorSettings: Options {
  @SettingGroup package var program = ProgramSettings()
  @Setting("The event type that it emits, such as trade; by default the type that it takes.") package var emits: EventName?
  @Setting(
    "The columns beside the events that the program adds, by name with their kinds: number, percent, duration, time or flag.",
    count: 0...ColumnLayout.limit)
  package var extraColumns: ExtraColumns = [:]
  package init() {}

  package var files: [FileUse] { program.files }
}

/// The options of a source that is a program.
package struct ProgramSourceSettings: Options {
  @SettingGroup package var program = ProgramSettings()
  @Setting("The event type that it emits: one of those that 'describe' lists.") package var emits = EventName(Trade.self)
  @Setting(
    "The columns beside the events, by name with their kinds: number, percent, duration, time or flag.",
    count: 0...ColumnLayout.limit)
  package var extraColumns: ExtraColumns = [:]
  package init() {}

  package var files: [FileUse] { program.files }
}

extension ProgramProcessorSettings {
  /// The columns of the output: where the events can be those of the inputs, also theirs. A hosted plugin says which it has.
  func columns<Input: Event, Output: Event>(_: Input.Type, _: Output.Type, reading columns: ColumnLayout) -> ColumnLayout {
    let passes = Input.self == Output.self && !program.hostsPlugin
    return .union([passes ? columns : ColumnLayout(), extraColumns.layout])
  }

  func columnFaults<Input: Event, Output: Event>(_: Input.Type, _: Output.Type, reading columns: ColumnLayout) -> [TextFault] {
    if program.hostsPlugin { return [] }
    let all = self.columns(Input.self, Output.self, reading: columns)
    if all.columns.count > ColumnLayout.limit, let last = extraColumns.entries.last {
      let words = "together with those of the inputs there are more than \(ColumnLayout.limit) columns"
      return [TextFault(last.name, words, character: 0).inside("extra_columns")]
    }
    return extraColumns.faults(beside: Output.self)
      + extraColumns.entries.compactMap { name, kind in
        guard let other = all.columns.first(where: { $0.name == name }), other.kind != kind else { return nil }
        return TextFault(name, "the column '\(name)' of the input is a \(other.kind.rawValue)", character: 0).inside("extra_columns")
      }
  }
}
