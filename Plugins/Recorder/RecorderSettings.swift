package import StockbusFiles
package import StockbusPlugin

/// The format of a recording.
package enum RecordingFormat: String, Choice {
  /// A raw capture for messages, JSON lines for events.
  case auto
  /// `<receive time in ns> <message>` on each line, as `file_replay` reads it.
  case raw
  /// One JSON object on each line with every field, receive times included.
  case jsonl
}

package struct RecorderSettings: RecordFileOptions {
  @Setting(
    "The file; - is standard output. Missing folders are created; an existing file is appended to, unless 'append' is false.",
    length: 1...)
  package var path: String
  @Setting(
    "raw: a capture that file_replay reads with 'format: raw'; jsonl: one object on each line; auto: raw for messages, jsonl for events.")
  package var format = RecordingFormat.auto
  @SettingGroup
  package var file = RetryingFileSettings()

  package init() {}
}
