import StockbusLoading
import StockbusPlugin

extension PluginDraft {
  /// A Swift package with the plugin and a program that contains it.
  var packageFiles: [DraftFile] {
    [
      DraftFile(path: "Package.swift", text: packageManifest),
      DraftFile(path: "Sources/\(module)/\(type).swift", text: swiftCode),
      DraftFile(path: "Sources/\(name.snake)/Main.swift", text: swiftProgram),
      DraftFile(path: "Tests/\(module)Tests/\(type)Tests.swift", text: swiftTest),
      DraftFile(path: "plugins.yaml", text: packageConfiguration), configurationTest("swift run \(name.snake)"),
      DraftFile(
        path: "plugin.yaml",
        text: manifest(run: "[swift, run, \(name.snake)]", build: "[swift, build]", test: "[swift, test]")),
      DraftFile(path: "README.md", text: packageReadme), DraftFile(path: ".gitignore", text: ".build/\n"),
    ]
  }

  var module: String { name.upper + "Plugin" }
  var type: String { name.upper + kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst() }
  /// The plugins of stockbus that the draft's configuration and its test need.
  private var others: [(module: String, value: String)] {
    switch kind {
    case .source: [("FileReplay", ".fileReplay"), ("FileWriter", ".fileWriter")]
    case .processor: [("FileReplay", ".fileReplay"), ("FileWriter", ".fileWriter"), ("Generator", ".generator")]
    case .sink: [("FileReplay", ".fileReplay"), ("Generator", ".generator")]
    }
  }

  /// True if the sources of stockbus are at an address, and not in a folder.
  private var isRemote: Bool { stockbus.contains("://") || stockbus.hasPrefix("git@") }

  /// SwiftPM's name for the package: for an address its last part.
  private var identity: String {
    guard isRemote else { return Version.stockbus }
    let last = stockbus.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? Version.stockbus
    return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
  }

  func product(_ name: String) -> String { #".product(name: "\#(name)", package: \#(JSONValue.string(identity)))"# }

  /// The dependency on stockbus.
  var dependency: String {
    let source = JSONValue.string(stockbus).description
    return isRemote ? ".package(url: \(source), from: \"\(Version.number)\")" : ".package(name: \"stockbus\", path: \(source))"
  }

  private var packageManifest: String {
    let plugins = others.map { "        " + product($0.module) + ",\n" }.joined()
    return """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "\(name.snake)",
        platforms: [.macOS(.v26)],
        products: [.library(name: "\(module)", targets: ["\(module)"]), .executable(name: "\(name.snake)", targets: ["\(name.snake)"])],
        dependencies: [\(dependency)],
        targets: [
          .target(name: "\(module)", dependencies: [\(product("StockbusPlugin"))]),
          // The program: stockbus with this plugin, and those of its own that plugins.yaml needs. `Stockbus` in place of `StockbusProgram` has
          // all of them, and takes ten times as long to build.
          .executableTarget(
            name: "\(name.snake)",
            dependencies: [
              "\(module)",
              \(product("StockbusProgram")),
      \(plugins)      ]),
          .testTarget(name: "\(module)Tests", dependencies: ["\(module)", \(product("StockbusTestKit"))]),
        ],
        swiftLanguageModes: [.v6])

      """
  }

  private var packageConfiguration: String {
    let inputs = kind == .source ? "" : ", inputs: [ticks]"
    let options = option.map { ", \($0.name): \(kind == .source ? "3" : "500")" } ?? ""
    var program = self
    program.program = "swift run \(name.snake)"
    return program.configuration("{ plugin: \(name.snake)\(inputs)\(options) }")
  }

  private var swiftProgram: String {
    let modules = (others.map(\.module) + [module, "StockbusProgram"]).sorted()
    let plugins = ([".\(name.lower)"] + others.map(\.value)).joined(separator: ", ")
    return """
      \(modules.map { "import \($0)" }.joined(separator: "\n"))

      @main struct Main {
        static func main() async { await StockbusProgram.main(plugins: [\(plugins)]) }
      }

      """
  }

  var swiftCode: String {
    """
    public import StockbusPlugin

    extension Plugin {
      public static let \(name.lower) = Plugin("\(name.snake)", "\(doc)", .\(kind.rawValue)(\(type).self))
    }

    """ + body
  }

  private var body: String {
    let settings = name.upper + "Settings"
    return switch kind {
    case .processor:
      """

      public struct \(settings): Options {
        @Setting("The least size that passes.", in: Quantity(raw: 1)...) public var least: Quantity = 100
        public init() {}
      }

      public actor \(type): EventProcessor {
        private let least: Quantity

        public init(_ settings: \(settings), _: Context) { least = settings.least }

        public func process(_ trade: Trade, into output: inout Outlet<Trade>) {
          // The ledger counts what is left out on purpose.
          if trade.size >= least { output.send(trade) } else { output.filter() }
        }
      }

      """
    case .source:
      """

      public struct \(settings): Options {
        @Setting("How many trades it makes.", in: 1...) public var count = 10
        public init() {}
      }

      public actor \(type): Source {
        private let count: Int
        private let context: Context

        public init(_ settings: \(settings), _ context: Context) {
          count = settings.count
          self.context = context
        }

        /// What another instance has made is not made again.
        private static var madeKey: MemoryKey<Int> { MemoryKey("made", whenOptionsChange: .keep) }

        public func run(into output: inout Outlet<Trade>) async throws {
          var made = context.recall(Self.madeKey) ?? 0
          while made < count {
            made += 1
            let now = output.receipt(context.clock.now)
            let price = Price(raw: Int64(100 + made) * 1_000_000_000)
            try await output.publish(Trade(symbol: "AAPL", price: price, size: 1, time: now, received: now))
            context.remember(made, Self.madeKey)
          }
        }
      }

      """
    case .sink:
      """

      public actor \(type): Sink {
        private let context: Context
        private var counts: [Symbol: Int]

        public init(_: NoOptions, _ context: Context) {
          self.context = context
          counts = context.recall(Self.countsKey) ?? [:]
        }

        /// What another instance has counted goes on here.
        private static var countsKey: MemoryKey<[Symbol: Int]> { MemoryKey("counts", whenOptionsChange: .keep) }

        public func receive(_ trades: Span<Trade>) {
          for i in trades.indices { counts[trades[i].symbol, default: 0] += 1 }
          context.remember(counts, Self.countsKey)
        }

        public func drain() {
          let text = counts.map { "\\($0.key) \\($0.value)" }.sorted().joined(separator: ", ")
          context.logger.notice("\\(text)")
        }

        /// The counts go on in the next instance.
        public func handOver() {}
      }

      """
    }
  }

  var swiftTest: String {
    let trade = """
        private func trade(_ size: Quantity, of symbol: Symbol = "AAPL") -> Trade {
          Trade(symbol: symbol, price: 189, size: size, time: Timestamp(ns: 0), received: Timestamp(ns: 0))
        }

      """
    let test: String =
      switch kind {
      case .processor:
        trade + """

            // What the plugin does now. If it is to do something else, write that here.
            @Test func `passes trades of at least the size`() async throws {
              let passed: [Trade] = try await PluginHarness().output(
                of: Plugin.\(name.lower), options: "least: 500", inputs: [[trade(499), trade(500), trade(501)]])
              #expect(passed.map(\\.size) == [500, 501])
            }
          """
      case .source:
        """
          // What the plugin does now. If it is to do something else, write that here.
          @Test func `prices rise`() async throws {
            let trades: [Trade] = try await PluginHarness().first(9, of: Plugin.\(name.lower), options: "count: 3")
            #expect(trades.map(\\.price) == [101, 102, 103])
          }
        """
      case .sink:
        trade + """

            // What the plugin does now. If it is to do something else, write that here.
            @Test func `counts by symbol`() async throws {
              let harness = PluginHarness()
              try await harness.consume([[trade(1), trade(1, of: "NVDA"), trade(1)]], by: Plugin.\(name.lower))
              #expect(harness.log.lines.last?.message == "AAPL 2, NVDA 1")
            }
          """
      }
    return """
      import \(module)
      import StockbusTestKit
      import Testing

      @Suite struct \(type)Tests {
      \(test)

        @Test func `\(name.snake) keeps the contract`() async {
          #expect(await checkContract(.\(name.lower)) == [])
        }
      }

      """
  }

  private var packageReadme: String {
    """
    # \(name.snake)

    \(doc) A plugin for stockbus, and a program that has it.

    ```sh
    swift build
    swift test
    swift run \(name.snake) run                      # plugins.yaml
    swift run \(name.snake) test                     # plugins.test.yaml
    swift run \(name.snake) plugin check \(name.snake)   # the contract of every plugin
    ```

    `Sources/\(module)` is the plugin, `Sources/\(name.snake)` the program. `\(program) plugin build`, `plugin test` and `plugin check` work here too.
    The first build takes some minutes, since it builds stockbus. Other plugins of stockbus, such as `file_replay`, come by an import and an entry in
    Main.swift (`FileReplay`, `.fileReplay`) and a product in Package.swift (`FileReplay`).

    """
  }
}
