internal import MarketData
internal import StockbusPlugin

/// An order that is being typed, and its way to the broker: it is sent only after the broker's preview was drawn.
struct OrderDraft: Hashable {
  enum Stage: Hashable {
    case typing
    /// The broker was asked what it would cost; the number tells its reply from earlier ones.
    case asking(Int)
    /// The broker's reply, which is not drawn yet: `Enter` does nothing.
    case arrived(String)
    /// `Enter` sends the order.
    case shown(String)
  }

  /// `buy` or `sell`.
  let verb: String
  let symbol: Symbol
  /// `100`, `100 at 189.25`, or more of the broker's words.
  var text = ""
  var stage = Stage.typing

  private var words: [String] { text.split(separator: " ").map(String.init) }

  /// What is wrong with the text, as far as the screen can tell; the broker checks the rest.
  var fault: String? {
    guard let first = words.first, let quantity = try? Quantity(first), quantity.raw > 0 else {
      return "a quantity first: 100, or 100 at 189.25"
    }
    return nil
  }

  /// The command that places it.
  var command: Command { Command(verb: verb, arguments: [symbol.description] + words) }
  /// The command that asks what it would cost.
  var preview: Command { Command(verb: "preview", arguments: [verb, symbol.description] + words) }
}
