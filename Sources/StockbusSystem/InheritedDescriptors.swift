#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Descriptors that a child would inherit which outlives this process. As long as the child has a socket or pipe open, the peer does not
/// see it closed.
package enum InheritedDescriptors {
  /// The numbers from `first` on that may be open when a child is started: those that are open now, and more for those that other threads
  /// open meanwhile. Closing a number that is not open has no effect.
  package static func from(_ first: Int32) -> Range<Int32> {
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
