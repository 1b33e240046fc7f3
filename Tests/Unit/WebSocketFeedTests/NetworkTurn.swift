import NIOCore
import NIOPosix
import StockbusNetwork

/// Returns when each of the network's threads has looked at its sockets and done what waited.
///
/// Sockets do not follow a test's clock. A test that moves its clock in small steps gives them a turn after each, so that no deadline passes
/// while their threads have not run.
func networkTurn() async {
  for loop in NetworkThreads.group.makeIterator() { try? await loop.submit {}.get() }
}
