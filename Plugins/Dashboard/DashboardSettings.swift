package import StockbusPlugin

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

package struct DashboardSettings: Options {
  @Setting("Where the page is served, as HOST:PORT; port 0 takes any free one. Only addresses of this machine itself.", length: 1...256)
  package var listen = "127.0.0.1:8080"
  @Setting("The most frames a second that a browser is given.", in: 1...60)
  package var rate = 20
  @Setting("How long a table keeps its order before rows take the places that are due to them.", in: .milliseconds(50) ... .seconds(60))
  package var calm = Duration.seconds(1)
  @Setting("The most browser tabs at a time.", in: 1...10_000)
  package var clients = 1000

  @Setting(
    "The database file that keeps the page's watchlists and settings, such as the history's; without it stockbus/dashboard.db in XDG_STATE_HOME or ~/.local/state; - keeps nothing.",
    length: 1...)
  package var file: String?

  package init() {}

  /// The file's path; nil if nothing is kept.
  var path: String? {
    switch file {
    case "-": nil
    case let file?: file
    case nil: Self.usualPath
    }
  }

  /// Nil if there is no home folder.
  private static var usualPath: String? {
    func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let folder = value("XDG_STATE_HOME") ?? value("HOME").map { $0 + "/.local/state" }
    return folder.map { $0 + "/stockbus/dashboard.db" }
  }

  package func validate(_ problems: inout OptionProblems) {
    guard let address = ListenAddress(listen) else {
      return problems.add("'listen' must be an address and a port, such as 127.0.0.1:8080 or [::1]:8080, got '\(listen)'", at: "listen")
    }
    if !address.isLoopback {
      problems.add(
        "'listen' is '\(listen)', which other machines can reach, and the page has no accounts: listen on 127.0.0.1, and let a proxy with a log-in of its own serve others",
        at: "listen")
    }
  }
}
