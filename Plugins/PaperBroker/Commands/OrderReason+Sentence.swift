internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusTrading

extension Desk {
  /// Why an order was refused, for the person who has sent it.
  func sentence(_ reason: OrderReason, of symbol: Symbol?, _ account: Symbol) -> String {
    guard let symbol else { return reason.sentence }
    let instrument = instruments[symbol]
    switch reason {
    case .unknownInstrument: return "\(symbol) has no price so far, and it is not among the instruments" + meant(by: symbol)
    case .otherCurrency:
      return "\(symbol) is traded in \(instrument?.currency ?? "another currency"), "
        + "and account '\(account)' is kept in \(broker.currency(of: account)?.description ?? "another one")"
    case .notInLots: return reason.sentence + (instrument?.lot.map { " of \($0)" } ?? "")
    case .offTick: return reason.sentence + (instrument?.tickSize.map { " of \($0)" } ?? "")
    case .closed: return reason.sentence + (markets.opening(of: symbol).map { " until \($0)" } ?? "")
    default: return reason.sentence
    }
  }
}

extension OrderReason {
  /// The sentence for a person who has sent an order.
  var sentence: String {
    switch self {
    case .none: "no reason"
    case .asked: "as asked"
    case .unknownAccount: "there is no such account"
    case .unknownInstrument: "there is no such instrument"
    case .unknownOrder: "there is no such order"
    case .alreadyDone: "the order is already closed"
    case .otherCurrency: "the instrument is not traded in the account's currency"
    case .badKey: "a key has 1 to 64 bytes"
    case .badSide: "the side is neither buy nor sell"
    case .badQuantity: "the quantity is not above zero, or too large"
    case .notInLots: "the quantity is not a whole number of lots"
    case .badPrice: "a price is missing, not above zero, or not allowed for this type of order"
    case .offTick: "a price is not a whole number of ticks"
    case .badTrail: "the trailing distance is not above zero, or not below 100%"
    case .insufficientBuyingPower: "the buying power is not sufficient"
    case .shortNotAllowed: "the account may not sell short"
    case .closed: "the market is closed"
    case .halted: "the instrument is halted"
    case .tooManyOrders: "too many open orders"
    case .outOfRange: "an amount is out of range"
    case .notFilledAtOnce: "the order could not be filled at once"
    case .sessionEnd: "the session has ended"
    case .split: "the instrument was split"
    case .belowZero: "its price is below zero, and paper orders are filled and valued at prices above zero only"
    }
  }
}
