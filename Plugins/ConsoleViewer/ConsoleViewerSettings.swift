public import StockbusPlugin

public struct ConsoleViewerSettings: Options {
  @Setting("Rows of the table; without it as many as the window has room for.", in: 1...1000)
  public var rows: Int?
  @Setting("How often the table is drawn while prices move.", in: .milliseconds(33) ... .seconds(60))
  public var refresh = Duration.milliseconds(100)
  @Setting("How long a price that moved stays marked.", in: .zero ... .seconds(60))
  public var flash = Duration.seconds(1)
  @Setting("Prints a line an event even on a terminal, instead of the table.")
  public var plain = false

  public init() {}
}
