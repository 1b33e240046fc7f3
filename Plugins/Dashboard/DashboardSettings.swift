package import StockbusPlugin

package struct DashboardSettings: Options {
  @Setting("Where the page is served, as HOST:PORT; port 0 takes any free one. Only addresses of this machine itself.", length: 1...256)
  package var listen = "127.0.0.1:8080"
  @Setting("The most frames a second that a browser is given.", in: 1...60)
  package var rate = 20
  @Setting("How long a table keeps its order before rows take the places that are due to them.", in: .milliseconds(50) ... .seconds(60))
  package var calm = Duration.seconds(1)
  @Setting("The most browser tabs at a time.", in: 1...10_000)
  package var clients = 1000

  package init() {}

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
