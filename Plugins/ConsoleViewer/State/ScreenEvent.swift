internal import MarketData
internal import StockbusPlugin
internal import StockbusTerminal

/// What changes the state, beside prices.
enum ScreenEvent {
  case key(KeyPress)
  case mouse(MouseEvent)
  case resize(TerminalSize)
  /// A frame is about to be drawn.
  case tick(Int64, wall: Timestamp)
  /// The run was looked at.
  case sample([RunComponent], [RunEdge], [RunLogLine])
  case panes([ScreenPane])
  case printed([StyledLine])
  case status([ConnectionStatus])
  case alerts([Alert])
  /// What became of something that was asked.
  case reply(String, isError: Bool)
  /// What a dispatcher answers when it is asked for its rules.
  case rules(String, String)
  /// Somebody asks to see a symbol.
  case open(Symbol)
  /// Somebody asks to see these symbols only, for this time.
  case watch([Symbol])
}

/// What the state cannot do itself.
enum ScreenEffect: Hashable {
  /// Tell a component something.
  case perform(Command, on: String)
  /// Ask a dispatcher for its rules.
  case askRules(String)
  /// End the run.
  case stop
  /// Keep the watchlist and the alerts.
  case save
  /// Make a sound.
  case ring
  /// Everything is to be drawn anew.
  case redraw
}
