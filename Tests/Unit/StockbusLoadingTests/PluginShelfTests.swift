import Foundation
import StockbusLoading
import TestSupport
import Testing

/// The folders in which plugins are installed.
@Suite struct PluginShelfTests {
  private let workshop = Workshop()

  @Test func `the user's folder`() {
    #expect(PluginFolders.own { ["XDG_DATA_HOME": "/data", "HOME": "/home/me"][$0] } == "/data/stockbus/plugins")
    #expect(PluginFolders.own { ["XDG_DATA_HOME": "data", "HOME": "/home/me"][$0] } == "/home/me/.local/share/stockbus/plugins")
    #expect(PluginFolders.own { _ in nil } == nil)
  }

  @Test func `an installed plugin is replaced as a whole, and removed as a whole`() throws {
    workshop.put("a", in: "from/one")
    workshop.put("b", in: "from/inner/two")
    workshop.put("hidden", in: "from/.git/three")
    workshop.put("compiled", in: "from/__pycache__/four")
    let shelf = PluginShelf(workshop.file("shelf/deep"))
    #expect(try shelf.install(FolderCopy(of: workshop.file("from")), as: "it") == false)
    let bundle = "shelf/deep/it.stockbusplugin"
    #expect(workshop.text("\(bundle)/one") == "a" && workshop.text("\(bundle)/inner/two") == "b")
    #expect(!FileManager.default.fileExists(atPath: workshop.file("\(bundle)/.git")))
    #expect(!FileManager.default.fileExists(atPath: workshop.file("\(bundle)/__pycache__")))
    try FileManager.default.removeItem(atPath: workshop.file("from/one"))
    #expect(try shelf.install(FolderCopy(of: workshop.file("from")), as: "it") == true)
    #expect(!FileManager.default.fileExists(atPath: workshop.file("\(bundle)/one")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.file("shelf/deep")) == ["it.stockbusplugin"])
    #expect(try shelf.remove("it") == true)
    #expect(try shelf.remove("it") == false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.file("shelf/deep")) == [])
  }

  @Test func `a folder's limits are kept`() throws {
    for i in 0...FolderCopy.fileLimit { workshop.put("", in: "many/\(i)") }
    #expect(throws: BundleFault("it has more than 1,000 files")) { try FolderCopy(of: workshop.file("many")) }
    workshop.put("", in: "deep/" + (0..<9).map { "\($0)/" }.joined() + "x")
    #expect(throws: BundleFault("its folders are nested more than 8 deep")) { try FolderCopy(of: workshop.file("deep")) }
    #expect(throws: BundleFault.self) { try FolderCopy(of: workshop.file("none")) }
  }

  @Test func `contents decide the revision`() throws {
    workshop.put("1", in: "a/x")
    workshop.put("1", in: "b/x")
    func revision(_ folder: String) throws -> String { try FolderCopy(of: workshop.file(folder)).revision }
    #expect(try revision("a") == revision("b"))
    workshop.put("2", in: "b/x")
    #expect(try revision("a") != revision("b"))
    workshop.put("1", in: "c/y")
    #expect(try revision("a") != revision("c"))
  }
}
