/// An input that only one component can read: two readers would each get only a part.
package enum ReadOnce: Sendable, Hashable {
  /// Standard input under any of its names, whatever it leads to when the program starts.
  case standardInput
  /// A named pipe or a socket.
  case stream(FileIdentity)

  /// Nil for inputs that any number of components may read, and for missing files.
  package init?(_ path: String) {
    if ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) {
      self = .standardInput
    } else if let place = FilePlace(path), place.isReadOnce {
      self = .stream(place.identity)
    } else {
      return nil
    }
  }
}
