/// Registers for a chunk of events: columns of numbers with a fault flag each, and columns of verdicts.
///
/// Unsafe because instructions write into it for every event. The columns are as long as the chunk, and the program states how many of them
/// it uses.
struct Workspace {
  let chunk: Int
  let wide: UnsafeMutablePointer<Int128>
  /// 1 if the number is missing.
  let faults: UnsafeMutablePointer<UInt8>
  let bytes: UnsafeMutablePointer<UInt8>

  /// The number of bytes that `init(_:chunk:in:)` needs.
  static func size(_ program: ExpressionCode, chunk: Int) -> Int { chunk * (program.wideRegisters * 17 + program.byteRegisters) }

  /// Places the columns in memory that is aligned to 16 bytes.
  init(_ program: ExpressionCode, chunk: Int, in memory: UnsafeMutableRawPointer) {
    self.chunk = chunk
    let count = chunk * program.wideRegisters
    wide = memory.bindMemory(to: Int128.self, capacity: count)
    faults = (memory + count * 16).bindMemory(to: UInt8.self, capacity: count)
    bytes = (memory + count * 17).bindMemory(to: UInt8.self, capacity: chunk * program.byteRegisters)
  }

  @inline(__always) func numbers(_ register: Int) -> UnsafeMutablePointer<Int128> { wide + register &* chunk }
  @inline(__always) func faults(_ register: Int) -> UnsafeMutablePointer<UInt8> { faults + register &* chunk }
  @inline(__always) func verdicts(_ register: Int) -> UnsafeMutablePointer<UInt8> { bytes + register &* chunk }
}
