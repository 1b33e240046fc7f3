public import StockbusFiles
public import StockbusPlugin

/// How changes are written to a file.
public enum FlashFormat: String, Choice {
  /// As on a terminal, without colour.
  case text
  case jsonl
}

public struct FlashLoggerSettings: Options {
  @Setting("A file to write to instead of standard output; - is standard output. Folders above it are made.", length: 1...)
  public var path = "-"
  @Setting("Text or JSON lines.")
  public var format = FlashFormat.text
  @Setting("Only changes of at least this much, up or down, since the last line of the symbol.", in: Price(raw: 0)...)
  public var minimum: Price = 0
  @Setting("How long a line on a terminal takes to fade.", in: .zero ... .seconds(60))
  public var fade = Duration.seconds(1)
  @Setting("Lines of the pane on a terminal; 0 prints them above everything else, for good.", in: 0...200)
  public var pane = 8
  @SettingGroup
  public var file = RetryingFileSettings()

  public init() {}

  public var files: [FileUse] { [file.rotation.use(of: path)] }

  public func validate(_ problems: inout OptionProblems) {
    file.rotation.check(path: path, &problems)
  }
}
