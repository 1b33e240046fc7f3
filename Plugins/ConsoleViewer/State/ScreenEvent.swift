internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

/// Everything that changes the state, except prices.
enum ScreenEvent {
  case key(KeyPress)
  case mouse(MouseEvent)
  case resize(TerminalSize)
  /// A frame is about to be drawn.
  case tick(Int64, wall: Timestamp)
  /// The run was sampled.
  case sample([RunComponent], [RunEdge], [RunLogLine])
  /// Why the run does not work as intended.
  case problems([String])
  case panes([ScreenPane])
  case printed([StyledLine])
  case status([ConnectionStatus])
  case alerts([Alert])
  /// The reply to a command.
  case reply(String, isError: Bool)
  /// The rules of a dispatcher, by its name; none if it does not say.
  case rules(String, [WatchedRule])
  /// A broker's reply to a preview: the preview's number, the text.
  case preview(Int, String, isError: Bool)
  /// A broker's fills of runs before; nil if it does not say.
  case fills([Fill]?)
  /// The address of a page; nil if it is not served yet.
  case page(String?)
  /// The history's answer.
  case past(PastRequest, PastAnswer)
  /// A request to show a symbol's page.
  case open(Symbol)
  /// A request to show only these symbols, for this run.
  case watch([Symbol])
}

/// What the actor has to do for the state.
enum ScreenEffect: Hashable {
  /// Send a command to a component.
  case perform(Command, on: String)
  /// Ask a broker what an order would cost.
  case preview(Command, on: String, number: Int)
  /// Give a dispatcher a rule.
  case addRule(RuleRequest, to: String)
  /// Take the rule of this name from a dispatcher.
  case removeRule(String, from: String)
  /// Ask a dispatcher for its rules.
  case askRules(String)
  /// Ask a broker for the fills of runs before.
  case askFills(String)
  /// Ask a component for the address of its page, and say if it is not the known one.
  case askPage(String, known: String?)
  /// Read a chart from the history.
  case readPast(PastRequest)
  /// Stop the run.
  case stop
  /// Save the watchlist and the alerts.
  case save
  /// Make a sound.
  case ring
  /// Redraw everything.
  case redraw
}
