import Foundation
import StockbusConfig
import StockbusPlugin
import TestSupport
import Testing

/// Configurations in `Tests/Fixtures/config`: each `*.yaml` or folder beside the exact problems in `*.expected`.
@Suite struct TopologyFilesTests {
  static let folder = Repository.fixtures.appending(path: "config")
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".expected") }
    .sorted()

  @Test(arguments: names)
  func `tells every problem of a file, at its place`(name: String) throws {
    let expected = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    let stem = name.dropLast(".expected".count)
    let file = Self.folder.appending(path: "\(stem).yaml").path
    let path = FileManager.default.fileExists(atPath: file) ? file : Self.folder.appending(path: String(stem)).path
    let config = ConfigLoader(environment: { _ in nil }).load(paths: [path])
    var found = ""
    do throws(Problems) { _ = try Topology.check(config, catalogue: smallCatalogue) } catch {
      found = error.description.replacing(Self.folder.path + "/", with: "") + "\n"
    }
    #expect(found == expected)
  }

  @Test func `there are files to check`() { #expect(Self.names.count >= 7) }
}
