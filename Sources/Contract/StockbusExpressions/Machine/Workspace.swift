/// Registers for a chunk of events: columns of numbers with a fault flag each, and columns of verdicts.
///
/// Unsafe because instructions write into it for every event. The columns are as long as the chunk, and the program states how many of them
/// it uses.
struct Workspace {
  let chunk: Int
  let wide: UnsafeMutablePointer<Int128>
  private let narrow: UnsafeMutablePointer<Int64>
  /// 1 if the number is missing.
  let faults: UnsafeMutablePointer<UInt8>
  let bytes: UnsafeMutablePointer<UInt8>
  private let long: UnsafeMutablePointer<Int64>
  private let flags: UnsafeMutablePointer<UInt8>

  /// Bytes without the columns of functions with memory.
  static func registers(_ program: ExpressionCode, chunk: Int) -> Int { chunk * (program.wideRegisters * 25 + program.byteRegisters) }

  /// The number of bytes that `init(_:chunk:in:)` needs.
  static func size(_ program: ExpressionCode, chunk: Int) -> Int { columns(program, chunk) + chunk * (program.plan?.columns ?? 0) * 9 }

  /// Where the columns of functions with memory begin.
  private static func columns(_ program: ExpressionCode, _ chunk: Int) -> Int {
    let registers = registers(program, chunk: chunk)
    return program.plan == nil ? registers : (registers + 7) & ~7
  }

  /// Places the columns in memory that is aligned to 16 bytes.
  init(_ program: ExpressionCode, chunk: Int, in memory: UnsafeMutableRawPointer) {
    self.chunk = chunk
    let count = chunk * program.wideRegisters
    wide = memory.bindMemory(to: Int128.self, capacity: count)
    narrow = (memory + count * 16).bindMemory(to: Int64.self, capacity: count)
    faults = (memory + count * 24).bindMemory(to: UInt8.self, capacity: count)
    bytes = (memory + count * 25).bindMemory(to: UInt8.self, capacity: chunk * program.byteRegisters)
    let columns = chunk * (program.plan?.columns ?? 0)
    let begin = memory + Self.columns(program, chunk)
    long = begin.bindMemory(to: Int64.self, capacity: columns)
    flags = (begin + columns * 8).bindMemory(to: UInt8.self, capacity: columns)
  }

  @inline(__always) func numbers(_ register: Int) -> UnsafeMutablePointer<Int128> { wide + register &* chunk }
  /// The same register in 64 bits, if its numbers fit.
  @inline(__always) func narrow(_ register: Int) -> UnsafeMutablePointer<Int64> { narrow + register &* chunk }
  @inline(__always) func faults(_ register: Int) -> UnsafeMutablePointer<UInt8> { faults + register &* chunk }
  @inline(__always) func verdicts(_ register: Int) -> UnsafeMutablePointer<UInt8> { bytes + register &* chunk }
  /// The results of a function with memory, or of an argument of one.
  @inline(__always) func values(_ column: Int) -> UnsafeMutablePointer<Int64> { long + column &* chunk }
  /// 1 if the number is missing; for a function that is a condition its verdicts.
  @inline(__always) func missing(_ column: Int) -> UnsafeMutablePointer<UInt8> { flags + column &* chunk }
}
