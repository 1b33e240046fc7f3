internal import MarketData

// The events that are sent when lists change.
extension MoverBoard {
  /// The event of a symbol with its place in a list; ranks are counted from 1, and 0 is outside.
  func mover(_ entry: Int, _ list: MoverList, _ rank: Int, _ previous: Int, _ cause: Cause) -> Mover {
    let standing = standings[entry]
    let hasReference = standing.flags.contains(.hasReference)
    let (difference, isFar) = standing.price.subtractingReportingOverflow(standing.reference)
    let change = isFar ? (standing.price < standing.reference ? .min : .max) : difference
    return Mover(
      symbol: standing.symbol, list: list, period: rules.period, rank: UInt32(rank), previousRank: UInt32(previous),
      price: Price(raw: standing.price), reference: Price(raw: hasReference ? standing.reference : 0),
      change: Price(raw: hasReference ? change : 0), percent: Percent(raw: standing.percent),
      volume: Quantity(raw: Int64(clamping: standing.volume)), turnover: Amount(raw: standing.turnover), time: Timestamp(ns: cause.time),
      received: Timestamp(ns: cause.received), mark: standing.mark, priceDecimals: standing.priceDecimals,
      sizeDecimals: standing.sizeDecimals)
  }

  /// Sends the changes of a list after the update of one symbol: the symbol first, then those that it displaced, from the best rank on.
  /// Returns true if anything was sent.
  @inline(__always)
  func send<Key, Output: MoverOutput & ~Copyable>(
    _ change: TopList<Key>.Change, _ members: [TopList<Key>.Member], _ list: MoverList, _ countBefore: Int, _ entry: Int, _ cause: Cause,
    into output: inout Output
  ) -> Bool {
    if change.before == nil, change.now == nil { return false }
    sendMove(change, members, list, countBefore, entry, cause, into: &output)
    return true
  }

  @inline(never)
  private func sendMove<Key, Output: MoverOutput & ~Copyable>(
    _ change: TopList<Key>.Change, _ members: [TopList<Key>.Member], _ list: MoverList, _ countBefore: Int, _ entry: Int, _ cause: Cause,
    into output: inout Output
  ) {
    output.send(mover(entry, list, change.now.map { $0 + 1 } ?? 0, change.before.map { $0 + 1 } ?? 0, cause))
    let shift: Int
    let range: Range<Int>
    switch (change.before, change.now) {
    case (let before?, let now?) where now <= before: (shift, range) = (-1, now + 1..<before + 1)
    case (let before?, let now?): (shift, range) = (1, before..<now)
    case (let before?, nil): (shift, range) = (1, before..<members.count)
    case (nil, let now?): (shift, range) = (-1, now + 1..<members.count)
    case (nil, nil): return
    }
    // If the list is as long as before, though one symbol has left, the last member is new.
    let newcomer = change.now == nil && members.count == countBefore ? members.count - 1 : -1
    for index in range {
      output.send(mover(Int(members[index].entry), list, index + 1, index == newcomer ? 0 : index + 1 + shift, cause))
    }
    if let displaced = change.displaced { output.send(mover(Int(displaced), list, 0, members.count, cause)) }
  }

  /// Sends an event for each member that leaves.
  func leave<Output: MoverOutput & ~Copyable>(into output: inout Output) {
    let cause = Cause(time: received, received: received)
    leave(lists.gainers.members, .gainers, cause, into: &output)
    leave(lists.losers.members, .losers, cause, into: &output)
    leave(lists.active.members, .active, cause, into: &output)
  }

  private func leave<Key, Output: MoverOutput & ~Copyable>(
    _ members: [TopList<Key>.Member], _ list: MoverList, _ cause: Cause, into output: inout Output
  ) {
    for (index, member) in members.enumerated() { output.send(mover(Int(member.entry), list, 0, index + 1, cause)) }
  }

  /// Sends the differences between two moments of all lists.
  func sendDifferences<Output: MoverOutput & ~Copyable>(
    since before: MoverLists.Snapshot, leaversAreSent: Bool, _ cause: Cause, into output: inout Output
  ) {
    sendDifference(before.gainers, lists.gainers, .gainers, leaversAreSent, cause, into: &output)
    sendDifference(before.losers, lists.losers, .losers, leaversAreSent, cause, into: &output)
    sendDifference(before.active, lists.active, .active, leaversAreSent, cause, into: &output)
  }

  /// First the symbols that have left, then those whose rank or figures have changed, in the order of their ranks.
  private func sendDifference<Key, Output: MoverOutput & ~Copyable>(
    _ before: [TopList<Key>.Member], _ list: TopList<Key>, _ name: MoverList, _ leaversAreSent: Bool, _ cause: Cause,
    into output: inout Output
  ) {
    var ranks: [UInt32: Int] = [:]
    for (index, member) in before.enumerated() {
      ranks[member.entry] = index + 1
      if !leaversAreSent, list.index(of: member.entry) == nil { output.send(mover(Int(member.entry), name, 0, index + 1, cause)) }
    }
    for (index, member) in list.members.enumerated() {
      let previous = ranks[member.entry] ?? 0
      if previous != index + 1 || standings[Int(member.entry)].touched == changeByTime {
        output.send(mover(Int(member.entry), name, index + 1, previous, cause))
      }
    }
  }
}
