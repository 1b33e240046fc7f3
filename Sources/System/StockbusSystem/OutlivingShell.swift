/// A small shell that outlives this process briefly, for work that the process cannot do when it is killed.
///
/// It reads from a pipe, which breaks when the process ends. `fork` without `exec` would keep a copy of all memory instead.
package enum OutlivingShell {
  /// Starts `/bin/sh` with a script whose arguments are `arguments`; nil if there is no shell, or the system cannot start a process.
  ///
  /// - Parameter title: its `$0`, which a list of processes shows.
  /// - Parameter inheritsEnvironment: false if it needs no variables of ours, which may be secrets.
  package static func start(
    _ script: String, title: String, arguments: [String] = [], descriptors: [Int32: Int32], inheritsEnvironment: Bool
  ) -> Int32? {
    DetachedProcess.start(
      ["/bin/sh", "-c", script, title] + arguments, descriptors: descriptors, environment: inheritsEnvironment ? nil : [])
  }
}
