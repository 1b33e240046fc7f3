/// What only one can read, because each of two readers would get a part.
public enum ReadOnce: Sendable, Hashable {
  /// By any of its names, whatever it leads to when the program is started.
  case standardInput
  /// A named pipe or a socket.
  case stream(FileIdentity)

  /// Nil for what any number may read, and for what is not there.
  public init?(_ path: String) {
    if ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) {
      self = .standardInput
    } else if let place = FilePlace(path), place.isReadOnce {
      self = .stream(place.identity)
    } else {
      return nil
    }
  }
}
