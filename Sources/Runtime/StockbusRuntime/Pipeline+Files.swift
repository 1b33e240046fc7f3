internal import StockbusConfig
internal import StockbusPlugin

extension Pipeline {
  /// Makes every component check at once whether the paths still lead to the files that it writes, as at SIGHUP; returns the paths that
  /// were recreated. A component that does not answer within the drain deadline is not waited for.
  package func renewFiles() async -> [String] {
    let found = Guarded([String]())
    let renewals = members.compactMap(\.slot.fileRenewal)
    if renewals.isEmpty { return [] }
    let answered = Latch()
    let left = Guarded(renewals.count)
    for renew in renewals {
      // Not children, because one that hangs must not delay the caller.
      Task {
        let paths = await renew()
        found.withLock { $0 += paths }
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { answered.fire() }
      }
    }
    _ = await firstOf([answered], within: settings.drainDeadline, clock)
    return found.withLock { $0.sorted() }
  }
}
