import MarketData
import TestSupport
import Testing

@testable import StockbusTrading

@Suite struct ReportTests {
  private func fill(
    _ number: Int64, _ side: Side, _ quantity: String, position: String, realised: String = "0", fee: String = "0", symbol: Symbol = "X",
    account: Symbol = "a"
  ) -> Fill {
    Fill(
      account: account, symbol: symbol, side: side, reason: .touch, number: number, order: number, price: 10, quantity: units(quantity),
      fee: amount(fee), realised: amount(realised), position: units(position), shown: 10, shownSize: units(quantity),
      time: Timestamp(ns: number), received: Timestamp(ns: number))
  }

  private func state(_ time: Int64, _ equity: String, exposure: String = "0", account: Symbol = "a") -> AccountState {
    AccountState(
      account: account, currency: "USD", deposits: 1000, cash: 0, equity: amount(equity), exposure: amount(exposure), marginUsed: 0,
      reserved: 0, buyingPower: 0, realised: 0, unrealised: 0, fees: 0, time: Timestamp(ns: time), received: Timestamp(ns: time))
  }

  @Test func `a trade lasts from flat to flat, and a fill through zero ends one and begins the next`() {
    let fills = [
      fill(1, .buy, "10", position: "10", fee: "1"), fill(2, .buy, "10", position: "20", fee: "1"),
      fill(3, .sell, "5", position: "15", realised: "7", fee: "1"), fill(4, .sell, "25", position: "-10", realised: "21", fee: "2"),
      fill(5, .buy, "3", position: "3", fee: "1", symbol: "Y"), fill(6, .buy, "10", position: "0", realised: "-4", fee: "1"),
      fill(7, .sell, "1", position: "-1", symbol: "X", account: "b"),
    ]
    let report = PaperReport(of: "a", fills: fills, states: [])
    #expect(
      report.trades == [
        RoundTrip(
          symbol: "X", side: .buy, opened: Timestamp(ns: 1), closed: Timestamp(ns: 4), quantity: 20, fills: 4, realised: 28, fees: 5),
        RoundTrip(
          symbol: "X", side: .sell, opened: Timestamp(ns: 4), closed: Timestamp(ns: 6), quantity: 10, fills: 2, realised: -4, fees: 1),
      ])
    #expect(report.open.map(\.symbol) == ["Y"])
    #expect(report.fills == 6)
    #expect(report.profit == 17)
    #expect(report.wins == 1)
    #expect(report.losses == 1)
    #expect(report.won == 23)
    #expect(report.lost == 5)
    #expect(report.winRate == 50)
    #expect(report.averageTrade == 9)
    #expect(report.largestWin == 23)
    #expect(report.largestLoss == 5)
  }

  @Test func `without trades there are no rates`() {
    let report = PaperReport(of: "a", fills: [], states: [])
    #expect(report.winRate == nil)
    #expect(report.averageTrade == nil)
    #expect(report.equity.deepest == nil)
    #expect(report.equity.timeInMarket == nil)
  }

  @Test func `fills that begin in the middle of a position make a trade too`() {
    let report = PaperReport(of: "a", fills: [fill(5, .sell, "10", position: "0", realised: "3")], states: [])
    #expect(report.trades.map(\.quantity) == [10])
    #expect(report.trades.map(\.side) == [.buy])
    #expect(report.realised == 3)
  }

  @Test func `the deepest drawdown in money and the steepest in per cent may be different ones`() {
    // Down 30 of 100, then up to 1000, then down 100.
    let states = [
      state(0, "100"), state(1, "80"), state(2, "70"), state(3, "90"), state(4, "1000"), state(5, "950"), state(6, "900"),
      state(7, "999"), state(7, "0", account: "b"),
    ]
    let curve = PaperReport(of: "a", fills: [], states: states).equity
    #expect(
      curve.deepest == EquityCurve.Drawdown(amount: 100, percent: 10, peak: Timestamp(ns: 4), lowest: Timestamp(ns: 6)))
    #expect(
      curve.steepest == EquityCurve.Drawdown(amount: 30, percent: 30, peak: Timestamp(ns: 0), lowest: Timestamp(ns: 2)))
    #expect(curve.first == 100)
    #expect(curve.last == 999)
  }

  @Test func `a third is rounded once, and drawdowns are compared before it`() {
    var curve = EquityCurve()
    for (time, equity) in ["3", "2", "3000000000000000003", "2000000000000000001"].enumerated() { curve.take(state(Int64(time), equity)) }
    #expect(curve.deepest?.amount == amount("1000000000000000002"))
    #expect(curve.deepest?.percent == percent("33.333333333"))
    // 1000000000000000002 of 3000000000000000003 is a little more than 1 of 3.
    #expect(curve.steepest?.lowest == Timestamp(ns: 3))
    var less = EquityCurve()
    for (time, equity) in ["3", "2", "3000000000000000003", "2000000000000000002"].enumerated() { less.take(state(Int64(time), equity)) }
    #expect(less.steepest?.lowest == Timestamp(ns: 3 - 2))
  }

  @Test func `time with a position counts as time in the market`() {
    var curve = EquityCurve()
    curve.take(state(0, "100"))
    curve.take(state(10, "100", exposure: "60"))
    curve.take(state(20, "100", exposure: "10"))
    curve.take(state(25, "100"))
    curve.take(state(40, "100"))
    // 10 ns without, 10 ns with 60, 5 ns with 10, 15 ns without.
    #expect(curve.maximumExposure == 60)
    #expect(curve.timeInMarket == percent("37.5"))
  }

  @Test func `the largest exposures of centuries do not overflow`() {
    var curve = EquityCurve()
    let most = Amount(raw: .max)
    var extreme = state(.min, "0")
    extreme.exposure = most
    curve.take(extreme)
    extreme.time = Timestamp(ns: .max)
    extreme.received = Timestamp(ns: .max)
    curve.take(extreme)
    #expect(curve.timeInMarket == 100)
  }

  @Test func `the trades of random fills add up to what was booked`() throws {
    var random = SplitMix(9)
    for _ in 0..<rounds(50, cost: 100) {
      var desk = try Desk(terms: TradingTerms(lot: 1))
      var fills: [Fill] = []
      for key in 0..<60 {
        desk.quote("\(90 + random.upTo(20))", "50", "\(111 + random.upTo(20))", "50")
        desk.submit("\(key)", random.oneIn(2) ? .buy : .sell, "\(1 + random.upTo(20))")
        fills += desk.out.fills
        desk.out.clear()
      }
      let report = PaperReport(of: "a", fills: fills, states: [])
      #expect(report.realised == desk.state.realised)
      let trips = report.trades + report.open
      #expect(trips.reduce(Amount.zero) { $0.adding($1.realised)! } == report.realised)
      #expect(trips.reduce(Amount.zero) { $0.adding($1.fees)! } == report.fees)
      #expect(report.open.count == (desk.position.quantity == 0 ? 0 : 1))
      #expect(report.wins + report.losses <= report.trades.count)
    }
  }
}
