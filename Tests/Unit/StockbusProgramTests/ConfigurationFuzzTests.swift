import Foundation
import TestSupport
import StockbusConfig
import StockbusPlugin
import Testing

@testable import Stockbus
@testable import StockbusProgram

@Suite struct ConfigurationFuzzTests {
  /// `STOCKBUS_FUZZ_COUNT` sets a larger number than the suite has time for.
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
    var costs = Costs("configurations of seed \(seed)")
    let count = (Self.wanted ?? 300) / 2
    for _ in 0..<count {
      let bytes = configurations.bytes()
      try Data(bytes).write(to: file)
      let problems = costs.measure(size: bytes.count, String(decoding: bytes, as: UTF8.self), isGood: { $0 == nil }) { () -> Problems? in
        let config = loader.load(paths: [file.path])
        do throws(Problems) {
          _ = try Topology.check(config, catalogue: Catalogue(.builtIn))
          return nil
        } catch { return error }
      }
      if let problems { check(problems, bytes) } else { valid += 1 }
    }
    #expect(valid > count / 50, "\(valid) of \(count) are valid")
    for line in costs.lines { print(line) }
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
}
