import Foundation
import StockbusTestKit
import StockbusWeb
import TestSupport
import Testing

@testable import Dashboard

/// `Documentation/use/openapi.yaml` beside the routes that there are.
@Suite struct OpenAPITests {
  /// `GET /api/symbols/{}` of each operation in the document: paths are at two blanks, methods at four.
  private static func documented() throws -> Set<String> {
    let text = try String(contentsOf: Repository.root.appending(path: "Documentation/use/openapi.yaml"), encoding: .utf8)
    var (path, found) = ("", Set<String>())
    for line in text.split(separator: "\n") {
      if line.hasPrefix("  /"), line.hasSuffix(":") { path = String(line.dropFirst(2).dropLast()) }
      let method = line.hasPrefix("    ") && line.hasSuffix(":") ? line.dropFirst(4).dropLast() : ""
      if ["get", "put", "post", "delete"].contains(method) {
        found.insert("\(method.uppercased()) \(path.replacing(/\{\w+\}/, with: "{}"))")
      }
    }
    return found
  }

  @Test func `the document has every route, and no other`() async throws {
    let folder = TemporaryFolder()
    var settings = DashboardSettings()
    settings.accounts = .open
    settings.file = folder.file("h.db")
    let routes = try await Dashboard(settings, PluginHarness().context).routes()
    let names = Set(routes.names.filter { $0.contains(" /api/") }.map { $0.replacing(/:\w+/, with: "{}") })
    #expect(try Self.documented() == names)
    #expect(names.count == 36)
  }
}
