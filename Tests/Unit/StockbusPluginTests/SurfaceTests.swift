import Foundation
import TestSupport
import Testing

/// Documentation/extend/surface.md beside the public types of the modules that packages of others use.
@Suite struct SurfaceTests {
  private static let modules = ["EventBus", "StockbusOptions", "StockbusPlugin", "StockbusEmbedding", "StockbusRuntime", "StockbusTestKit"]

  /// The names of the types that a module declares public, nested ones too.
  private static func publicTypes(of module: String) throws -> Set<String> {
    let sources = Repository.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    var names: Set<String> = []
    for file in files where file.pathExtension == "swift" && file.pathComponents.contains(module) {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let declaration = /^\s*public (?:final |indirect )*(?:struct|class|actor|enum|protocol|typealias) (\w+).*/
        if let match = line.wholeMatch(of: declaration) { names.insert(String(match.1)) }
      }
    }
    return names
  }

  @Test func `the page names every public type, and nothing else`() throws {
    let page = try String(contentsOf: Repository.root.appending(path: "Documentation/extend/surface.md"), encoding: .utf8)
    // Types begin with a capital letter; the modules and what types have are named too.
    let named = Set(page.matches(of: /`(?:\w+\.)?([A-Z]\w+)`/).map { String($0.1) }).subtracting([
      "AsyncSequence", "Settings",
    ]).subtracting(Self.modules + ["Stockbus", "StockbusProgram"])
    let types = try Self.modules.reduce(into: Set<String>()) { $0.formUnion(try Self.publicTypes(of: $1)) }
    #expect(types.count > 50)
    #expect(types.subtracting(named).sorted() == [])
    #expect(named.subtracting(types).sorted() == [])
  }
}
