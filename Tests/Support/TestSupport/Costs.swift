#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The times of the inputs in a long random test, each compared with the usual one of its kind and size.
///
/// Nothing is measured in the normal suite, and times are never asserted: they are reported if `STOCKBUS_FUZZ_COUNT` sets a large number of
/// inputs. They are processor times of this thread, so that a busy machine has no effect. An input that seems slow is repeated and counts
/// with its shortest time, so that an interrupt has no effect.
public struct Costs {
  /// Inputs of one class of sizes; each class begins half as large again as the one before.
  private struct Class {
    /// Histograms by eighths of an octave of nanoseconds; for all inputs, and for the good ones.
    var all = Histogram()
    var good = Histogram()
    var longest: [Input] = []

    mutating func add(_ nanoseconds: Int, isGood: Bool, _ size: Int, text: () -> String) {
      all.add(nanoseconds)
      if isGood { good.add(nanoseconds) }
      if longest.count == 3, nanoseconds <= longest[2].nanoseconds { return }
      var shown = ""
      for scalar in text().unicodeScalars.prefix(200) { shown.unicodeScalars.append(scalar.value < 32 ? "·" : scalar) }
      longest.append(Input(nanoseconds: nanoseconds, size: size, text: shown))
      longest.sort { $0.nanoseconds > $1.nanoseconds }
      longest = Array(longest.prefix(3))
    }
  }

  private struct Input {
    let nanoseconds: Int
    let size: Int
    let text: String
  }

  private struct Histogram {
    private(set) var count = 0
    private var slots = [Int](repeating: 0, count: 8 * 48)

    mutating func add(_ nanoseconds: Int) {
      let n = max(1, nanoseconds)
      let octave = Int.bitWidth - 1 - n.leadingZeroBitCount
      let eighth = octave >= 3 ? (n >> (octave - 3)) & 7 : 0
      slots[min(slots.count - 1, 8 * octave + eighth)] += 1
      count += 1
    }

    /// The median in nanoseconds, to an eighth of an octave.
    var median: Int {
      var rest = count / 2
      for (slot, n) in slots.enumerated() {
        if rest < n { return ((8 + slot % 8) << (slot / 8)) / 8 }
        rest -= n
      }
      return 1
    }
  }

  private let kind: String
  private let isWanted: Bool
  private var classes: [Int: Class] = [:]
  private var total = 0
  private var count = 0

  /// - Parameter kind: the name of the inputs in reports.
  public init(_ kind: String) {
    self.kind = kind
    isWanted = getenv("STOCKBUS_FUZZ_COUNT") != nil
    if isWanted { Self.leaveBacktracesOut }
  }

  /// Switches off the test library's backtrace of every thrown error, which takes a hundred times as long as throwing.
  private static let leaveBacktracesOut: Void = {
    for name in ["_swift_willThrow", "_swift_willThrowTypedImpl"] {
      dlsym(nil, name)?.assumingMemoryBound(to: UnsafeRawPointer?.self).pointee = nil
    }
  }()

  /// Runs `body` with an input of `size` bytes, and repeats it if it took long and may be repeated.
  /// - Parameters:
  ///   - text: the input, as it is shown in reports.
  ///   - isGood: returns true for the result of a usual input; the others are compared with these.
  public mutating func measure<R, E: Error>(
    size: Int, _ text: @autoclosure () -> String, isGood: (R) -> Bool = { _ in false }, _ body: () throws(E) -> R
  ) throws(E) -> R {
    if !isWanted { return try body() }
    var begin = Self.processorTime()
    let result = try body()
    var took = Self.processorTime() - begin
    total += took
    count += 1
    let place = Self.place(of: size)
    // The first inputs of a size run with cold caches.
    let known = classes[place].flatMap { $0.all.count >= 100 ? $0.all.median : nil }
    var rest = 4
    while rest > 0, took > 4 * (known ?? 0) {
      begin = Self.processorTime()
      _ = try body()
      took = min(took, Self.processorTime() - begin)
      rest -= 1
    }
    classes[place, default: Class()].add(took, isGood: isGood(result), size) { text() }
    return result
  }

  /// Adds a time that was measured elsewhere.
  public mutating func note(_ nanoseconds: Int, size: Int, _ text: @autoclosure () -> String) {
    if !isWanted { return }
    total += nanoseconds
    count += 1
    classes[Self.place(of: size), default: Class()].add(nanoseconds, isGood: false, size) { text() }
  }

  /// The processor time of this process in nanoseconds, for work of other threads.
  public static var processTime: Int { time(CLOCK_PROCESS_CPUTIME_ID) }

  private static func place(of size: Int) -> Int {
    var place = 0
    var limit = 8
    while limit < size {
      limit += limit / 2
      place += 1
    }
    return place
  }

  /// The lines of the report; none if nothing was measured.
  public var lines: [String] {
    if count == 0 { return [] }
    var ratios: [(ratio: Double, line: String)] = []
    for (place, found) in classes {
      // If there are few of a size, they are compared with the nearest size that has many.
      let near = classes.filter { $0.value.all.count >= 100 }.min { abs($0.key - place) < abs($1.key - place) }
      let good = classes.filter { $0.value.good.count >= 100 }.min { abs($0.key - place) < abs($1.key - place) }
      for input in found.longest {
        let usual = near.map { Self.scaled($0.value.all.median, from: $0.key, to: place) } ?? input.nanoseconds
        let best = good.map { Self.scaled($0.value.good.median, from: $0.key, to: place) }
        let ratio = Double(input.nanoseconds) / Double(max(1, usual))
        let against = best.map { ", \(Self.rounded(Double(input.nanoseconds) / Double(max(1, $0)))) × the usual good one's \($0) ns" } ?? ""
        ratios.append(
          (
            ratio,
            "  \(input.size) bytes, \(input.nanoseconds) ns: \(Self.rounded(ratio)) × its size's \(usual) ns\(against): \(input.text)"
          ))
      }
    }
    ratios.sort { $0.ratio > $1.ratio }
    return ["COSTS \(kind): \(count) inputs, \(Self.rounded(Double(total) / 1e9)) s, longest against their size"]
      + ratios.prefix(3).map(\.line)
  }

  /// A time scaled by the ratio of sizes; never less than the original time.
  private static func scaled(_ nanoseconds: Int, from: Int, to: Int) -> Int {
    if to <= from { return nanoseconds }
    var time = Double(nanoseconds)
    for _ in from..<to { time *= 1.5 }
    return Int(time)
  }

  private static func rounded(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

  private static func processorTime() -> Int { time(CLOCK_THREAD_CPUTIME_ID) }

  private static func time(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
