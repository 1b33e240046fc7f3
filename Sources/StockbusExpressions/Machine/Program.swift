/// A condition as a row of instructions over columns, after "MonetDB/X100: Hyper-Pipelining Query Execution" (Boncz, Zukowski, Nes, CIDR
/// 2005): each is carried out for a whole chunk of events, so that interpreting costs next to nothing an event.
///
/// Unchecked because of its raw memory, which is written in `init` only: what is looked up for every event is reached without counting
/// references, which would cost more than the comparing.
final class Program: @unchecked Sendable {
  let instructions: UnsafeBufferPointer<Instruction>
  /// The symbol tests' own memory; `symbols` keeps them alive.
  let symbolPages: UnsafeBufferPointer<SymbolTest.Pages>
  let constants: [Int128]
  /// Each sorted.
  let sets: [[Int128]]
  let symbols: [SymbolTest]
  /// Each with a verdict for every byte.
  let tables: [[UInt8]]
  let texts: [NameSet]
  let wideRegisters: Int
  let byteRegisters: Int

  /// Its verdicts end up in byte register 0.
  init(_ condition: Condition) {
    var assembler = Assembler()
    assembler.judge(condition, into: 0)
    instructions = Self.copy(assembler.instructions)
    symbolPages = Self.copy(assembler.symbols.map(\.pages))
    constants = assembler.constants
    sets = assembler.sets
    symbols = assembler.symbols
    tables = assembler.tables
    texts = assembler.texts
    wideRegisters = assembler.wideRegisters
    byteRegisters = assembler.byteRegisters
  }

  deinit {
    instructions.deallocate()
    symbolPages.deallocate()
  }

  private static func copy<T: BitwiseCopyable>(_ items: [T]) -> UnsafeBufferPointer<T> {
    let memory = UnsafeMutableBufferPointer<T>.allocate(capacity: items.count)
    _ = memory.initialize(from: items)
    return UnsafeBufferPointer(memory)
  }
}
