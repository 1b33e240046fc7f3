internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusTrading
internal import StockbusViewing

extension RunSample {
  /// The component that takes orders; one that the viewer reads from is preferred.
  func broker(of viewer: String) -> RunComponent? {
    let able = components(offering: (any OrderDesk).self)
    let inputs = components.first { $0.id == viewer }?.inputs ?? []
    return able.first { broker in inputs.contains { $0.hasPrefix(broker.id + ".") } } ?? able.first
  }
}

extension ScreenState {
  /// Asks the broker whose fills are shown for those of runs before, once: the bus brings those of this run only.
  mutating func askFills() -> [ScreenEffect] {
    let inputs = run.components.first { $0.id == settings.id }?.inputs ?? []
    guard !hasAskedFills, let broker, inputs.contains("\(broker.id).fills") else { return [] }
    hasAskedFills = true
    return [.askFills(broker.id)]
  }

  /// Takes the answer; without one the next sample asks again.
  mutating func recallFills(_ fills: [Fill]?) {
    guard let fills else {
      hasAskedFills = false
      return
    }
    if !fills.isEmpty { portfolio.recall(fills) }
  }

  /// The broker; nil if the run has none.
  var broker: RunComponent? { run.broker(of: settings.id) }

  // MARK: The page

  /// True while the keys of the portfolio's page apply.
  var isOnPortfolio: Bool { page == .list && current == .portfolio }

  /// Chooses the next order; without one to go to, the page scrolls.
  mutating func moveOrder(by step: Int) {
    let list = PortfolioList(shownPortfolio)
    let at = chosenOrder.flatMap { id in list.orders.firstIndex { Portfolio.OrderID($0) == id } }
    let next = at.map { $0 + step } ?? (step > 0 ? 0 : list.orders.count - 1)
    guard list.orders.indices.contains(next) else { return move(by: step) }
    let id = Portfolio.OrderID(list.orders[next])
    chosenOrder = id
    let rows = max(1, ScreenGeometry(self).bodyRows)
    guard let line = list.line(of: id) else { return }
    // With the first order the head of its list is shown.
    if line <= offset { offset = next == 0 ? line - 1 : line }
    if line >= offset + rows { offset = line - rows + 1 }
  }

  /// Chooses the order in a line of the page, if there is one.
  mutating func chooseOrder(line: Int) {
    let list = PortfolioList(shownPortfolio)
    guard list.lines.indices.contains(line), case .item(.orders, let at) = list.lines[line] else { return }
    chosenOrder = Portfolio.OrderID(list.orders[at])
  }

  /// The chosen order, as long as it is open.
  var orderInHand: Order? { chosenOrder.flatMap { shownPortfolio.orders[$0] } }

  /// The symbol that an order is for: that of the chosen order on the portfolio's page.
  private var symbolToTrade: Symbol? { isOnPortfolio ? orderInHand?.symbol ?? selection : chosen }

  mutating func openChosenOrder() {
    guard let symbol = orderInHand?.symbol else { return say("choose an order first: arrows", isError: true) }
    selection = symbol
    page = .detail(symbol)
  }

  // MARK: Cancelling

  mutating func beginCancel() {
    guard let order = orderInHand else { return say("choose an order first: arrows", isError: true) }
    guard broker != nil else { return say("no component of this run takes the command 'cancel'", isError: true) }
    prompt = .cancel(Portfolio.OrderID(order))
  }

  /// `Enter` cancels the order; any other key keeps it.
  mutating func confirmCancel(_ press: KeyPress, _ id: Portfolio.OrderID) -> [ScreenEffect] {
    prompt = nil
    guard press.key == .enter else {
      say("the order was not cancelled")
      return []
    }
    guard let order = portfolio.orders[id] else {
      say("the order is already closed", isError: true)
      return []
    }
    guard let broker else {
      say("no component of this run takes the command 'cancel'", isError: true)
      return []
    }
    return [.perform(Command(verb: "cancel", arguments: [order.key, "in", order.account.description]), on: broker.id)]
  }

  // MARK: Buying and selling

  mutating func beginOrder(_ verb: String) {
    guard let symbol = symbolToTrade else { return say("choose a symbol first: arrows, or a click", isError: true) }
    guard broker != nil else { return say("no component of this run takes the command '\(verb)'", isError: true) }
    prompt = .order(OrderDraft(verb: verb, symbol: symbol))
  }

  mutating func beginReplacement() {
    guard let order = orderInHand else { return say("choose an order first: arrows", isError: true) }
    guard broker != nil else { return say("no component of this run takes the command 'replace'", isError: true) }
    prompt = .order(OrderDraft(replacing: order))
  }

  /// Takes a key for an order that is being typed.
  mutating func type(_ press: KeyPress, into draft: OrderDraft) -> [ScreenEffect] {
    var draft = draft
    if case .typing = draft.stage { draft.stage = .typing() }
    switch (press.key, draft.stage) {
    case (.escape, _): prompt = nil
    case (.enter, .typing):
      if let fault = draft.fault {
        draft.stage = .typing(fault: fault)
      } else if let question = draft.question {
        draft.stage = .arrived(question)
      } else if let broker {
        previews += 1
        draft.stage = .asking(previews)
        prompt = .order(draft)
        return [.preview(draft.preview, on: broker.id, number: previews)]
      } else {
        draft.stage = .typing(fault: "no component of this run takes the command '\(draft.verb)'")
      }
      prompt = .order(draft)
    case (.enter, .asking), (.enter, .arrived): break
    case (.enter, .shown):
      prompt = nil
      guard let broker else {
        say("no component of this run takes the command '\(draft.verb)'", isError: true)
        break
      }
      return [.perform(draft.command, on: broker.id)]
    default:
      // A text that changed needs a preview of its own.
      if let text = Self.edited(draft.text, by: press) { (draft.text, draft.stage) = (text, .typing()) }
      prompt = .order(draft)
    }
    return []
  }

  /// Takes the broker's reply to a preview, if the prompt still waits for it.
  mutating func previewed(_ number: Int, _ text: String, isError: Bool) {
    guard case .order(var draft) = prompt, draft.stage == .asking(number) else { return }
    draft.stage = isError ? .typing(fault: text) : .arrived(text)
    prompt = .order(draft)
  }

  /// A frame is drawn now, with the preview in it.
  mutating func showPreview() {
    guard case .order(var draft) = prompt, case .arrived(let text) = draft.stage else { return }
    draft.stage = .shown(text)
    prompt = .order(draft)
  }
}
