import StockbusConfig
import StockbusPlugin

/// A tree on one line: `{key@1:1: 'quoted'@1:6, list@2:1: [plain@2:8]@2:7}@1:1`.
func written(_ node: ConfigNode, marks: Bool = true) -> String {
  func at(_ mark: ConfigNode.Mark) -> String { marks ? "@\(mark.line):\(mark.column)" : "" }
  let value =
    switch node.value {
    case .scalar(let text): node.isQuoted ? "'\(text)'" : text
    case .list(let items): "[" + items.map { written($0, marks: marks) }.joined(separator: ", ") + "]"
    case .map(let entries):
      "{" + entries.map { "\($0.key)\(at($0.mark)): \(written($0.value, marks: marks))" }.joined(separator: ", ") + "}"
    }
  return value + at(node.mark)
}

/// The tree of a text, or its problems.
func tree(_ text: String, marks: Bool = true, limits: ConfigLimits = ConfigLimits()) -> String {
  do throws(Problems) { return written(try YAMLParser.node(text, file: "t.yaml", limits: limits), marks: marks) } catch {
    return error.description
  }
}

/// The problems of a text as YAML; empty if there are none.
func yamlProblems(_ text: String, limits: ConfigLimits = ConfigLimits()) -> String {
  YAMLParser.parse(Array(text.utf8), file: "t.yaml", limits: limits).problems.description
}

/// The problems of a text as a pipeline.
func problems(_ text: String, _ environment: [String: String] = [:], limits: ConfigLimits = ConfigLimits()) -> String {
  load(text, environment, limits: limits).problems.description
}

func load(_ text: String, _ environment: [String: String] = [:], limits: ConfigLimits = ConfigLimits()) -> LoadedConfig {
  ConfigLoader(limits: limits, environment: { environment[$0] }).load(text: text)
}

/// The pipeline of the design, used where a valid configuration is needed.
let validConfig = """
  # 25 symbols, new prices every 2 s, through an echo server and back.
  x-slow: &slow { overflow: conflate, capacity: 128 }
  sources:
    ticks: { plugin: generator, symbols: 25, interval: 2s, seed: 42 }
    echo:  { plugin: echo_socket, inputs: [ticks], url: embedded }

  processors:
    ranked: { plugin: sorting_feed, inputs: [echo], by: price, order: descending }
    mine:   { plugin: watchlist_filter, inputs: [ranked], symbols: [AAPL, "NVDA", 'TSLA'] }

  sinks:
    screen:  { plugin: console_viewer, inputs: [{ <<: *slow, from: ranked }] }
    flashes:
      plugin: flash_logger
      inputs:
        - mine
        - from: ranked
          overflow: drop_oldest
      fade: 1s
      supervision: { restarts: 3 }
    alerts:
      plugin: notification_dispatcher
      inputs: mine
      text: |
        Price of ${NAME:-it}
        crossed.
      rules:
        - { name: AAPL above 200, symbol: AAPL, crosses_above: 200, rearm: 0.5%, cooldown: 1m }
      channels: [{ desktop: {} }, { webhook: { url: "${WEBHOOK_URL:-}" } }]
  runtime: { drain: 5s }
  """
