#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Code that reads bytes from outside, and the properties that hold for any input.
struct Target: Sendable {
  let name: String
  /// What is read, in a few words.
  let about: String
  /// The largest size of an input in bytes.
  let limit: Int
  /// Words that are likely in inputs.
  let words: [String]
  /// Seeds, in addition to the files in `Seeds/NAME`.
  let seeds: [[UInt8]]
  /// The processor time that an input may take, in milliseconds: many times that of the slowest input.
  let budget: Int
  private let body: @Sendable ([UInt8]) -> Void

  init(
    _ name: String, _ about: String, limit: Int = 4096, words: [String] = [], seeds: [[UInt8]] = [], budget: Int = 1000,
    _ body: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.name = name
    self.about = about
    self.limit = limit
    self.words = words
    self.seeds = seeds
    self.budget = budget
    self.body = body
  }

  /// Checks the properties for one input, and the time it takes. Processor time is measured, so that a busy machine has no effect.
  func run(_ input: [UInt8]) {
    let begin = Self.processorTime()
    body(input)
    let took = (Self.processorTime() - begin) / 1_000_000
    law(took <= budget, "\(name): \(input.count) bytes took \(took) ms of a processor, and at most \(budget) are expected")
  }

  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  /// The words in libFuzzer's format, one on each line.
  var dictionary: String {
    words.map { word in
      let escaped = word.utf8.map { byte in
        byte >= 32 && byte < 127 && byte != 34 && byte != 92
          ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
      return "\"\(escaped.joined())\"\n"
    }.joined()
  }
}

/// Ends the process if a property does not hold, so that libFuzzer reports the current input.
func law(_ holds: Bool, _ words: @autoclosure () -> String, line: UInt = #line, file: String = #fileID) {
  if holds { return }
  complain("\(file):\(line): BROKEN LAW: \(words())")
  abort()
}

/// Reads choices from the first bytes of an input; the rest is the data for the tested code.
struct Choices {
  private(set) var rest: ArraySlice<UInt8>

  init(_ input: [UInt8]) { rest = input[...] }

  /// A number below `count`; 0 at the end.
  mutating func pick(_ count: Int) -> Int { Int(rest.popFirst() ?? 0) % count }
  mutating func coin() -> Bool { pick(2) == 1 }
  mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }
}

/// Cuts `bytes` into pieces of `sizes`, which are repeated.
func pieces(_ bytes: ArraySlice<UInt8>, _ sizes: [Int]) -> [ArraySlice<UInt8>] {
  var pieces: [ArraySlice<UInt8>] = []
  var rest = bytes
  while !rest.isEmpty {
    let piece = rest.prefix(max(1, sizes.isEmpty ? rest.count : sizes[pieces.count % sizes.count]))
    pieces.append(piece)
    rest = rest.dropFirst(piece.count)
  }
  return pieces
}

/// The bytes as text; those that are not UTF-8 become U+FFFD.
func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// True if a terminal shows the text unchanged, on one line.
func isPlain(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { scalar in
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f, 0x2028...0x202e, 0x2066...0x2069: false
    default: true
    }
  }
}
