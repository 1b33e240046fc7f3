// swift-tools-version: 6.2
import PackageDescription

/// All targets follow the same rules: Swift 6 language mode, complete concurrency checking, no warnings.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// One module, `Sources/FLOOR/NAME`. It may import the modules listed above it: those of the floors below, and those before it on its own.
func room(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A floor of the house: the folder `Sources/NAME` with its modules in the order of their dependencies. The manifest is refused if a module
/// uses one that is listed after it, so arrows between floors point down.
/// - Parameter plugins: the plugins that its modules may use too.
func floor(_ name: String, beside plugins: [PluginTargets] = [], _ rooms: [Target]) -> [Target] {
  built.formUnion(plugins.map(\.name))
  for room in rooms {
    room.path = "Sources/\(name)/\(room.name)"
    for case .byNameItem(let used, _) in room.dependencies where !built.contains(used) {
      fatalError("\(room.name) uses \(used), which is not below it in Package.swift")
    }
    built.insert(room.name)
  }
  return rooms
}
/// The modules so far. Unsafe only for the compiler: a manifest runs on one thread.
nonisolated(unsafe) var built: Set<String> = []

/// The tests of target `NAME`: `Tests/Unit/NAMETests`.
func tests(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies, path: "Tests/Unit/\(name)Tests",
    swiftSettings: strict)
}

/// A plugin and its tests: `Plugins/NAME`, `Tests/Unit/NAMETests`.
struct PluginTargets {
  let name: String
  let plugin: Target
  let tests: Target

  /// - Parameters:
  ///   - libraries: what the plugin imports besides the contract; never the runtime or another plugin.
  ///   - support: what its tests need besides that and the test kit.
  init(_ name: String, uses libraries: [Target.Dependency] = [], inTests support: [Target.Dependency] = []) {
    let contract: [Target.Dependency] = ["StockbusPlugin", "EventBus", "MarketData"]
    self.name = name
    plugin = .target(name: name, dependencies: contract + libraries, path: "Plugins/\(name)", swiftSettings: strict)
    tests = .testTarget(
      name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestSupport", "StockbusTestKit"] + contract + libraries + support,
      path: "Tests/Unit/\(name)Tests", swiftSettings: strict)
  }
}

/// SwiftNIO, which only code that uses the network may import.
let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
]

/// The plugins: this is the only place that a new one needs here.
let plugins = [
  PluginTargets("Generator"),
  PluginTargets(
    "FileReplay", uses: ["LibC", "StockbusDecoding", "StockbusFiles", "CZlib"], inTests: ["Filter", "FileWriter", "StockbusRuntime"]),
  PluginTargets("EchoSocket", uses: ["LibC", "StockbusNetwork"], inTests: ["TestServers", "StockbusRuntime", "StockbusConfig"] + nio),
  PluginTargets("WebSocketFeed", uses: ["StockbusNetwork", "StockbusDecoding"], inTests: ["TestServers"] + nio),
  PluginTargets(
    "NATS", uses: ["StockbusText", "StockbusSystem", "StockbusCrypto", "StockbusTLS", "StockbusNetwork", "StockbusPacking"] + nio,
    inTests: ["TestServers", "StockbusRuntime", "StockbusConfig"]),
  PluginTargets("HTTPPoll", uses: ["StockbusDecoding", "StockbusNetwork", "StockbusSystem"], inTests: ["TestServers"]),
  PluginTargets("WatchlistFilter", uses: ["LibC", "StockbusFiles"]),
  PluginTargets("Bars", uses: ["CMemoryBarrier", "StockbusInstruments"], inTests: ["FileReplay", "StockbusRuntime"]),
  PluginTargets("CombinedQuotes", uses: ["StockbusInstruments"]),
  PluginTargets("Filter", uses: ["StockbusExpressions", "StockbusInstruments"]),
  PluginTargets("AsOf", inTests: ["FileReplay", "StockbusRuntime"]),
  PluginTargets("Derive", uses: ["StockbusExpressions", "StockbusInstruments"], inTests: ["FileReplay", "StockbusRuntime"]),
  PluginTargets("SortingFeed", uses: ["CMemoryBarrier", "StockbusExpressions", "StockbusInstruments"]),
  PluginTargets("Guard", uses: ["StockbusInstruments"], inTests: ["StockbusConfig", "StockbusRuntime"]),
  PluginTargets("Movers", uses: ["StockbusInstruments"]),
  PluginTargets("Dedupe"),
  PluginTargets("Sample"),
  PluginTargets(
    "FlashLogger", uses: ["StockbusFiles", "StockbusInstruments", "StockbusTerminal", "StockbusViewing"],
    inTests: ["ConsoleViewer", "NotificationDispatcher", "TestTerminal"]),
  PluginTargets(
    "ConsoleViewer",
    uses: [
      "LibC", "StockbusFiles", "StockbusHistory", "StockbusInstruments", "StockbusTerminal", "StockbusTrading", "StockbusSystem",
      "StockbusViewing",
    ], inTests: ["TestTerminal"]),
  PluginTargets(
    "Dashboard",
    uses: [
      "StockbusViewing", "StockbusTrading", "StockbusInstruments", "StockbusDecoding", "StockbusFiles", "StockbusHistory",
      "StockbusNetwork", "StockbusWeb", "StockbusPeople", "StockbusText", "CDashboardPage",
    ]),
  PluginTargets("FileWriter", uses: ["StockbusFiles", "StockbusTables"], inTests: ["StockbusRuntime"]),
  PluginTargets("Recorder", uses: ["StockbusDecoding", "StockbusFiles"], inTests: ["FileReplay"]),
  // SQLite in its tests only, to lock a file as another program would.
  PluginTargets("History", uses: ["StockbusHistory", "StockbusFiles", "StockbusInstruments"], inTests: ["StockbusSQLite"]),
  PluginTargets(
    "PaperBroker", uses: ["StockbusTrading", "StockbusHistory", "StockbusFiles", "StockbusInstruments"],
    inTests: ["StockbusConfig", "StockbusSQLite"]),
  PluginTargets("DemoStrategies", uses: ["StockbusInstruments"]),
  PluginTargets("NullSink"),
  PluginTargets(
    "Programs", uses: ["LibC", "StockbusProcesses", "StockbusDecoding", "StockbusPacking", "StockbusSystem"], inTests: ["StockbusRuntime"]),
  PluginTargets(
    "NotificationDispatcher",
    uses: [
      "StockbusExpressions", "StockbusText", "StockbusCrypto", "StockbusDecoding", "StockbusFiles", "StockbusInstruments",
      "StockbusNetwork", "StockbusProcesses", "StockbusSystem",
      "StockbusTerminal", "StockbusViewing",
      .product(name: "Subprocess", package: "swift-subprocess"),
      .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
    ],
    inTests: ["TestServers", "TestTerminal"]),
]
let allPlugins = plugins.map { Target.Dependency(stringLiteral: $0.name) }

/// The commit in `stockbus --version` comes from a header that the Makefile writes before each build. The manifest cannot provide it:
/// SwiftPM caches the result of a manifest, including `Context.gitInformation`, and an environment variable with the commit would make it
/// evaluate all manifests again, including those of the dependencies.
let commit: [CSetting] =
  Context.environment["STOCKBUS_COMMIT_IS_TOLD"] == nil
  ? [] : [.define("STOCKBUS_COMMIT_IS_TOLD"), .headerSearchPath("../../../.build/commit")]

/// For programs that load libraries: their symbols are those of the contract for what they load, so there is one copy of each type. The
/// linker that is named here exports them without a warning for each symbol that is local to a module.
let exporting: [LinkerSetting] = [
  .unsafeFlags(
    ["-use-ld=lld", "-Xlinker", "--dynamic-list=\(Context.packageDirectory)/Sources/Program/StockbusCLI/exports.txt"],
    .when(platforms: [.linux]))
]

/// The house, from the ground up.
let house: [[Target]] = [
  // Libraries of the system, and what is written in C: barriers, signals, embedded files. Imports nothing of ours.
  floor(
    "CLibraries",
    [
      .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
      .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
      .systemLibrary(name: "CLibSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
      .systemLibrary(name: "CLibSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
      .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
      .target(name: "CMemoryBarrier"),
      // The system's C library, under one name on all systems.
      room("LibC"),
      .target(name: "CStopSignals"),
      // The dashboard's page: its files are put into the program by #embed.
      .target(name: "CDashboardPage", exclude: ["page"]),
      // The Python side of the process protocol, which `plugin new` writes beside a plugin: put into the program by #embed.
      .target(name: "CPluginHelper"),
      // The commit for `--version`.
      .target(name: "CVersion"),
      .target(name: "CCommit", dependencies: ["CVersion"], publicHeadersPath: ".", cSettings: commit),
    ]),
  // Events and how they travel: exact values, schemas, codecs, rings. No files, no network, no options.
  floor(
    "Bus",
    [
      room("MarketData"),
      room("EventBus", uses: ["MarketData", "CMemoryBarrier"]),
    ]),
  // What a plugin is written against: options, components, wiring, expressions, packed events.
  floor(
    "Contract",
    [
      room("StockbusOptions", uses: ["LibC", "EventBus", "MarketData"]),
      room(
        "StockbusPlugin",
        uses: ["StockbusOptions", "LibC", "EventBus", "MarketData", "CMemoryBarrier", .product(name: "Logging", package: "swift-log")]),
      room("StockbusExpressions", uses: ["EventBus", "MarketData", "CMemoryBarrier"]),
      room("StockbusPacking", uses: ["EventBus", "MarketData"]),
    ]),
  // The machine: files and their rotation, child processes, services, digests.
  floor(
    "System",
    [
      room("StockbusText"),
      room("StockbusSystem", uses: ["LibC", .product(name: "SystemPackage", package: "swift-system")]),
      room(
        "StockbusProcesses",
        uses: [
          "LibC", "StockbusSystem", .product(name: "Subprocess", package: "swift-subprocess"),
          .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
        ]),
      room("StockbusFiles", uses: ["LibC", "StockbusPlugin", "EventBus", "MarketData", "StockbusSystem"]),
      room("StockbusCrypto", uses: ["CLibCrypto"]),
    ]),
  // What the field knows: instruments, calendars, splits, accounts and orders, formats of venues and files.
  floor(
    "Market",
    [
      room("StockbusTrading", uses: ["StockbusPlugin", "MarketData"]),
      room("StockbusInstruments", uses: ["StockbusExpressions", "StockbusPlugin", "MarketData", "StockbusFiles"]),
      room("StockbusDecoding", uses: ["StockbusPlugin", "EventBus", "MarketData"]),
    ]),
  // Connections: TLS, HTTP, WebSocket, a web server.
  floor(
    "Network",
    [
      room(
        "StockbusTLS",
        uses: ["CLibSSL", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio")]),
      room(
        "StockbusNetwork",
        uses: [
          "LibC", "StockbusText", "StockbusSystem", "StockbusCrypto", "StockbusTLS", "StockbusPlugin", "EventBus", "MarketData", "CZlib",
          .product(name: "Logging", package: "swift-log"), .product(name: "NIOHTTP1", package: "swift-nio"),
          .product(name: "NIOTLS", package: "swift-nio"),
        ] + nio),
      room(
        "StockbusWeb",
        uses: [
          "LibC", "StockbusText", "StockbusCrypto", "StockbusTLS", "StockbusNetwork", "StockbusPlugin", "CZlib",
          .product(name: "NIOHTTP1", package: "swift-nio"),
        ] + nio),
    ]),
  // What outlives a run: databases of bars, books and people.
  floor(
    "Storage",
    [
      room("StockbusSQLite", uses: ["CLibSQLite"]),
      room("StockbusTables", uses: ["LibC", "CZlib", "StockbusText", "StockbusSystem", "EventBus", "MarketData"]),
      room(
        "StockbusHistory",
        uses: ["LibC", "StockbusTrading", "StockbusFiles", "StockbusPlugin", "EventBus", "MarketData", "StockbusSystem", "StockbusSQLite"]),
      room(
        "StockbusPeople",
        uses: [
          "StockbusText", "StockbusCrypto", "StockbusHistory", "StockbusPlugin", "MarketData",
        ]),
    ]),
  // What people see: terminals, tables of prices, the page's accounts.
  floor(
    "Display",
    [
      room("StockbusTerminal", uses: ["LibC", "StockbusPlugin", "MarketData", "StockbusSystem"]),
      room("StockbusViewing", uses: ["LibC", "StockbusExpressions", "StockbusInstruments", "StockbusPlugin", "EventBus", "MarketData"]),
    ]),
  // From a configuration to a run: checks, supervision, changes, loaded plugins, tests of plugins.
  floor(
    "Runtime",
    [
      room(
        "StockbusConfig",
        uses: ["LibC", "StockbusInstruments", "StockbusFiles", "StockbusSystem", "StockbusPlugin", "EventBus", "MarketData", "CLibYAML"]),
      room(
        "StockbusRuntime",
        uses: [
          "LibC", "StockbusConfig", "StockbusFiles", "StockbusText", "StockbusCrypto", "StockbusSystem", "StockbusPlugin", "EventBus",
          "MarketData", "CMemoryBarrier", .product(name: "Logging", package: "swift-log"),
        ]),
      room("StockbusLoading", uses: ["LibC", "StockbusConfig", "StockbusPlugin", "MarketData", "StockbusSystem"]),
      room(
        "StockbusEmbedding",
        uses: [
          "StockbusRuntime", "StockbusConfig", "StockbusInstruments", "StockbusPlugin", "EventBus",
          .product(name: "Logging", package: "swift-log"),
        ]),
      room(
        "StockbusTestKit",
        uses: [
          "LibC", "StockbusRuntime", "StockbusConfig", "StockbusPlugin", "EventBus", "MarketData",
          .product(name: "Logging", package: "swift-log"),
        ]),
    ]),
  // The program: commands, control, the list of plugins. The only floor that knows all others and the plugins.
  floor(
    "Program", beside: plugins,
    [
      room(
        "StockbusControl",
        uses: [
          "LibC", "StockbusRuntime", "StockbusConfig", "StockbusExpressions", "StockbusWeb", "StockbusNetwork",
          "StockbusText", "StockbusTables", "StockbusFiles", "StockbusSystem", "StockbusPlugin", "EventBus", "MarketData",
          .product(name: "Logging", package: "swift-log"),
        ]),
      room(
        "StockbusProgram",
        uses: [
          "LibC", "StockbusRuntime", "StockbusConfig", "StockbusPlugin", "StockbusExpressions", "EventBus", "MarketData",
          "StockbusTerminal", "StockbusViewing", "StockbusInstruments", "StockbusFiles", "StockbusSystem", "StockbusTestKit",
          "StockbusLoading", "StockbusTables", "CStopSignals", "CVersion", "CPluginHelper",
          .product(name: "ArgumentParser", package: "swift-argument-parser"),
          .product(name: "Logging", package: "swift-log"),
        ]),
      room(
        "Stockbus",
        uses: [
          "LibC", "StockbusText", "StockbusProgram", "StockbusControl", "StockbusRuntime", "StockbusConfig", "StockbusPlugin", "EventBus",
          "MarketData", "StockbusTerminal", "StockbusFiles", "StockbusNetwork", "StockbusTables", "StockbusTrading", "StockbusHistory",
          "StockbusPeople",
          "StockbusInstruments", "StockbusLoading", "StockbusViewing", .product(name: "Logging", package: "swift-log"),
          .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ] + allPlugins),
      .executableTarget(
        name: "StockbusCLI", dependencies: ["Stockbus"], exclude: ["exports.txt"], swiftSettings: strict, linkerSettings: exporting),
    ]),
]

let package = Package(
  name: "stockbus",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "stockbus", targets: ["StockbusCLI", "CCommit"]),
    // For programs of others: the whole one, one without network and database, runs without a program.
    .library(name: "Stockbus", targets: ["Stockbus"]),
    .library(name: "StockbusProgram", targets: ["StockbusProgram"]),
    .library(name: "StockbusEmbedding", targets: ["StockbusEmbedding"]),
    // For plugins of others.
    .library(name: "EventBus", targets: ["EventBus", "MarketData"]),
    .library(name: "StockbusPlugin", targets: ["StockbusPlugin", "StockbusOptions", "EventBus", "MarketData"]),
    .library(name: "StockbusExpressions", targets: ["StockbusExpressions", "EventBus", "MarketData"]),
    .library(name: "StockbusTestKit", targets: ["StockbusTestKit"]),
    // For the benchmarks, which are a program of their own.
    .library(name: "StockbusRuntime", targets: ["StockbusRuntime", "StockbusConfig"]),
    .library(name: "StockbusMarket", targets: ["Bars", "Movers", "PaperBroker", "History", "StockbusHistory", "StockbusTrading"]),
    // Each plugin by itself, so that a program links only what its plugins need.
  ] + plugins.map { .library(name: $0.name, targets: [$0.name]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: house.flatMap(\.self) + [
    // The tests.
    .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: strict),
    .executableTarget(
      name: "WildPlugins", dependencies: ["Stockbus", "StockbusPlugin"], path: "Tests/Support/WildPlugins", swiftSettings: strict,
      linkerSettings: exporting),
    .target(
      name: "TestServers",
      dependencies: [
        "StockbusTestKit", "StockbusTLS", "CLibCrypto", .product(name: "NIOHTTP1", package: "swift-nio"),
      ] + nio,
      path: "Tests/Support/TestServers", swiftSettings: strict),
    .target(
      name: "TestTerminal", dependencies: ["StockbusTerminal", "StockbusTestKit"], path: "Tests/Support/TestTerminal",
      swiftSettings: strict),
    tests("MarketData"),
    tests("StockbusFiles", uses: ["StockbusTestKit", "StockbusPlugin", "MarketData"]),
    tests("StockbusSQLite", uses: ["StockbusTestKit", "CLibSQLite"]),
    tests("StockbusTables", uses: ["StockbusTestKit", "StockbusPlugin", "EventBus", "MarketData", "LibC", "CZlib"]),
    tests("StockbusHistory", uses: ["StockbusSQLite", "StockbusTestKit", "StockbusPlugin", "EventBus", "MarketData"]),
    tests("StockbusPeople", uses: ["StockbusHistory", "StockbusTestKit", "StockbusPlugin", "MarketData"]),
    tests("StockbusInstruments", uses: ["StockbusConfig", "StockbusPlugin", "StockbusFiles", "MarketData"]),
    tests("StockbusConfig", uses: ["StockbusInstruments", "StockbusPlugin", "MarketData"]),
    tests("StockbusTerminal", uses: ["TestTerminal"]),
    tests("StockbusOptions", uses: ["StockbusPlugin", "EventBus", "MarketData"]),
    tests("StockbusPlugin"),
    tests("StockbusSystem"),
    tests("StockbusCrypto"),
    tests(
      "StockbusTLS",
      uses: [
        "TestServers", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ]),
    tests("StockbusProcesses", uses: ["StockbusSystem", "StockbusTestKit", "StockbusPlugin", "EventBus", "MarketData"]),
    // The built program, run as from a shell.
    .testTarget(
      name: "StockbusCLITests",
      dependencies: [
        "Stockbus", "StockbusProgram", "StockbusLoading", "StockbusConfig", "StockbusPlugin", "StockbusTestKit", "TestSupport",
      ], path: "Tests/System/StockbusCLITests", swiftSettings: strict),
    tests(
      "StockbusProgram",
      uses: [
        "Stockbus", "StockbusText", "StockbusLoading", "StockbusRuntime", "StockbusConfig", "StockbusFiles", "StockbusPlugin", "EventBus",
        "MarketData",
        "StockbusTestKit", "StockbusInstruments", "StockbusPeople", "StockbusControl", "Generator", "WatchlistFilter", "SortingFeed",
        "FileWriter", "NullSink", "Filter", "Bars", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    tests("StockbusLoading", uses: ["StockbusConfig", "StockbusPlugin"]),
    tests("StockbusViewing", uses: ["StockbusInstruments", "StockbusTestKit", "StockbusPlugin", "MarketData"]),
    tests(
      "StockbusEmbedding", uses: ["Generator", "SortingFeed", "NullSink", "StockbusTestKit", "StockbusPlugin", "EventBus", "MarketData"]),
    tests(
      "StockbusControl",
      uses: [
        "StockbusText", "StockbusRuntime", "StockbusConfig", "StockbusNetwork", "StockbusWeb", "StockbusTables", "StockbusPlugin",
        "StockbusTestKit", "Generator",
        "WatchlistFilter", "SortingFeed", "NullSink", "EventBus", "MarketData", .product(name: "Logging", package: "swift-log"),
      ]),
    tests("EventBus", uses: ["MarketData"]),
    tests("StockbusTrading", uses: ["MarketData"]),
    tests("StockbusTestKit", uses: ["StockbusRuntime", "StockbusConfig", "StockbusPlugin", "EventBus", "MarketData"] + allPlugins),
    tests("StockbusExpressions", uses: ["EventBus", "MarketData"]),
    tests("StockbusPacking", uses: ["EventBus", "MarketData"]),
    tests("StockbusRuntime", uses: ["StockbusTestKit", "StockbusConfig", "StockbusPlugin", "EventBus", "MarketData"]),
    tests("StockbusDecoding", uses: ["StockbusConfig", "StockbusPlugin", "MarketData"]),
    tests("StockbusWeb", uses: ["StockbusTLS", "StockbusNetwork", "TestServers", "StockbusTestKit", "StockbusPlugin", "MarketData"] + nio),
    tests(
      "StockbusNetwork",
      uses: [
        "TestServers", "StockbusText", "StockbusTestKit", "StockbusPlugin", "MarketData",
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ] + nio),
  ] + plugins.flatMap { [$0.plugin, $0.tests] },
  swiftLanguageModes: [.v6])
