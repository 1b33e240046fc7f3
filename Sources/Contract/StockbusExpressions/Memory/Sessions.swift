/// What a session, or its beginning, sums up.
struct SessionState: BitwiseCopyable {
  var tally = Tally()
  /// The session of the sum, by its number, and how often the clock had been set back.
  var session: UInt32 = 0
  /// The time until which events are missing, because the function was added later.
  var lost = Int64.min
  /// The newest value, which a score is about.
  var newest: Int64 = 0
}

extension ExpressionMemory {
  func perform(_ plan: SessionPlan, _ space: Workspace, _ count: Int) {
    let (input, missing, columns) = (space.values(plan.input), space.missing(plan.input), columns)
    let highs = plan.weights.map { space.values($0.high) }
    let volumes = plan.weights.map { space.values($0.volume) } ?? input
    let others = plan.weights.map { space.missing($0.volume) } ?? missing
    for i in 0..<count {
      let state = (columns.blocks[i] + plan.state).assumingMemoryBound(to: SessionState.self)
      if state.pointee.session != columns.session[i] {
        (state.pointee.tally, state.pointee.session) = (Tally(), columns.session[i])
      }
      let (begin, time) = (columns.sessionBegin[i], columns.time[i])
      var last = Int64.max
      if let opening = plan.opening {
        let (sum, isOver) = begin.addingReportingOverflow(opening)
        last = isOver ? .max : sum &- 1
      }
      if missing[i] | others[i] == 0 {
        if time >= begin, time <= last {
          let turnover = highs.map { Int128(truncatingIfNeeded: $0[i]) << 64 | Int128(UInt64(bitPattern: input[i])) } ?? 0
          state.pointee.tally.add(plan.statistic, volumes[i], turnover: turnover)
          state.pointee.newest = volumes[i]
        } else if time < begin {
          outside &+= 1
        }
      }
      let isOver = plan.opening == nil || columns.now[i] > last
      let isReady = isOver && begin >= completeSince && state.pointee.lost < begin && state.pointee.tally.count > 0
      put(isReady ? state.pointee.tally.result(plan.statistic, newest: state.pointee.newest) : nil, plan.column, i, space)
    }
  }
}
