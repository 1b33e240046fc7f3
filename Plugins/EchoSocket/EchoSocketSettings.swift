package import StockbusNetwork
package import StockbusPlugin

/// The options of `echo_socket`.
package struct EchoSocketSettings: Options {
  @Setting("The echo server: a WebSocket URL, or embedded for one inside this program.") package var url = EchoTarget.embedded
  @Setting("How the connection is made, checked and made again.") package var connection = ConnectionSettings()
  @Setting("Events that may be in flight; beyond it the sender waits.", in: 1...65_536) package var inFlight = 1024
  @Setting("How long a reply may take; then the connection is closed, and events without a reply are sent again.", in: .milliseconds(1)...)
  package var deadline = Duration.seconds(10)
  @Setting("How often an event is sent before it counts as lost, if the event or its reply makes the connection fail.", in: 1...1000)
  package var attempts = 3
  @Setting("How long to wait at the end for missing replies; events without a reply by then are lost.", in: .milliseconds(1)...)
  package var patience = Duration.seconds(5)

  package init() {}

  package var files: [FileUse] { connection.files.map { $0.inside("connection") } }
}

/// The echo server.
package enum EchoTarget: Hashable, Sendable {
  case embedded
  case server(WebSocketURL)
}

extension EchoTarget: ScalarOption {
  package init(option text: String) throws(OptionTextError) {
    self = text == "embedded" ? .embedded : .server(try WebSocketURL(option: text))
  }

  package static var optionType: OptionType {
    OptionType("WebSocket URL", plural: "WebSocket URLs", phrase: "embedded or a WebSocket URL such as wss://host/path")
  }
  package static var optionSample: String { "embedded" }
  package static var optionIsAddress: Bool { true }
  package static var optionSchema: JSONValue { ["type": "string", "pattern": "^(embedded$|[Ww][Ss][Ss]?://)"] }
  package var optionText: String {
    switch self {
    case .embedded: "embedded"
    case .server(let url): url.optionText
    }
  }
}
