import Foundation
import StockbusConfig
import StockbusPlugin
import Testing

@testable import StockbusCLI

@Suite struct ConfigurationFuzzTests {
  /// `STOCKBUS_FUZZ_COUNT` asks for more than the suite has time for; then the longest of them is told.
  static let wanted = ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"].flatMap { Int($0) }

  @Test(arguments: [1, 2] as [UInt64])
  func `whatever is written is a topology or located problems`(seed: UInt64) throws {
    var configurations = try WildConfigurations(seed: seed)
    let folder = FileManager.default.temporaryDirectory.appending(path: "stockbus-fuzz-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "fuzz.yaml")
    let loader = ConfigLoader(environment: { WildConfigurations.environment[$0] })
    var valid = 0
    var longest = (seconds: 0.0, text: "")
    var total = 0.0
    let count = (Self.wanted ?? 300) / 2
    for _ in 0..<count {
      let bytes = configurations.bytes()
      try Data(bytes).write(to: file)
      let begin = Self.processorTime()
      let config = loader.load(paths: [file.path])
      do throws(Problems) {
        _ = try Topology.check(config, catalogue: builtIn)
        valid += 1
      } catch { check(error, bytes) }
      let seconds = Self.processorTime() - begin
      total += seconds
      if seconds > longest.seconds { longest = (seconds, String(decoding: bytes.prefix(100), as: UTF8.self)) }
    }
    #expect(valid > count / 50, "\(valid) of \(count) are valid")
    if Self.wanted != nil { print("FUZZ seed \(seed): \(count) configurations, \(valid) valid, \(total) s, longest \(longest)") }
  }

  private func check(_ problems: Problems, _ bytes: [UInt8]) {
    let lines = 1 + bytes.count
    for problem in problems.sorted {
      let text = problem.description
      let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) && $0 != "\u{202e}" }
      if !isPlain || problem.message.isEmpty || text.utf8.count > 20_000 || problem.mark.line < 1 || problem.mark.line > lines
        || problem.mark.column < 1
      {
        Issue.record("\(text.debugDescription) of \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
    if problems.isEmpty { Issue.record("no problem told: \(String(decoding: bytes, as: UTF8.self).debugDescription)") }
  }

  /// Of this thread, so that it is no matter how busy the machine is.
  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
