internal import CMemoryBarrier

/// The processors that this process may run on: those it is bound to, where it is bound; at least 1.
public func usableProcessors() -> Int { Int(stockbus_usable_processors()) }
