internal import EventBus

/// The part of a compiled expression that does not depend on the event type.
@usableFromInline
final class CompiledExpression: Sendable {
  let program: ExpressionCode
  let description: String
  private let text: String

  init(_ text: String, _ shape: EventShape, _ place: ExpressionPlace) throws(ExpressionError) {
    let tree = try Parser.parse(text)
    let planner = MemoryPlanner(shape.places)
    program = ExpressionCode([try Checker(text: text, shape: shape, place: place, planner: planner).condition(tree)], planner)
    description = tree.description
    self.text = text
    try Self.checkLimits(program, text, tree)
  }

  static func checkLimits(_ program: ExpressionCode, _ text: String, _ tree: Syntax) throws(ExpressionError) {
    if Workspace.registers(program, chunk: 1) > Self.room {
      throw ExpressionError(.limit, "the expression is too complex", text, tree.range)
    }
    if let plan = program.plan, plan.block > MemoryPlan.largestBlock {
      let message = "this remembers \(plan.block) bytes for each instrument; at most \(MemoryPlan.largestBlock) are possible"
      throw ExpressionError(.limit, message, text, tree.range)
    }
  }

  /// One program for several expressions, which shares what they remember.
  static func program(_ expressions: [CompiledExpression], _ shape: EventShape) -> ExpressionCode {
    let planner = MemoryPlanner(shape.places)
    let conditions = expressions.map { expression in
      // Each of them has been compiled before.
      let checker = Checker(text: expression.text, shape: shape, place: .withMemory, planner: planner)
      return (try? checker.condition(try Parser.parse(expression.text))) ?? .constant(false)
    }
    return ExpressionCode(conditions, planner)
  }

  /// Bytes of stack for the evaluation of one event.
  private static let room = 752

  /// The verdict on the event that begins at `event`.
  @usableFromInline
  func verdict(_ event: UnsafeRawPointer) -> Verdict {
    if program.plan != nil { return verdictWithoutMemory(event) }
    // The size is constant, so that the memory is taken from the stack.
    return withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 16) { memory in
      let space = Workspace(program, chunk: 1, in: memory.baseAddress.unsafelyUnwrapped)
      Machine(program: program, space: space, events: event, stride: 0, count: 1).run()
      return Verdict(rawValue: space.bytes[0]) ?? .undecided
    }
  }

  /// Where nothing is remembered, functions with memory are undecided.
  @inline(never)
  func verdictWithoutMemory(_ event: UnsafeRawPointer, row: [Int64] = []) -> Verdict {
    withUnsafeTemporaryAllocation(byteCount: Workspace.size(program, chunk: 1), alignment: 16) { memory in
      let space = Workspace(program, chunk: 1, in: memory.baseAddress.unsafelyUnwrapped)
      for column in 0..<(program.plan?.columns ?? 0) {
        (space.values(column)[0], space.missing(column)[0]) = (0, Verdict.undecided.rawValue)
      }
      for case .row(let place, let isFlag, let column) in program.plan?.steps ?? []
      where place < row.count && row[place] != ColumnLayout.missing {
        (space.values(column)[0], space.missing(column)[0]) = (row[place], isFlag && row[place] != 0 ? Verdict.yes.rawValue : 0)
      }
      Machine(program: program, space: space, events: event, stride: 0, count: 1).run()
      return Verdict(rawValue: space.bytes[0]) ?? .undecided
    }
  }
}
