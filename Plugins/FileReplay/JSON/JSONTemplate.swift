/// The shape of a line seen before: the bytes between its scalar values, so that a line of the same shape needs no search for keys.
///
/// Unsafe inside: it compares the row with remembered bytes a word at a time; a newline, which no shape has inside, stops it.
struct JSONTemplate: ~Copyable {
  /// Bytes that must come next, and the node of the value that follows; `last` where the line ends behind them.
  struct Piece {
    var word: Int32
    var count: Int32
    var node: Int32
    var mask: UInt64
  }
  static let last = -2
  private static let pieceLimit = 64
  private static let wordLimit = 512

  let pieces: UnsafeMutablePointer<Piece>
  let words: UnsafeMutablePointer<UInt64>
  private(set) var isComplete = false
  private var pieceCount = 0
  private var wordCount = 0

  init() {
    pieces = .allocate(capacity: Self.pieceLimit)
    pieces.initialize(repeating: Piece(word: 0, count: 0, node: Int32(Self.last), mask: 0), count: Self.pieceLimit)
    words = .allocate(capacity: Self.wordLimit)
    words.initialize(repeating: 0, count: Self.wordLimit)
  }

  deinit {
    pieces.deallocate()
    words.deallocate()
  }

  /// Begins to learn another shape.
  mutating func clear() {
    isComplete = false
    pieceCount = 0
    wordCount = 0
  }

  /// Learns the next piece; a line with too many is not learnt. `last` as the node completes the shape.
  mutating func add(_ from: UnsafePointer<UInt8>, _ count: Int, node: Int32) {
    let needed = max(1, (count + 7) / 8)
    guard pieceCount < Self.pieceLimit, wordCount + needed <= Self.wordLimit else {
      pieceCount = Self.pieceLimit
      return
    }
    let rest = count - (needed - 1) * 8
    pieces[pieceCount] = Piece(word: Int32(wordCount), count: Int32(count), node: node, mask: Words.mask(rest))
    for i in 0..<needed { words[wordCount + i] = Words.load(from + i * 8) }
    words[wordCount + needed - 1] &= Words.mask(rest)
    pieceCount += 1
    wordCount += needed
    if node == Int32(Self.last) { isComplete = true }
  }

  /// Goes past the bytes of a piece, or answers false.
  @inline(always)
  static func passes(_ p: inout UnsafePointer<UInt8>, _ piece: Piece, _ words: UnsafeMutablePointer<UInt64>) -> Bool {
    var word = words + Int(piece.word)
    var left = piece.count
    while left > 8 {
      if Words.load(p) != word.pointee { return false }
      p += 8
      word += 1
      left &-= 8
    }
    if (Words.load(p) ^ word.pointee) & piece.mask != 0 { return false }
    p += Int(left)
    return true
  }
}
