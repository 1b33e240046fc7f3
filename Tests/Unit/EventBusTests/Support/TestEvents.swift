import EventBus
import MarketData
import Synchronization

/// An event that tests can make and compare.
protocol TestEvent: SymbolEvent, Equatable {
  static func make(_ number: Int, _ symbol: Symbol) -> Self
  var number: Int { get }
  /// The bytes of its texts.
  var weight: Int { get }
}

extension TestEvent {
  /// The event with this number, of one of five symbols.
  static func make(_ number: Int) -> Self { make(number, five[number % 5]) }
  var weight: Int { 0 }
}

let five: [Symbol] = ["TEST0", "TEST1", "TEST2", "TEST3", "TEST4"]

/// Plain bytes.
struct Tick: TestEvent, BitwiseCopyable {
  var symbol: Symbol
  var value: Int64
  var time = Timestamp(ns: 0)

  static func make(_ number: Int, _ symbol: Symbol) -> Tick { Tick(symbol: symbol, value: Int64(number)) }
  var number: Int { Int(value) }

  static let schema = EventSchema<Tick>(
    "tick", "A number.", key: \.symbol, time: \.time, example: Tick(symbol: "TEST0", value: 0),
    fields: [
      .init("symbol", \.symbol, "The instrument."), .init("value", \.value, "The number."), .init("time", \.time, "The time."),
    ])
}

/// Carries a string that is too long to be stored inline.
struct Note: TestEvent {
  var symbol: Symbol
  var text: String
  var time = Timestamp(ns: 0)

  static func make(_ number: Int, _ symbol: Symbol) -> Note { Note(symbol: symbol, text: "the text of note number \(number)") }
  var number: Int { Int(text.dropFirst("the text of note number ".count)) ?? -1 }
  var weight: Int { text.utf8.count }

  static let schema = EventSchema<Note>(
    "note", "A text.", key: \.symbol, time: \.time, example: Note(symbol: "TEST0", text: ""),
    fields: [.init("symbol", \.symbol, "The instrument."), .init("text", \.text, "The text."), .init("time", \.time, "The time.")])
}

/// Carries an object that counts how many of its kind exist.
struct Parcel: TestEvent {
  final class Content: Sendable {
    let number: Int
    let tally: Tally
    init(_ number: Int, _ tally: Tally) {
      self.number = number
      self.tally = tally
      tally.living.add(1, ordering: .relaxed)
    }
    deinit { tally.living.subtract(1, ordering: .relaxed) }
  }
  /// Counts the objects of one test, so that tests may run side by side.
  final class Tally: Sendable {
    let living = Atomic<Int>(0)
    var count: Int { living.load(ordering: .relaxed) }
  }

  var symbol: Symbol
  var content: Content
  var time = Timestamp(ns: 0)
  var number: Int { content.number }

  static func make(_ number: Int, _ symbol: Symbol) -> Parcel { make(number, symbol, Tally()) }
  static func make(_ number: Int, _ symbol: Symbol, _ tally: Tally) -> Parcel {
    Parcel(symbol: symbol, content: Content(number, tally))
  }
  static func == (a: Parcel, b: Parcel) -> Bool { a.symbol == b.symbol && a.content === b.content }

  static let schema = EventSchema<Parcel>(
    "parcel", "An object.", key: \.symbol, time: \.time, example: Parcel.make(0, "TEST0"),
    fields: [.init("symbol", \.symbol, "The instrument."), .init("time", \.time, "The time.")])
}
