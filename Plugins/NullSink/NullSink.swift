public import StockbusPlugin

extension Plugin {
  /// Counts events.
  public static let nullSink = Plugin(
    "null_sink", "Counts events and discards them.", NullSinkPlugin.self,
    hot: [.sink(NullSink<Trade>.self), .sink(NullSink<Quote>.self), .sink(NullSink<Bar>.self), .sink(NullSink<Ranked>.self)])
}

enum NullSinkPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(NullSink<E>.self) }
}

/// Counts events and discards them; for pipelines that are only measured.
package actor NullSink<E: Event>: Sink {
  private let events: Counter
  private let batches: Counter

  package init(_: NoOptions, _ context: Context) {
    events = context.counter("events", "Events counted.")
    batches = context.counter("runs", "Batches that the events came in.")
  }

  package func receive(_ batch: Span<E>) {
    events.add(batch.count)
    batches.add(1)
  }
}
