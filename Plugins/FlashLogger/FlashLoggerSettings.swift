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
  @Setting("Goes on with a file that is there; otherwise it is emptied first.")
  public var append = true
  @Setting("Puts the file aside as PATH.1 before it grows beyond this.", in: ByteSize(bytes: 1)...)
  public var rotate: ByteSize?
  @Setting("Files put aside that are kept.", in: 1...10_000)
  public var keep = 5
  @Setting("How long a line may wait in memory before it is in the file.", in: .milliseconds(1) ... .seconds(3600))
  public var flush = Duration.seconds(1)

  public init() {}

  public func validate(_ problems: inout OptionProblems) {
    if path == "-", rotate != nil { problems.add("standard output cannot be rotated", at: "rotate") }
  }
}
