public import EventBus
internal import MarketData

extension ColumnKind: Choice {}

/// The columns beside events that come from outside, as in `extra_columns: { vwap: number, away: percent }`.
public typealias ExtraColumns = Mapping<ColumnKind>

extension Mapping<ColumnKind> {
  /// The columns, in the order written.
  public var layout: ColumnLayout { ColumnLayout(entries.map { ColumnInfo($0.name, $0.value) }) }

  /// What is wrong with the names beside events of a type, for an option of this name.
  package func faults<E: Event>(beside _: E.Type, option: String = "extra_columns") -> [TextFault] {
    entries.compactMap { name, _ in ColumnInfo.nameFault(name, beside: E.self).map { TextFault(name, $0, character: 0).inside(option) } }
  }
}
