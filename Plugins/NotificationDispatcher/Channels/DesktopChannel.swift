internal import StockbusPlugin
internal import StockbusProcesses
internal import StockbusSystem

/// Shows a notification on the desktop, with `notify-send` (libnotify).
struct DesktopChannel: Channel {
  private let program: String
  private let timeout: Duration
  private let environment: [String: String]
  private let tools: ChannelTools
  var retries: RetryPolicy { RetryPolicy() }

  init(_ options: DesktopSettings, _ tools: ChannelTools) throws {
    guard let found = ProgramSearch.find("notify-send", in: tools.environment) else {
      throw ChannelOff(reason: "there is no program notify-send")
    }
    program = found
    timeout = options.timeout
    environment = ProgramEnvironment.minimal(tools.environment)
      .merging(tools.environment.filter { Self.session.contains($0.key) }) { first, _ in first }
    self.tools = tools
  }

  /// The environment variables that name the desktop's session.
  private static let session = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"]

  func deliver(_ notification: Notification) async throws(DeliveryError) {
    let arguments = [
      "--app-name=stockbus", "--urgency=\(notification.isUrgent ? "critical" : "normal")", "--",
      visible(notification.alert.rule, limit: 100), Self.escaped(visible(notification.alert.message, limit: 1000)),
    ]
    try await ProgramCall(program, arguments, environment: environment, timeout: timeout).deliver(by: tools)
  }

  /// The text below the headline is markup (Desktop Notifications Specification 1.2, "Markup").
  static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: String(character)
      }
    }.joined()
  }
}
