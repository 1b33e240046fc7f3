import MarketData
import StockbusInstruments
import TestSupport
import StockbusPlugin
import StockbusViewing
import Testing

@testable import Dashboard

@Suite struct PushTests {
  static let second: Int64 = 1_000_000_000

  static func push() -> Push { Push(PageBoard(), calm: second) { 0 } }

  static func trade(_ symbol: Symbol, _ cents: Int64, size: Quantity = 1, at ns: Int64 = 1_381_239_000_000_000_000) -> Trade {
    Trade(
      symbol: symbol, price: Price(raw: cents * 10_000_000), size: size, time: Timestamp(ns: ns), received: Timestamp(ns: ns),
      priceDecimals: 2)
  }

  @Test func `the bytes of a first frame`() throws {
    var push = Self.push()
    push.board.take([Self.trade("A", 10_012, size: 5)].span, at: 0)
    let id = push.connect(cursor: 0)
    #expect(push.look(id, pane: 0, at: RowQuery(), 0..<10, now: 0) == nil)
    #expect(push.tick(now: 0, time: 1_381_239_000_250) == [id])
    let bytes = push.next(for: id, now: 0)?.frame
    let frame = try #require(bytes)
    // Kind 1, no text, frame 1, the time, one pane: number 0, with an order, one row in all, from 0.
    // The order has one row, 0. One row: the first, all fields, one update, 250 ms old, two decimals, none, unmarked, "A";
    // 10,012 and the same as reference; 5; no quote; the range 10,012 to 10,012; no rank.
    #expect(
      frame == [1, 0, 1, 0xBA, 0x99, 0x8A, 0xC2, 0x99, 0x28, 1, 0, 1, 1, 0, 1, 0, 1, 0, 255, 1, 0xF4, 0x03, 2, 0, 0, 1, 65]
        + [0xB8, 0x9C, 0x01, 0xB8, 0x9C, 0x01, 10, 0, 0, 0xB8, 0x9C, 0x01, 0xB8, 0x9C, 0x01, 0])
  }

  @Test func `rows of a past are in the first frame, and marked until their symbol's first event`() throws {
    var past = Market()
    past.take([Self.trade("A", 100, size: 7), Self.trade("B", 200)].span, at: 0)
    past.beginRun()
    var push = Push(PageBoard(Instruments(), past), calm: Self.second) { 0 }
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(sorting: Sorting(.symbol)), 0..<10, now: 0)
    var client = TestClient()
    #expect(push.tick(now: 0, time: 1) == [id])
    try client.read(from: &push, id, now: 0)
    func texts() -> [String] { client.panes[0]?.rows.sorted { $0.key < $1.key }.map { "\($1.price) \($1.updates) \($1.marks)" } ?? [] }
    #expect(texts() == ["100 0 1", "200 0 1"])
    push.board.take([Self.trade("B", 201)].span, at: 0)
    push.painted(id, UInt32(client.frame))
    #expect(push.tick(now: 0, time: 2) == [id])
    try client.read(from: &push, id, now: 0)
    #expect(texts() == ["100 0 1", "201 1 0"])
  }

  @Test func `a client gets what changed, and nothing twice`() throws {
    var push = Self.push()
    push.board.take([Self.trade("A", 100), Self.trade("B", 200)].span, at: 0)
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(sorting: Sorting(.symbol)), 0..<10, now: 0)
    var client = TestClient()
    #expect(push.tick(now: 0, time: 1) == [id])
    try client.read(from: &push, id, now: 0)
    #expect(client.panes[0]?.rows.values.map(\.name).sorted() == ["A", "B"])
    push.board.take([Self.trade("B", 201)].span, at: 0)
    #expect(push.tick(now: 0, time: 2) == [], "it has not painted")
    push.painted(id, push.board.frame)
    #expect(push.tick(now: 0, time: 2) == [], "that frame it was not given")
    push.painted(id, UInt32(client.frame))
    #expect(push.tick(now: 0, time: 3) == [id])
    let bytes = push.next(for: id, now: 0)?.frame
    let frame = try #require(bytes)
    // Row 1: price, volume and range have changed; two updates.
    #expect(Array(frame.suffix(from: 5)) == [0, 0, 2, 0, 1, 2, 21, 2] + Array(frame[13...]))
    client.read(frame)
    #expect(client.panes[0]?.rows[1]?.price == 201 && client.panes[0]?.rows[1]?.updates == 2)
    push.painted(id, push.board.frame)
    #expect(push.tick(now: 0, time: 4) == [])
  }

  @Test func `what a slow client was not told is counted by the updates`() throws {
    var push = Self.push()
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(), 0..<10, now: 0)
    var client = TestClient()
    for cents in 1...5 {
      push.board.take([Self.trade("A", Int64(cents))].span, at: 0)
      _ = push.tick(now: 0, time: 0)
    }
    try client.read(from: &push, id, now: 0)
    #expect(client.panes[0]?.rows[0]?.updates == 5 && client.panes[0]?.rows[0]?.price == 5)
  }

  @Test func `clients that look at the same share one encoding`() {
    var push = Self.push()
    push.board.take([Self.trade("A", 100)].span, at: 0)
    let ids = (0..<300).map { _ in push.connect(cursor: 0) }
    for id in ids { _ = push.look(id, pane: 0, at: RowQuery(), 0..<60, now: 0) }
    let other = push.connect(cursor: 0)
    _ = push.look(other, pane: 0, at: RowQuery(), 0..<61, now: 0)
    for round in 1...3 {
      push.board.take([Self.trade("A", 100 + Int64(round))].span, at: 0)
      let due = push.tick(now: 0, time: 0)
      #expect(due.count == 301)
      for id in due {
        #expect(push.next(for: id, now: 0)?.frame != nil)
        push.painted(id, push.board.frame)
      }
      #expect(push.counts == .init(frames: round * 301, shared: round * 299))
    }
  }

  @Test func `numbers with more decimals than before are told again, all exact`() throws {
    var push = Self.push()
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(), 0..<10, now: 0)
    var client = TestClient()
    func next() throws {
      _ = push.tick(now: 0, time: 0)
      try client.read(from: &push, id, now: 0)
      push.painted(id, push.board.frame)
    }
    push.board.take([Self.trade("A", 100)].span, at: 0)
    try next()
    var exact = Self.trade("A", 0)
    exact.price = Price(raw: 9_007_199_254_740_993)
    push.board.take([exact].span, at: 0)
    try next()
    let row = try #require(client.panes[0]?.rows[0])
    #expect(row.priceDecimals == 9 && row.price == 9_007_199_254_740_993 && row.reference == 1_000_000_000 && row.low == 1_000_000_000)
  }

  @Test func `rows wait for their places for the time of calm, and the wait is told`() throws {
    var push = Self.push()
    let id = push.connect(cursor: 0)
    _ = push.look(id, pane: 0, at: RowQuery(sorting: Sorting(.price)), 0..<10, now: 0)
    var client = TestClient()
    func next(at now: Int64) throws {
      _ = push.tick(now: now, time: 0)
      try client.read(from: &push, id, now: now)
      push.painted(id, push.board.frame)
    }
    push.board.take([Self.trade("A", 100), Self.trade("B", 200)].span, at: 0)
    try next(at: 0)
    #expect(client.panes[0]?.order == [1, 0])
    push.board.take([Self.trade("A", 300)].span, at: 0)
    try next(at: Self.second / 2)
    #expect(client.panes[0]?.order == [1, 0] && client.panes[0]?.rows[0]?.price == 300)
    #expect(push.nextTick() == Self.second)
    #expect(push.tick(now: Self.second - 1, time: 0) == [])
    try next(at: Self.second)
    #expect(client.panes[0]?.order == [0, 1])
    #expect(push.nextTick() == Self.second + Push.silence)
  }

  @Test func `names that a client asks for do not become symbols`() {
    var push = Self.push()
    let id = push.connect(cursor: 0)
    #expect(push.look(id, pane: 0, at: RowQuery(symbols: ["NEVER SEEN 1", "A"]), 0..<10, now: 0) == nil)
    _ = push.tick(now: 0, time: 0)
    _ = push.next(for: id, now: 0)?.frame
    push.board.take([Self.trade("A", 1)].span, at: 0)
    #expect(push.board.market.rows.count == 1)
  }

  @Test func `a filter that is wrong says where, and passes all`() {
    var push = Self.push()
    let id = push.connect(cursor: 0)
    let problem = push.look(id, pane: 0, at: RowQuery(filter: "price > > 3"), 0..<10, now: 0)
    #expect(problem?.character == 8)
  }

  /// Whatever a client looks at, and however slow it is: after a frame it has, of all rows of its window, what the board has.
  @Test(arguments: 0..<40) func `a client shows what the board has`(seed: UInt64) throws {
    var random = SplitMix(seed)
    var push = Self.push()
    var clients: [Push.ClientID: (client: TestClient, waits: Bool)] = [:]
    let names = (0..<30).map { Symbol(stringLiteral: "S\($0)") }
    let filters = ["", "price > 1", "S1", "updates > 3 and change >= 0"]
    let columns: [Column] = [.symbol, .price, .change, .updates, .volume]
    var now: Int64 = 0
    var frames = 0
    for _ in 0..<400 {
      now += Int64.random(in: 0...400_000_000, using: &random)
      let batch = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        Self.trade(names.randomElement(using: &random) ?? "S0", Int64.random(in: 1...300, using: &random), size: 2)
      }
      push.board.take(batch.span, at: now)
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where clients.count < 6: clients[push.connect(cursor: 0)] = (TestClient(), false)
      case 1:
        if let id = clients.keys.sorted().first, Bool.random(using: &random) {
          push.disconnect(id)
          clients[id] = nil
        }
      case 2, 3:
        guard let id = clients.keys.sorted().randomElement(using: &random) else { break }
        let from = Int32.random(in: 0..<20, using: &random)
        var query = RowQuery(filter: filters.randomElement(using: &random) ?? "")
        if Bool.random(using: &random) { query.symbols = names.shuffled(using: &random).prefix(9).map(\.description) }
        if Bool.random(using: &random) { query.sorting = columns.randomElement(using: &random).map { Sorting($0) } }
        let pane = UInt8.random(in: 0..<2, using: &random)
        _ = push.look(id, pane: pane, at: query, from..<from + Int32.random(in: 1...12, using: &random), now: now)
      default: break
      }
      for id in clients.keys.sorted() where clients[id]?.waits == true && Bool.random(using: &random) {
        push.painted(id, push.board.frame)
        clients[id]?.waits = false
      }
      for id in push.tick(now: now, time: now / 1_000_000) {
        #expect(clients[id]?.waits == false)
        guard let bytes = push.next(for: id, now: now)?.frame else { continue }
        frames += 1
        clients[id]?.client.read(bytes)
        clients[id]?.waits = true
        guard let panes = clients[id]?.client.panes else { continue }
        for (number, pane) in panes where push.clients[id]?.panes[number] != nil {
          let told = try #require(push.clients[id]?.panes[number])
          #expect(pane.order == told.sent.rows.map(Int64.init) && Int(pane.total) == told.sentTotal)
          #expect(pane.order.count <= told.range.count && Int32(pane.from) == told.range.lowerBound)
          #expect(Set(pane.rows.keys).isSuperset(of: pane.order))
          for row in pane.order {
            let shown = try #require(pane.rows[row])
            let true_ = push.board.numbers(of: Int32(row))
            let unit = RowNumbers.units[Int(true_.priceDecimals)]
            #expect(shown.price * unit == true_.price && shown.reference * unit == true_.reference && shown.high * unit == true_.high)
            #expect(shown.low * unit == true_.low && shown.updates == true_.updates && shown.volume * 1_000_000_000 == true_.volume)
            #expect(shown.name == push.board.market.rows[Int(row)].symbol.description)
          }
        }
      }
    }
    #expect(frames > 20)
  }
}
