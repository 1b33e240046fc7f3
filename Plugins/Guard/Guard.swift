public import StockbusPlugin

extension Plugin {
  /// Brings events into the order of their times, and sets odd prices aside.
  public static let `guard` = Plugin(
    "guard",
    "Passes events in the order of their times, and sets aside prices that are far from the last ones: those are read as NAME.odd.",
    compiled: [
      .processor(Guard<Trade, Kept>.self), .processor(Guard<Quote, Kept>.self), .processor(Guard<Bar, Kept>.self),
    ]
  ).readable(beside: [
    Plugin(
      "guard.odd", "Passes on what guard sets aside: odd prices, and events that are dated ahead.",
      compiled: [
        .processor(Guard<Trade, SetAside>.self), .processor(Guard<Quote, SetAside>.self), .processor(Guard<Bar, SetAside>.self),
      ])
  ]).example("late: 200ms\nodd: 20%")
}

/// Which half of its events a guard sends.
protocol GuardHalf: SendableMetatype {
  static var isOdd: Bool { get }
}

enum Kept: GuardHalf {
  static var isOdd: Bool { false }
}

enum SetAside: GuardHalf {
  static var isOdd: Bool { true }
}
