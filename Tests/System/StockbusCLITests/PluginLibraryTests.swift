import Foundation
import StockbusLoading
import TestSupport
import Testing

/// Installed libraries that do not fit the program.
@Suite struct PluginLibraryTests {
  private let workshop = Workshop()

  private static let loaded = """
    name: big_trades
    kind: processor
    home: loaded
    doc: Passes trades of at least a size.
    takes: [trade]
    emits: trade
    """

  /// A bundle whose stamp fits this program, except for what is replaced in it.
  private func putLibrary(_ bytes: String, _ replaced: [(String, String)] = []) throws {
    workshop.put(Self.loaded, in: "user/big_trades.stockbusplugin/plugin.yaml")
    let path = workshop.file("user/big_trades.stockbusplugin/big_trades-1.so")
    workshop.put(bytes, in: "user/big_trades.stockbusplugin/big_trades-1.so")
    var stamp = LibraryStamp()
    stamp.library = "big_trades-1.so"
    stamp.contents = LibraryStamp.contents(of: Array(bytes.utf8))
    stamp.contract = try BuildKit(of: #require(ProgramTests.program).path).stamp
    stamp.platform = LibraryStamp.platform
    var text = stamp.text
    for (old, new) in replaced { text = text.replacing(old, with: new) }
    workshop.put(text, in: "user/big_trades.stockbusplugin/stamp.yaml")
    #expect(chmod(path, 0o644) == 0)
  }

  @Test(.enabled(if: ProgramTests.program != nil, "the program was not built"))
  func `a library that does not fit is told, with what to do, and is not loaded`() throws {
    func told(_ bytes: String = "no library", _ replaced: (String, String)...) throws -> String {
      try putLibrary(bytes, replaced)
      let result = try ProgramTests.run(
        ["plugin", "check", workshop.file("user/big_trades.stockbusplugin")], environment: ["HOME": workshop.path])
      #expect(result.status == 1 && result.output == "", "\(result)")
      return result.errors
    }
    let rebuild = "build it again, with 'plugin build' in the plugin's folder, and install it"
    #expect(
      try told("x", ("platform: \(LibraryStamp.platform)", "platform: linux-riscv")).contains("its library is for 'linux-riscv', and this"))
    #expect(try told("x", ("contract: \"", "contract: \"0")).contains("was built for another stockbus or by another compiler"))
    #expect(try told("x", ("contents: \"", "contents: \"0")).contains("is not the one that was built; \(rebuild)"))
    #expect(try told("x", ("library: ", "library: ../")).contains("names a library outside of the bundle"))
    #expect(try told("a text and no library").contains("its library cannot be loaded: "))
    #expect(try told("x", ("library: ", "lib: ")).contains("unknown option 'lib'"))
    try putLibrary("x")
    #expect(chmod(workshop.file("user/big_trades.stockbusplugin"), 0o777) == 0)
    let open = try ProgramTests.run(["plugin", "check", workshop.file("user/big_trades.stockbusplugin")])
    #expect(open.status == 1 && open.errors.contains("others may write to "), "\(open)")
  }
}
