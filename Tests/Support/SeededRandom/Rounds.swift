#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How many rounds a random test makes: `usual` of them in the suite, and more where `STOCKBUS_FUZZ_COUNT` asks for that: its number of
/// cheap rounds, of others as much fewer as they `cost` more.
public func rounds(_ usual: Int, cost: Int = 1) -> Int {
  guard let text = getenv("STOCKBUS_FUZZ_COUNT"), let count = Int(String(cString: text)) else { return usual }
  return max(usual, count / cost)
}
