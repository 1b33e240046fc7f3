package import StockbusPlugin

/// The door of a broker, for all that trade: front ends, and the broker's own text commands.
///
/// An account is meant by its name; nil is the only one. What cannot be understood, such as an account that is not there, is thrown as
/// `refused`; what cannot be kept at present and has not been done, as `busy`.
package protocol OrderDesk: Sendable {
  /// What an order would do; nothing is done.
  func preview(_ order: OrderRequest, in account: String?) async throws(CommandError) -> OrderPreview
  func submit(_ order: OrderRequest, in account: String?) async throws(CommandError) -> OrderAnswer
  /// Puts another order in the place of an open one, which is meant by its number or key. What `change` does not set stays.
  func replace(_ order: String, by change: OrderTerms, in account: String?) async throws(CommandError) -> OrderAnswer
  /// Cancels what is not filled of an order, which is meant by its number or key.
  func cancel(_ order: String, in account: String?) async throws(CommandError) -> OrderAnswer
  /// Opens an account with the terms of newcomers. One that is open stays as it is.
  func open(_ account: Symbol) async throws(CommandError) -> OpenedAccount
  func hasAccount(_ name: String) async throws(CommandError) -> Bool
  /// The last fills that are kept, also those of runs before, the oldest first; of one account, or of all.
  func fills(of account: String?) async throws(CommandError) -> [Fill]
}

/// What an order would do, and whether it would be accepted.
package struct OrderPreview: Hashable, Sendable {
  package var estimate: Broker.Estimate
  /// Why it would be refused, in a sentence; nil if it would be accepted.
  package var refusal: String?
  /// What it would wait for, in a sentence; nil if it would not have to.
  package var wait: String?

  package init(_ estimate: Broker.Estimate, refusal: String? = nil, wait: String? = nil) {
    self.estimate = estimate
    self.refusal = refusal
    self.wait = wait
  }

  /// All of it in words, for people.
  package var text: String { text(besideFigures: false) }

  /// In words, which leave out value, fee and cash if they stand beside it as figures.
  package func text(besideFigures: Bool) -> String {
    var words: [String] = []
    let isPriced = estimate.price.raw != 0
    let cost = besideFigures ? "" : ": value \(estimate.value.money), fee \(estimate.fee.money)"
    if isPriced { words.append("at \(estimate.price.money)\(cost)") }
    if let refusal { return (words + ["it would be rejected: " + refusal]).joined(separator: "; ") }
    if !isPriced { return wait ?? "no price is known" }
    words.append("reserves \(estimate.reserved.money)")
    if let after = estimate.after {
      let cash = besideFigures ? "" : ", cash \(after.cash.money)"
      words.append("once filled: position \(after.position)\(cash), buying power \(after.buyingPower.money)")
    }
    if let wait { words.append("it would wait: " + wait) }
    return words.joined(separator: "; ")
  }
}

/// What became of a request.
package struct OrderAnswer: Hashable, Sendable {
  /// What was asked for.
  package enum Deed: Hashable, Sendable {
    case submit
    /// To put it in the place of the order with this number.
    case replace(Int64)
    case cancel
  }

  package var deed: Deed
  package var reply: OrderReply
  /// The key that the request gave; nil if it gave none.
  package var key: String?
  /// Why nothing was done, in a sentence; nil if it was.
  package var refusal: String?
  /// What the order waits for, in a sentence; nil if it does not have to.
  package var wait: String?

  package init(_ deed: Deed, _ reply: OrderReply, key: String? = nil, refusal: String? = nil, wait: String? = nil) {
    self.deed = deed
    self.reply = reply
    self.key = key
    self.refusal = refusal
    self.wait = wait
  }

  /// What was done, in words; throws them if nothing was.
  package func words() throws(CommandError) -> String {
    if let refusal {
      let repeated = reply.isRepeated ? " (the answer to the first request with the key \(shown(key ?? "")))" : ""
      throw CommandError("not done: " + refusal + repeated)
    }
    let done =
      switch deed {
      case .submit: "order \(reply.number)"
      case .replace(let old): "order \(reply.number), replaces order \(old)"
      case .cancel: "cancelled order \(reply.number)"
      }
    let named = done + (key.map { ", key \(visible($0))" } ?? "")
    if reply.isRepeated { return "already done: " + named }
    return named + (wait.map { "; it waits: " + $0 } ?? "")
  }
}

/// An account that a broker has opened, now or before.
package struct OpenedAccount: Hashable, Sendable {
  package var name: Symbol
  package var deposit: Amount
  package var currency: Symbol
  package var isNew: Bool

  package init(_ name: Symbol, deposit: Amount, currency: Symbol, isNew: Bool) {
    self.name = name
    self.deposit = deposit
    self.currency = currency
    self.isNew = isNew
  }

  package var text: String { isNew ? "account \(name) is open, with \(deposit.money) \(currency)" : "account \(name) is open already" }
}
