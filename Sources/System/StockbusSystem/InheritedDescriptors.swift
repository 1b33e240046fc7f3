/// Descriptors that a child process which outlives this process would inherit. While the child has a socket or pipe open, the peer does not
/// see it closed.
package enum InheritedDescriptors {
  /// The numbers from `first` on that may be open when a child is started: those open now, and more for those that other threads open
  /// meanwhile. Closing a number that is not open has no effect.
  package static func from(_ first: Int32) -> Range<Int32> {
    var last: Int32 = 255
    for name in (try? FolderListing.names("/dev/fd")) ?? [] { if let number = Int32(name) { last = max(last, number) } }
    return first..<max(first, last + 65)
  }
}
