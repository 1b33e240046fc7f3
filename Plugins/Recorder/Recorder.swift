internal import StockbusDecoding
internal import StockbusFiles
public import StockbusPlugin

extension Plugin {
  /// Records its input for replay.
  public static let recorder = Plugin(
    "recorder", "Writes raw messages as captures and events as JSON lines, to be replayed.", RecorderPlugin.self,
    hot: [.sink(Recorder<RawMessage>.self), .sink(Recorder<Trade>.self), .sink(Recorder<Quote>.self), .sink(Recorder<Bar>.self)]
  ).example("path: prices.jsonl")
}

enum RecorderPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(Recorder<E>.self) }
}

/// Writes records to a file that rotates, each as a whole line.
package actor Recorder<E: Event>: Sink, BackgroundComponent, FileWritingComponent {
  private let executor = BlockingExecutor(label: "recorder")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let form: RecordForm<E>
  private let file: RetryingFile
  private var out = RecordText(capacity: 1 << 16)

  package static func faults(in settings: RecorderSettings) -> [(option: String, message: String)] {
    settings.format == .raw && E.self != RawMessage.self
      ? [("format", "'format: raw' is for raw messages; the input is \(E.eventName)")] : []
  }

  package static func fault(in file: FileUse, _ settings: RecorderSettings) -> String? {
    guard RecordForm<E>(settings.format).isRaw else { return settings.file.faultOfJSONLines(in: file) }
    return settings.file.fault(in: file) { line in
      line.withUnsafeBufferPointer { if case .malformed = CaptureLine($0) { "which is not a line of a capture" } else { nil } }
    }
  }

  package init(_ settings: RecorderSettings, _ context: Context) {
    form = RecordForm(settings.format)
    file = RetryingFile(path: settings.path, settings.file, context)
  }

  package func start() throws { try file.open() }

  package func receive(_ events: Span<E>) async throws {
    file.beginBatch()
    let chunk = file.chunk
    out.clear()
    for i in events.indices {
      form.write(events[i], to: &out.bytes)
      out.endRecord()
      if out.bytes.count > chunk || i == events.count - 1 {
        try await file.write(out, of: out.count)
        out.clear()
      }
    }
    try await file.endBatch()
  }

  package func drain() async throws { try await file.finish() }

  package func background() async { await file.flushRegularly() }

  package func renewFiles() -> [String] { [file.renew()].compactMap(\.self) }

  package func keepMemory() throws { try file.keepMemory() }

  package func stop() { file.close() }
}
