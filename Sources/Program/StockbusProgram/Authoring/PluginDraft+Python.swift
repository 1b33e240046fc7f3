import CPluginHelper
import StockbusLoading

extension PluginDraft {
  /// A process in Python.
  var pythonFiles: [DraftFile] {
    [
      DraftFile(path: "plugin.py", text: pythonCode), DraftFile(path: "test_plugin.py", text: pythonTest),
      DraftFile(path: "stockbus_plugin.py", text: Self.pythonHelper), DraftFile(path: "plugins.yaml", text: pythonConfiguration),
      configurationTest(program),
      DraftFile(
        path: "plugin.yaml",
        text: manifest(run: "[python3, plugin.py]", build: nil, test: "[python3, -m, unittest, discover, -p, \"test_*.py\"]")),
      DraftFile(path: "README.md", text: pythonReadme), DraftFile(path: ".gitignore", text: "__pycache__/\n"),
    ]
  }

  /// The helper that speaks the process protocol.
  static var pythonHelper: String {
    String(decoding: UnsafeBufferPointer(start: stockbus_python_helper(), count: stockbus_python_helper_length()), as: UTF8.self)
  }

  private var pythonConfiguration: String {
    let inputs = kind == .source ? "" : ", inputs: [ticks]"
    let options = option.map { ", options: { \($0.name): \(kind == .source ? "3" : "500") }" } ?? ""
    return configuration("{ plugin: program_\(kind.rawValue)\(inputs), run: [python3, plugin.py]\(options) }")
  }

  private var pythonCode: String {
    let type = name.upper
    return switch kind {
    case .processor:
      """
      \"\"\"\(doc)\"\"\"
      from __future__ import annotations

      from collections.abc import Iterator
      from typing import Any

      from stockbus_plugin import Event, Processor, run


      class \(type)(Processor):
          takes = ["trade"]
          emits = "trade"

          def start(self, options: dict[str, Any], state: Any) -> None:
              self.least = options.get("least", 100)

          def process(self, event: Event) -> Iterator[Event]:
              # Numbers are decimal.Decimal, with the digits that were written. An event from which nothing follows counts as filtered.
              if event["size"] >= self.least:
                  yield event


      if __name__ == "__main__":
          run(\(type))

      """
    case .source:
      """
      \"\"\"\(doc)\"\"\"
      from __future__ import annotations

      from collections.abc import Iterator
      from datetime import datetime, timezone
      from typing import Any

      from stockbus_plugin import Event, Source, run


      class \(type)(Source):
          emits = "trade"
          commits = True

          def start(self, options: dict[str, Any], state: Any) -> None:
              self.count = int(options.get("count", 10))
              # What the process before this one has committed: this one continues there.
              self.sent = int(state or 0)

          def events(self) -> Iterator[Event]:
              while self.sent < self.count:
                  self.sent += 1
                  now = datetime.now(timezone.utc).isoformat()
                  yield {"symbol": "AAPL", "price": 100 + self.sent, "size": 1, "side": "unknown", "time": now, "received": now}
                  self.commit(self.sent)


      if __name__ == "__main__":
          run(\(type))

      """
    case .sink:
      """
      \"\"\"\(doc)\"\"\"
      from __future__ import annotations

      from typing import Any

      from stockbus_plugin import Event, Sink, run


      class \(type)(Sink):
          takes = ["trade"]

          def start(self, options: dict[str, Any], state: Any) -> None:
              # What the process before this one has counted: this one counts on.
              self.counts: dict[str, int] = {symbol: int(count) for symbol, count in (state or {}).items()}

          def state(self) -> dict[str, int]:
              return self.counts

          def process(self, event: Event) -> None:
              self.counts[event["symbol"]] = self.counts.get(event["symbol"], 0) + 1

          def drain(self) -> None:
              self.log(", ".join(f"{symbol} {count}" for symbol, count in sorted(self.counts.items())), "notice")

          def hand_over(self) -> None:
              \"\"\"Logs nothing: the counts go on in the next process.\"\"\"


      if __name__ == "__main__":
          run(\(type))

      """
    }
  }

  private var pythonTest: String {
    let type = name.upper
    let trade =
      #"{"symbol": "AAPL", "price": Decimal("189.25"), "side": "buy", "time": "2024-01-02T14:30:00Z", "received": "2024-01-02T14:30:00Z"}"#
    return switch kind {
    case .processor:
      """
      import unittest
      from decimal import Decimal

      from plugin import \(type)

      TRADE = \(trade)


      CHANGED = "plugin.py does something else now: if it is meant to, write that into this test"


      class \(type)Test(unittest.TestCase):
          def test_passes_trades_of_at_least_the_size(self) -> None:
              plugin = \(type)()
              plugin.start({"least": Decimal(500)}, None)
              trades = [{**TRADE, "size": Decimal(size)} for size in ("499", "500", "500.5")]
              self.assertEqual([list(plugin.process(trade)) for trade in trades], [[], [trades[1]], [trades[2]]], CHANGED)


      if __name__ == "__main__":
          unittest.main()

      """
    case .source:
      """
      import unittest
      from decimal import Decimal
      from typing import Any

      from plugin import \(type)


      class Recorded(\(type)):
          committed: Any = None

          def commit(self, state: Any) -> None:
              self.committed = state


      CHANGED = "plugin.py does something else now: if it is meant to, write that into this test"


      class \(type)Test(unittest.TestCase):
          def test_prices_rise(self) -> None:
              plugin = Recorded()
              plugin.start({"count": Decimal(3)}, None)
              self.assertEqual([trade["price"] for trade in plugin.events()], [101, 102, 103], CHANGED)
              self.assertEqual(plugin.committed, 3, CHANGED)

          def test_continues_where_the_process_before_it_ended(self) -> None:
              plugin = Recorded()
              plugin.start({"count": Decimal(3)}, Decimal(2))
              self.assertEqual([trade["price"] for trade in plugin.events()], [103], CHANGED)


      if __name__ == "__main__":
          unittest.main()

      """
    case .sink:
      """
      import unittest
      from decimal import Decimal

      from plugin import \(type)

      TRADE = \(trade)


      class Recorded(\(type)):
          def log(self, text: str, level: str = "info") -> None:
              self.logged = text


      CHANGED = "plugin.py does something else now: if it is meant to, write that into this test"


      class \(type)Test(unittest.TestCase):
          def test_counts_by_symbol_and_goes_on_from_a_state(self) -> None:
              plugin = Recorded()
              plugin.start({}, {"NVDA": Decimal(2)})
              for symbol in ("AAPL", "NVDA", "AAPL"):
                  plugin.process({**TRADE, "symbol": symbol})
              plugin.drain()
              self.assertEqual(plugin.logged, "AAPL 2, NVDA 3", CHANGED)
              self.assertEqual(plugin.state(), {"AAPL": 2, "NVDA": 3}, CHANGED)


      if __name__ == "__main__":
          unittest.main()

      """
    }
  }

  private var pythonReadme: String {
    """
    # \(name.snake)

    \(doc) A plugin for stockbus that is a process of its own, in Python 3.9 or later.

    ```sh
    \(program) plugin test      # test_plugin.py
    \(program) plugin check     # starts it, and checks that it keeps to the process protocol
    \(program) run              # plugins.yaml
    \(program) test             # plugins.test.yaml
    \(program) plugin install   # for configurations anywhere; 'plugin list' shows how they name it
    ```

    `plugin.py` is the plugin, `plugin.yaml` what the commands know about it. `stockbus_plugin.py` speaks the protocol; it comes with stockbus
    and needs nothing but Python.

    """
  }
}
