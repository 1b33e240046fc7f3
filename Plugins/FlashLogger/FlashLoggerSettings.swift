package import StockbusFiles
package import StockbusPlugin

/// How changes are written to a file.
package enum FlashFormat: String, Choice {
  /// As on a terminal, without colour.
  case text
  case jsonl
}

package struct FlashLoggerSettings: RecordFileOptions {
  @Setting("A file to write to instead of standard output; - is standard output. Missing folders are created.", length: 1...)
  package var path = "-"
  @Setting("Text or JSON lines.")
  package var format = FlashFormat.text
  @Setting(
    "The smallest difference from the price in the symbol's last line that is logged, up or down; in the unit of the price.",
    in: Price(raw: 0)...)
  package var minimum: Price = 0
  @Setting("How long a line on a terminal takes to fade.", in: .zero ... .seconds(60))
  package var fade = Duration.seconds(1)
  @Setting("Lines of the pane on a terminal; with 0 lines are printed without a pane and stay in the scrollback.", in: 0...200)
  package var pane = 8
  @SettingGroup
  package var file = RetryingFileSettings()

  package init() {}
}
