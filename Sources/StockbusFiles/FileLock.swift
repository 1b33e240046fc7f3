internal import StockbusSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The lock on a file that is written: one holder a file, in this program and in all others that ask for it.
///
/// It is the open file's (`flock`), not the process's: it goes when the file is closed, or its process has ended in whatever way. A
/// file system that has no locks gives none.
enum FileLock {
  /// Takes it; answers who has it, in words, where somebody does.
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

  /// Gives it back, also where a child that is just being started has inherited the file.
  static func leave(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

  /// The process that holds the lock, as `/proc/locks` has it: `1: FLOCK  ADVISORY  WRITE 4711 08:02:1234567 0 EOF`.
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

  /// ` (stockbus)`.
  private static func name(of process: Int32) -> String {
    let name = text("/proc/\(process)/comm").split(separator: "\n").first ?? ""
    return name.isEmpty ? "" : " (\(name))"
  }

  /// A file of the system's own, which does not say how long it is.
  private static func text(_ path: String) -> String {
    guard let file = try? FileDescriptor.opening(path, .readOnly) else { return "" }
    defer { try? file.shut() }
    return String(decoding: (try? file.readToEnd(atMost: 1 << 20)) ?? [], as: UTF8.self)
  }
}
