import Dashboard
import StockbusPlugin
import StockbusTestKit
import Testing

@Suite struct ContractTests {
  @Test func `dashboard keeps the contract`() async {
    let violations = await checkContract(
      .dashboard, options: "{ listen: '127.0.0.1:0', file: '-' }",
      inputs: [
        Feed([Trade.schema.example]), Feed([Quote.schema.example]), Feed([Ranked.schema.example]), Feed([Mover.schema.example]),
        Feed([Bar.schema.example]), Feed([Order.schema.example]), Feed([Fill.schema.example]), Feed([Position.schema.example]),
        Feed([AccountState.schema.example]),
      ])
    #expect(violations == [])
  }

  @Test(arguments: [
    (
      "listen: 8080",
      "options.yaml:1:1: error: 'listen' must be an address and a port, such as 127.0.0.1:8080 or [::1]:8080, got '8080'"
    ),
    (
      "listen: 0.0.0.0:8080",
      "options.yaml:1:1: error: 'listen' is '0.0.0.0:8080', which other machines can reach, and the page has no accounts: listen on 127.0.0.1, or set 'accounts' and a 'certificate'"
    ),
    (
      "{ listen: 0.0.0.0:8080, accounts: open }",
      "options.yaml:1:3: error: 'listen' is '0.0.0.0:8080', which other machines can reach, and passwords would be sent unencrypted: set 'certificate' and 'key', or listen on 127.0.0.1 with 'proxy: true' behind a proxy that has TLS"
    ),
    (
      "proxy: true",
      "options.yaml:1:1: error: with 'proxy' other machines can reach the page, and it has no accounts: set 'accounts: invitation'"
    ),
    (
      "names: [stocks.example.org]",
      "options.yaml:1:1: error: with 'names' other machines can reach the page, and it has no accounts: set 'accounts: invitation'"
    ),
    (
      "{ accounts: closed, names: ['stocks.example.org:443'] }",
      "options.yaml:1:21: error: 'names': got 'stocks.example.org:443'; write a host name or an IP address, without a port, and IPv6 in brackets"
    ),
    (
      "{ accounts: closed, file: '-' }",
      "options.yaml:1:21: error: with 'file: -' nothing is kept, and accounts must be: name a database file"
    ),
    ("key: k.pem", "options.yaml:1:1: error: 'key' needs 'certificate'"),
    ("rate: 61", "options.yaml:1:7: error: 'rate' must be between 1 and 60, got 61"),
  ])
  func `options that cannot be are refused`(options: String, message: String) async {
    let harness = PluginHarness()
    do {
      try await harness.consume([[Trade.schema.example]], by: Plugin.dashboard, options: options)
      Issue.record("accepted")
    } catch { #expect("\(error)" == message) }
  }
}
