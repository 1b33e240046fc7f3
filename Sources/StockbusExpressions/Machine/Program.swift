/// A condition as a row of instructions over columns, after "MonetDB/X100: Hyper-Pipelining Query Execution" (Boncz, Zukowski, Nes, CIDR
/// 2005): each is carried out for a whole chunk of events, so that interpreting costs next to nothing an event.
final class Program: Sendable {
  let instructions: [Instruction]
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
    instructions = assembler.instructions
    constants = assembler.constants
    sets = assembler.sets
    symbols = assembler.symbols
    tables = assembler.tables
    texts = assembler.texts
    wideRegisters = assembler.wideRegisters
    byteRegisters = assembler.byteRegisters
  }
}
