public import StockbusFiles
public import StockbusPlugin

/// What a recorder writes.
public enum RecordingFormat: String, Choice {
  /// A raw capture for messages, JSON lines for events.
  case auto
  /// `<receive time in ns> <message>` on each line, as `file_replay` reads it.
  case raw
  /// One JSON object on each line with every field, receive times included.
  case jsonl
}

public struct RecorderSettings: Options {
  @Setting(
    "The file; - is standard output. Folders above it are made; a file that is there is gone on with, unless 'append' is false.",
    length: 1...)
  public var path: String
  @Setting("raw: a capture that file_replay reads with 'format: raw'; jsonl: an object a line; auto: raw for messages, jsonl for events.")
  public var format = RecordingFormat.auto
  @SettingGroup
  public var file = RetryingFileSettings()

  public init() {}

  public var files: [FileUse] { [file.rotation.use(of: path)] }

  public func validate(_ problems: inout OptionProblems) {
    file.rotation.check(path: path, &problems)
  }
}
