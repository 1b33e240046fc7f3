internal import LibC
internal import StockbusSystem

/// The lock on a written file: one holder per file, in this program and all others that use the lock.
///
/// The lock belongs to the open file (`flock`), not to the process. It is released when the file is closed, or when the process ends in any
/// way. On a file system without locks it has no effect.
enum FileLock {
  /// Takes the lock. If another holder has it, returns a description of the holder.
  static func take(_ descriptor: Int32) -> String? {
    do throws(Errno) {
      try retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
      return nil
    } catch {
      if error != .wouldBlock { return nil }
      guard let holder = holder(of: descriptor) else { return "another process is writing it" }
      return holder == getpid() ? "another output of this program is writing it" : "process \(holder)\(name(of: holder)) is writing it"
    }
  }

  /// Releases the lock, even if a child process that is being started has inherited the file.
  static func leave(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

  /// The process that holds the lock, according to `/proc/locks`: `1: FLOCK  ADVISORY  WRITE 4711 08:02:1234567 0 EOF`.
  private static func holder(of descriptor: Int32) -> Int32? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    for line in text("/proc/locks").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5].hasSuffix(":\(status.st_ino)"), let id = Int32(words[4]), id > 0 else {
        continue
      }
      return id
    }
    return nil
  }

  /// The name of a process in parentheses: ` (stockbus)`.
  private static func name(of process: Int32) -> String {
    let name = text("/proc/\(process)/comm").split(separator: "\n").first ?? ""
    return name.isEmpty ? "" : " (\(name))"
  }

  /// The text of a file in `/proc`, whose size is not known in advance.
  private static func text(_ path: String) -> String {
    guard let file = try? FileDescriptor.opening(path, .readOnly) else { return "" }
    defer { try? file.shut() }
    return String(decoding: (try? file.readToEnd(atMost: 1 << 20)) ?? [], as: UTF8.self)
  }
}
