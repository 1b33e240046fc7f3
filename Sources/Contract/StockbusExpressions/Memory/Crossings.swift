/// On which side of the other value a value was: 0 unknown, 1 not beyond it, 2 beyond it.
struct Side: BitwiseCopyable {
  var side: UInt8
  /// 1 if the newest event crossed. A number, because a snapshot may hold any byte.
  var crossing: UInt8
}

/// When a condition last held; `hasHeld` is 0 before the first time.
struct LastTime: BitwiseCopyable {
  var time: Int64
  var hasHeld: UInt8
}

extension ExpressionMemory {
  /// The column has verdicts where others have flags.
  func perform(_ plan: CrossingPlan, _ space: Workspace, _ count: Int) {
    if self.plan.places.revision != nil {
      perform(plan, space, count, isRevisable: true)
    } else {
      perform(plan, space, count, isRevisable: false)
    }
  }

  @inline(__always)
  private func perform(_ plan: CrossingPlan, _ space: Workspace, _ count: Int, isRevisable: Bool) {
    let (a, b) = plan.isAbove ? (plan.left, plan.right) : (plan.right, plan.left)
    let (upper, lower, missing, others) = (space.values(a), space.values(b), space.missing(a), space.missing(b))
    let (verdicts, counting, marks) = (space.missing(plan.column), columns.counting, columns.marks)
    let (need, place) = (plan.need, plan.state)
    for i in 0..<count {
      if counting[i] & need != need || (isRevisable && marks[i] == Mark.older) {
        // An event that counts for nothing crosses nothing.
        verdicts[i] = Verdict.no.rawValue
        continue
      }
      if missing[i] | others[i] != 0 {
        verdicts[i] = Verdict.undecided.rawValue
        continue
      }
      // Without a branch, which would be mispredicted: the sides of different keys are as good as random.
      let beyond: UInt8 = upper[i] > lower[i] ? 1 : 0
      let state = update(place, as: Side.self, i, isRevisable: isRevisable, isTaken: true) {
        $0 = Side(side: 1 &+ beyond, crossing: beyond & ($0.side == 1 ? 1 : 0))
      }
      verdicts[i] = state.pointee.crossing == 1 ? Verdict.yes.rawValue : Verdict.no.rawValue
    }
  }

  func perform(_ plan: SincePlan, _ space: Workspace, _ count: Int) {
    let (verdicts, missing) = (space.values(plan.input), space.missing(plan.input))
    let (now, time) = (columns.now, columns.time)
    let revises = self.plan.places.revision != nil
    for i in 0..<count {
      let state = update(plan.state, as: LastTime.self, i, isRevisable: revises, isTaken: missing[i] == 0) {
        if verdicts[i] != Int64(Verdict.yes.rawValue) { return }
        // A late event is not the last one. After the clock was set back the time may lie ahead.
        let isLate = $0.hasHeld != 0 && $0.time > time[i] && $0.time <= now[i]
        if !isLate { $0 = LastTime(time: time[i], hasHeld: 1) }
      }
      let (since, isOver) = now[i].subtractingReportingOverflow(state.pointee.time)
      put(state.pointee.hasHeld != 0 && !isOver && since >= 0 ? since : nil, plan.column, i, space)
    }
  }
}
