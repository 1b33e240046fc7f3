internal import CMemoryBarrier

/// How many processors this process may run on, with respect to its affinity mask; at least 1.
package func usableProcessors() -> Int { Int(stockbus_usable_processors()) }
