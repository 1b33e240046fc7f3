import MarketData
import StockbusPlugin
import StockbusTerminal
import Testing

@testable import ConsoleViewer

@Suite struct BoardTests {
  private func ranked(_ symbol: Symbol, _ rank: UInt32, was previous: UInt32, price: Price = 10) -> Ranked {
    Ranked(
      symbol: symbol, rank: rank, previousRank: previous, price: price, change: 0, percent: 0, volume: 0, time: Timestamp(ns: 0),
      received: Timestamp(ns: 0))
  }

  private func order(_ board: Board) -> [String] { board.order.map { board.rows[Int($0)].symbol.description } }

  @Test func `follows a ranking's moves`() {
    var board = Board(flash: .seconds(1))
    let moves = [
      ranked("A", 1, was: 0), ranked("B", 1, was: 0), ranked("C", 3, was: 0), ranked("D", 2, was: 0),  // B D A C
      ranked("C", 1, was: 4),  // C B D A
      ranked("B", 4, was: 2),  // C D A B
      ranked("A", 3, was: 3),
    ]
    board.update(ranked: moves.span, at: .zero)
    #expect(order(board) == ["C", "D", "A", "B"])
  }

  @Test func `a random ranking is followed exactly`() {
    var random = RandomStream(seed: 7)
    var model: [Symbol] = []
    var board = Board(flash: .seconds(1))
    let symbols = (0..<60).map { (try? Symbol("R\($0)")) ?? "X" }
    for _ in 0..<3000 {
      let symbol = symbols[Int(random.next() % 60)]
      let old = model.firstIndex(of: symbol)
      if let old { model.remove(at: old) }
      let new = Int(random.next() % UInt64(model.count + 1))
      model.insert(symbol, at: new)
      let move = [ranked(symbol, UInt32(new + 1), was: old.map { UInt32($0 + 1) } ?? 0)]
      board.update(ranked: move.span, at: .zero)
    }
    #expect(order(board) == model.map(\.description))
  }

  @Test func `a symbol with rank 0 has left`() {
    var board = Board(flash: .seconds(1))
    let moves = [ranked("A", 1, was: 0), ranked("B", 1, was: 0), ranked("C", 1, was: 0), ranked("A", 0, was: 3)]
    board.update(ranked: moves.span, at: .zero)
    #expect(order(board) == ["C", "B"])
    #expect(!board.isPartial)
  }

  @Test func `of a filtered ranking every symbol stands by the rank it told last`() {
    var board = Board(flash: .seconds(1))
    let moves = [
      ranked("A", 25, was: 0), ranked("N", 14, was: 0), ranked("T", 9, was: 0), ranked("A", 3, was: 25), ranked("N", 14, was: 14),
    ]
    board.update(ranked: moves.span, at: .zero)
    #expect(board.isPartial)
    #expect(order(board) == ["A", "T", "N"])
    let lines = TableLayout(columns: 100, rows: 10).lines(board, at: .zero).map(\.text)
    #expect(lines.dropFirst().dropLast().map { $0.prefix(8).trimmingPrefix { $0 == " " } } == ["3  A", "9  T", "14  N"])
  }

  @Test func `without a ranking symbols stand in the order they came`() {
    var board = Board(flash: .seconds(1))
    for symbol: Symbol in ["B", "A", "B", "C"] {
      board.update(Trade(symbol: symbol, price: 10, size: 5, time: Timestamp(ns: 0), received: Timestamp(ns: 0)), at: .zero)
    }
    #expect(order(board) == ["B", "A", "C"])
    #expect(board.rows[0].volume == 10)
    #expect(board.total == 4)
  }

  @Test func `the change counts from the first price`() {
    var board = Board(flash: .seconds(1))
    func take(_ price: Price) -> Price {
      board.update(Trade(symbol: "A", price: price, size: 0, time: Timestamp(ns: 0), received: Timestamp(ns: 0)))
    }
    #expect(take(100) == 0)
    #expect(take(103) == 3)
    #expect(take(99) == Price(raw: -1_000_000_000))
    #expect(board.rows[0].percent == Percent(raw: -1_000_000_000))
  }

  @Test func `a price flashes for as long as it was told to`() {
    var board = Board(flash: .seconds(1))
    func take(_ price: Price, at time: Duration) {
      board.update(Trade(symbol: "A", price: price, size: 0, time: Timestamp(ns: 0), received: Timestamp(ns: 0)), at: time)
    }
    take(100, at: .zero)
    #expect(!board.isFlashing(at: .zero))
    take(101, at: .seconds(5))
    #expect(board.isFlashing(at: .milliseconds(5999)))
    #expect(!board.isFlashing(at: .seconds(6)))
  }
}
