/// The environment variables of started programs.
package enum ProgramEnvironment {
  /// The variables that every program needs. Programs get no other variables of this process, because these may contain secrets.
  package static func minimal(_ environment: [String: String]) -> [String: String] {
    environment.filter { ["PATH", "HOME", "LANG", "LC_ALL", "TZ"].contains($0.key) }
  }
}
