import Foundation
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusControl

/// Where runs have their sockets.
@Suite struct RunFolderTests {
  private func refusal(_ path: String) -> String? {
    do {
      _ = try RunFolder(making: path, of: geteuid())
      return nil
    } catch { return "\(error)" }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `it is made for its owner only, and taken again`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("runs")
    #expect(refusal(path) == nil && mode(path) == 0o700)
    #expect(refusal(path) == nil)
    #expect(try RunFolder(making: path, of: geteuid()).socket(of: 42) == path + "/42.sock")
  }

  @Test func `a folder that others may enter, a link and a file are refused`() throws {
    let folder = TemporaryFolder()
    let open = folder.file("open")
    #expect(mkdir(open, 0o755) == 0 && chmod(open, 0o755) == 0)
    #expect(refusal(open)?.contains("others may enter it") == true)
    let (real, link) = (folder.file("real"), folder.file("link"))
    #expect(mkdir(real, 0o700) == 0 && symlink(real, link) == 0)
    #expect(refusal(link)?.contains("no folder") == true)
    let file = folder.file("file")
    try Data().write(to: URL(filePath: file))
    #expect(refusal(file)?.contains("no folder") == true)
    #expect(refusal(folder.file("none/runs")) != nil)
    do {
      _ = try RunFolder(making: real, of: geteuid() + 1)
      Issue.record("another user's folder")
    } catch { #expect("\(error)".contains("belongs to another user")) }
  }

  @Test func `the user's runtime folder is preferred, if it is the user's`() throws {
    let folder = TemporaryFolder()
    let (own, open) = (folder.file("own"), folder.file("open"))
    #expect(mkdir(own, 0o700) == 0 && mkdir(open, 0o755) == 0 && chmod(open, 0o755) == 0)
    func place(_ runtime: String?) throws -> String { try RunFolder.own { $0 == "XDG_RUNTIME_DIR" ? runtime : nil }.path }
    #expect(try place(own) == own + "/stockbus")
    let usual = "/tmp/stockbus-\(geteuid())"
    #expect(try place(nil) == usual)
    #expect(try place(open) == usual && place("relative") == usual && place(folder.file("none")) == usual)
  }

  @Test func `sockets are listed by their processes`() throws {
    let folder = TemporaryFolder()
    let runs = try RunFolder(making: folder.file("runs"), of: geteuid())
    for name in ["12.sock", "3.sock", "x.sock", "-1.sock", "4.sock-AbCdEf", "5"] {
      try Data().write(to: URL(filePath: "\(runs.path)/\(name)"))
    }
    #expect(runs.sockets.map(\.process) == [3, 12])
    #expect(runs.sockets.first?.path == runs.socket(of: 3))
  }
}
