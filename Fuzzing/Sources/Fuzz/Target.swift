#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Something that reads bytes from outside, and the laws that it keeps whatever they are.
struct Target: Sendable {
  let name: String
  /// What is read, in a few words.
  let about: String
  /// Bytes of the longest input.
  let limit: Int
  /// Words that an input may well hold.
  let words: [String]
  /// What to begin with, beside the files in `Seeds/NAME`.
  let seeds: [[UInt8]]
  /// Milliseconds of a processor that an input may take: many times what the longest takes.
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

  /// One input: the laws, and that it does not take long. The processor's time is measured, so that a busy machine is no finding.
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

  /// In libFuzzer's form, a word a line.
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

/// Ends the process, and so makes the present input a finding, where something does not hold.
func law(_ holds: Bool, _ words: @autoclosure () -> String, line: UInt = #line, file: String = #fileID) {
  if holds { return }
  complain("\(file):\(line): BROKEN LAW: \(words())")
  abort()
}

/// Reads choices from the first bytes of an input; the rest is what is attacked.
struct Choices {
  private(set) var rest: ArraySlice<UInt8>

  init(_ input: [UInt8]) { rest = input[...] }

  /// A number below `count`; 0 at the end.
  mutating func pick(_ count: Int) -> Int { Int(rest.popFirst() ?? 0) % count }
  mutating func coin() -> Bool { pick(2) == 1 }
  mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }
}

/// `bytes` in pieces: as many bytes each as `sizes` say, over and over.
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

/// As a text; what is no UTF-8 becomes U+FFFD.
func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// True where a terminal would show it as it is, on one line.
func isPlain(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { scalar in
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f, 0x2028...0x202e, 0x2066...0x2069: false
    default: true
    }
  }
}
