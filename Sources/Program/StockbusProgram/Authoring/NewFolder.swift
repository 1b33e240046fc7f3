import LibC
import StockbusPlugin
import StockbusSystem

/// Writes a new folder.
enum NewFolder {
  /// Why the folder could not be written, as a sentence without a full stop. The files written so far are removed again.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Writes files into a new folder; its parent must exist. Folders inside it are created as needed.
  static func write(_ files: [DraftFile], to folder: String) throws(Failure) {
    do throws(Errno) { try make(folder) } catch {
      throw Failure(
        description: error == .fileExists
          ? "\(shown(folder, limit: 200)) exists already; nothing was written" : "\(shown(folder, limit: 200)) could not be made: \(error)")
    }
    var folders = [folder]
    var written: [String] = []
    do throws(Errno) {
      for file in files {
        var inner = folder
        for part in file.path.split(separator: "/").dropLast() {
          inner += "/" + part
          if folders.contains(inner) { continue }
          try make(inner)
          folders.append(inner)
        }
        let path = folder + "/" + file.path
        let descriptor = try FileDescriptor.opening(
          path, .writeOnly, [.create, .exclusiveCreate], permissions: [.ownerReadWrite, .groupRead, .otherRead])
        written.append(path)
        defer { try? descriptor.shut() }
        try descriptor.writeWhole(Array(file.text.utf8))
      }
    } catch {
      for path in written { unlink(path) }
      for path in folders.reversed() { rmdir(path) }
      throw Failure(description: "\(shown(folder, limit: 200)) could not be written: \(error); nothing of it was left")
    }
  }

  private static func make(_ folder: String) throws(Errno) { try retrying { mkdir(folder, 0o755) } }
}
