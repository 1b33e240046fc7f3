#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What a child that outlives us would inherit: a socket or pipe that stays open in it is never seen closed by its peer.
public enum InheritedDescriptors {
  /// The numbers from `first` on that may be open when a child is started: those that are, and some more for those that others open
  /// meanwhile. Closing one that is not open does no harm in a child.
  public static func from(_ first: Int32) -> Range<Int32> {
    var last: Int32 = 255
    if let folder = opendir("/dev/fd") {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if let number = Int32(name) { last = max(last, number) }
      }
      closedir(folder)
    }
    return first..<max(first, last + 65)
  }
}
