#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The number of rounds of a random test: `usual` in the suite. `STOCKBUS_FUZZ_COUNT` sets a larger number, which is divided by `cost` for
/// expensive rounds.
public func rounds(_ usual: Int, cost: Int = 1) -> Int {
  guard let text = getenv("STOCKBUS_FUZZ_COUNT"), let count = Int(String(cString: text)) else { return usual }
  return max(usual, count / cost)
}
