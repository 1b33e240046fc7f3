internal import StockbusPlugin

/// Throws if the server is one of those that can lose confirmed messages.
func refuseOldServer(_ info: NATSServerInfo, allowed: Bool) throws {
  guard !allowed, let release = info.release, (release.major, release.minor, release.patch) < (2, 10, 23) else { return }
  throw EnvironmentFailure(
    "the server '\(info.name)' is \(info.version); servers before 2.10.23 can lose acknowledged messages; 'old_servers: true' allows them nevertheless",
    isPermanent: true)
}
