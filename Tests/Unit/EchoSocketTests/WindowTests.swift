import StockbusPlugin
import Testing

@testable import EchoSocket

@Suite(.timeLimit(.minutes(15))) struct WindowTests {
  private func taken(_ window: inout EchoWindow<String>) -> [String] {
    var taken: [String] = []
    window.takeAnswered { taken.append($0) }
    return taken
  }

  private func sendAll(_ window: inout EchoWindow<String>, at now: Duration = .zero) -> [Int64] {
    var numbers: [Int64] = []
    while let next = window.takeNext(at: now) { numbers.append(next.number) }
    return numbers
  }

  @Test func `answers come out in the order of the questions, each once`() {
    var window = EchoWindow<String>(capacity: 3)
    for text in ["a", "b", "c"] { window.append(text) }
    #expect(window.isFull)
    #expect(sendAll(&window, at: .seconds(1)) == [1, 2, 3])
    #expect(window.answer(2, at: .seconds(3)) == .expected(.seconds(2)))
    #expect(taken(&window) == [])
    #expect(window.answer(1, at: .seconds(2)) == .expected(.seconds(1)))
    #expect(taken(&window) == ["a", "b"])
    #expect(window.answer(1, at: .seconds(2)) == .duplicate)
    #expect(window.answer(2, at: .seconds(2)) == .duplicate)
    #expect(window.answer(4, at: .seconds(2)) == .unknown)
    #expect(window.answer(0, at: .seconds(2)) == .unknown)
    #expect(window.answer(.max, at: .seconds(2)) == .unknown)
    #expect(window.count == 1)
  }

  @Test func `what an answer has to say is known while it is awaited, and only then`() {
    var window = EchoWindow<String>(capacity: 2)
    window.append("a")
    #expect(window.awaited(1) == nil)  // not sent yet
    _ = sendAll(&window)
    #expect(window.awaited(1) == "a")
    for number in [Int64.min, -1, 0, 2, 3, .max] { #expect(window.awaited(number) == nil) }
    _ = window.answer(1, at: .zero)
    #expect(window.awaited(1) == nil)
    #expect(taken(&window) == ["a"])
    #expect(window.awaited(1) == nil)
  }

  @Test func `after a cut what is unanswered is sent again, and only that`() {
    var window = EchoWindow<String>(capacity: 8)
    for text in ["a", "b", "c", "d"] { window.append(text) }
    #expect(sendAll(&window) == [1, 2, 3, 4])
    _ = window.answer(3, at: .zero)
    window.rewind()
    window.append("e")
    var again: [Bool] = []
    var numbers: [Int64] = []
    while let next = window.takeNext(at: .zero) {
      numbers.append(next.number)
      again.append(next.isAgain)
    }
    #expect(numbers == [1, 2, 4, 5])
    #expect(again == [true, true, true, false])
    // An entry that was not sent cannot have a reply.
    window.append("f")
    #expect(window.answer(6, at: .zero) == .unknown)
  }

  @Test func `who is to blame is found by sending one at a time, and given up in the end`() {
    var window = EchoWindow<String>(capacity: 8)
    for text in ["good", "bad", "later"] { window.append(text) }
    #expect(window.blame(attempts: 2) == nil)  // nothing was sent, so nothing is blamed
    #expect(sendAll(&window) == [1, 2, 3])
    // The first one is blamed, and cleared by its reply.
    #expect(window.blame(attempts: 2) == nil)
    window.rewind()
    #expect(sendAll(&window) == [1])
    _ = window.answer(1, at: .zero)
    #expect(taken(&window) == ["good"])
    #expect(sendAll(&window) == [2])
    #expect(window.blame(attempts: 2) == nil)
    window.rewind()
    #expect(sendAll(&window) == [2])
    let lost = window.blame(attempts: 2)
    #expect(lost?.number == 2)
    #expect(lost?.payload == "bad")
    window.rewind()
    #expect(taken(&window) == [])
    #expect(sendAll(&window) == [3])
    window.append("more")
    #expect(sendAll(&window) == [])
    _ = window.answer(3, at: .zero)
    #expect(taken(&window) == ["later"])
    #expect(sendAll(&window) == [4])
  }

  @Test func `what has no usable answer is left out`() {
    var window = EchoWindow<String>(capacity: 4)
    for text in ["a", "b"] { window.append(text) }
    _ = sendAll(&window)
    #expect(window.drop(1, at: .zero) == .expected(.zero))
    #expect(window.drop(1, at: .zero) == .duplicate)
    window.skipDropped()
    #expect(window.count == 1)
    _ = window.answer(2, at: .zero)
    #expect(taken(&window) == ["b"])
    #expect(window.isEmpty)
    #expect(window.removeAll() == 0)
  }

  @Test func `what has no answer can be given up as a whole, and what has one comes out`() {
    var window = EchoWindow<String>(capacity: 4)
    for text in ["a", "b", "c", "d"] { window.append(text) }
    _ = window.takeNext(at: .zero)
    _ = window.takeNext(at: .zero)
    _ = window.takeNext(at: .zero)
    _ = window.answer(2, at: .zero)
    var dropped: [String] = []
    window.dropOpen { dropped.append("\($0)\($1)") }
    #expect(dropped == ["1a", "3c", "4d"])
    #expect(taken(&window) == ["b"])
    #expect(window.isEmpty)
  }

  /// A simple model of the window: every list is searched from its beginning.
  private struct Model {
    var all: [(number: Int64, text: String, isSent: Bool, onWire: Bool, answer: String?)] = []
    var next: Int64 = 1
    var out: [String] = []

    mutating func settle() {
      while let first = all.first, let answer = first.answer {
        out.append(answer)
        all.removeFirst()
      }
    }
  }

  @Test(arguments: 0..<200) func `agrees with a slow model on random cuts and answers`(seed: Int) {
    var random = RandomStream(seed: UInt64(seed))
    let capacity = Int.random(in: 1...9, using: &random)
    var window = EchoWindow<String>(capacity: capacity)
    var model = Model()
    var out: [String] = []
    for _ in 0..<400 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3 where !window.isFull:
        let text = "\(model.next)"
        window.append(text)
        model.all.append((model.next, text, false, false, nil))
        model.next += 1
      case 3..<6:
        let sent = window.takeNext(at: .zero)
        let index = model.all.firstIndex { !$0.onWire && $0.answer == nil }
        #expect(sent?.number == index.map { model.all[$0].number })
        if let index {
          #expect(sent?.isAgain == model.all[index].isSent)
          model.all[index].isSent = true
          model.all[index].onWire = true
        }
      case 6..<9:
        let number = Int64.random(in: 0...model.next, using: &random)
        let answer = window.answer(number, at: .zero)
        if let index = model.all.firstIndex(where: { $0.number == number }) {
          let entry = model.all[index]
          #expect(answer == (!entry.isSent ? .unknown : entry.answer == nil ? .expected(.zero) : .duplicate))
          if answer == .expected(.zero) { model.all[index].answer = model.all[index].text }
        } else {
          #expect(answer == (number >= 1 && number < model.next ? .duplicate : .unknown))
        }
        window.takeAnswered { out.append($0) }
        model.settle()
      default:
        window.rewind()
        for index in model.all.indices { model.all[index].onWire = false }
      }
      #expect(window.count == model.all.count)
      #expect(out == model.out)
    }
    #expect(out == (1..<(window.first)).map { "\($0)" })
  }
}
