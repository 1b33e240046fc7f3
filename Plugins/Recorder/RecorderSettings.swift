internal import MarketData
public import StockbusPlugin

/// What a recorder writes.
public enum RecordingFormat: String, Choice {
  /// A raw capture for messages, JSON lines for events.
  case auto
  /// `<receive time in ns> <message>` a line, as `file_replay` reads it.
  case raw
  /// One JSON object a line with every field, receive times too.
  case jsonl
}

public struct RecorderSettings: Options {
  @Setting("The file; - is standard output. Folders above it are made.", length: 1...)
  public var path: String
  @Setting("raw: a capture that file_replay reads with 'format: raw'; jsonl: an object a line; auto: raw for messages, jsonl for events.")
  public var format = RecordingFormat.auto
  @Setting("Goes on with a file that is there; otherwise it is emptied first.")
  public var append = true
  @Setting("Puts the file aside as PATH.1 before it grows beyond this.", in: ByteSize(bytes: 1)...)
  public var rotate: ByteSize?
  @Setting("Files put aside that are kept.", in: 1...10_000)
  public var keep = 5
  @Setting("How long a record may wait in memory.", in: .milliseconds(1) ... .seconds(3600))
  public var flush = Duration.seconds(1)
  @Setting("How long a write that fails, as on a full disk, is tried again before the component fails.", in: .zero ... .seconds(86_400))
  public var patience = Duration.seconds(30)
  @Setting("Waits for the disk when the file is closed or put aside.")
  public var sync = false

  public init() {}

  public func validate(_ problems: inout OptionProblems) {
    if path == "-", rotate != nil { problems.add("standard output cannot be rotated", at: "rotate") }
  }
}
