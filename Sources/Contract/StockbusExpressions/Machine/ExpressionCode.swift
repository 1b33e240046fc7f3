/// A condition as a sequence of instructions over columns, after "MonetDB/X100: Hyper-Pipelining Query Execution" (Boncz, Zukowski, Nes,
/// CIDR 2005): each instruction is executed for a whole chunk of events, so that interpretation costs almost nothing per event.
///
/// Unchecked because of its raw memory, which is written in `init` only. The data read for every event is accessed without reference
/// counting, which would cost more than the comparison itself.
final class ExpressionCode: @unchecked Sendable {
  let instructions: UnsafeBufferPointer<Instruction>
  /// What the functions with memory remember; nil if there are none.
  let plan: MemoryPlan?
  /// The instructions that compute the arguments of these functions, and by step of the plan which they are.
  let argumentCode: UnsafeBufferPointer<Instruction>
  let arguments: [Range<Int>]
  /// The memory of the symbol tests; `symbols` keeps it alive.
  let symbolPages: UnsafeBufferPointer<SymbolTest.Pages>
  let constants: [Int128]
  /// Sets of numbers, each of which is sorted.
  let sets: [[Int128]]
  let symbols: [SymbolTest]
  /// Tables, each of which has a verdict for every byte.
  let tables: [[UInt8]]
  let texts: [NameSet]
  let wideRegisters: Int
  let byteRegisters: Int

  /// The verdicts of each condition are written to the byte register of its number.
  init(_ conditions: [Condition], _ planner: MemoryPlanner) {
    let plan = planner.steps.isEmpty ? nil : MemoryPlan(planner)
    var assembler = Assembler()
    self.plan = plan
    arguments = plan.map { $0.steps.map { assembler.argument(of: $0) } } ?? []
    argumentCode = Self.copy(assembler.cut())
    for (i, condition) in conditions.enumerated() { assembler.judge(condition, into: i) }
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
    argumentCode.deallocate()
    symbolPages.deallocate()
  }

  private static func copy<T: BitwiseCopyable>(_ items: [T]) -> UnsafeBufferPointer<T> {
    let memory = UnsafeMutableBufferPointer<T>.allocate(capacity: items.count)
    _ = memory.initialize(from: items)
    return UnsafeBufferPointer(memory)
  }
}
