internal import StockbusPlugin

/// An order that is being typed, and its way to the broker.
///
/// It is sent only after the broker's preview was drawn. The change of an open order has no preview, because its buying power includes that
/// of the order it replaces; a question is drawn instead.
struct OrderDraft: Hashable {
  enum Stage: Hashable {
    /// `fault` says why Enter did not take the text.
    case typing(fault: String? = nil)
    /// The broker was asked for a preview; the number distinguishes its reply from earlier ones.
    case asking(Int)
    /// The broker's reply has arrived and is not drawn yet: `Enter` does nothing.
    case arrived(String)
    /// `Enter` sends the order.
    case shown(String)
  }

  /// `buy`, `sell` or `replace`.
  let verb: String
  let symbol: Symbol
  /// The open order that this one replaces.
  private(set) var replaced: Order?
  /// `100`, `100 at 189.25`, or other words of the broker; for a replacement only the changes: `at 189.25`, `quantity 100`.
  var text = ""
  var stage = Stage.typing()

  init(verb: String, symbol: Symbol) {
    self.verb = verb
    self.symbol = symbol
  }

  /// A replacement, which begins with the order's prices. Without a quantity the broker takes the remaining one when the command arrives,
  /// also if the order was filled further while the text was typed.
  init(replacing order: Order) {
    self.init(verb: "replace", symbol: order.symbol)
    replaced = order
    var words: [String] = []
    if order.stop.raw != 0, order.type != .trailingStop { words.append("stop \(TradingText.price(order.stop))") }
    if order.limit.raw != 0 { words.append("at \(TradingText.price(order.limit))") }
    text = words.joined(separator: " ")
  }

  private var words: [String] { text.split(separator: " ").map(String.init) }

  /// The fault of the text, as far as the screen can check it; the broker checks the rest.
  var fault: String? {
    if replaced != nil { return words.isEmpty ? "write what to change, such as at 189.25, quantity 100" : nil }
    guard let first = words.first, let quantity = try? Quantity(first), quantity.raw > 0 else {
      return "write a quantity first, such as 100, or 100 at 189.25"
    }
    return nil
  }

  /// The command that places the order.
  var command: Command {
    guard let replaced else { return Command(verb: verb, arguments: [symbol.description] + words) }
    return Command(verb: verb, arguments: [replaced.key] + words + ["in", replaced.account.description])
  }
  /// The command that requests the preview.
  var preview: Command { Command(verb: "preview", arguments: [verb, symbol.description] + words) }

  // MARK: Words

  /// The label in front of the text.
  var label: String { replaced.map { "replace order \($0.number)" } ?? "\(verb) \(symbol)" }

  /// For a replacement: what `Enter` would do.
  var question: String? {
    guard let replaced else { return nil }
    let rest = words.contains("quantity") ? "" : ", for what is left"
    return "\(TradingText.order(replaced)), filled \(replaced.filled), becomes: \(text)\(rest)"
  }
}
