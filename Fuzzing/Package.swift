// swift-tools-version: 6.2
import PackageDescription

/// What attacks stockbus: everything that reads bytes from outside, under libFuzzer.
///
/// The rooms are the product's own folders (`Rooms` and `Plugins` are links to them), compiled once more with the instructions that
/// tell libFuzzer where an input has led. So the product's manifest stays free of them, and no more is built than is attacked:
/// of the network only what reads bytes, over NIO's buffers, without sockets and TLS.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Compiled for the attack: what libFuzzer follows, `assert`s that hold, internal names for the laws.
let attacked: [SwiftSetting] =
  strict + [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing", "-assert-config", "Debug"])]

func room(_ name: String, on floor: String, uses dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Rooms/\(floor)/\(name)", swiftSettings: attacked)
}

func plugin(_ name: String, uses libraries: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: ["StockbusPlugin", "EventBus", "MarketData"] + libraries, path: "Plugins/\(name)", swiftSettings: attacked)
}

let plugins: [Target.Dependency] = [
  "Generator", "FileReplay", "WatchlistFilter", "Filter", "SortingFeed", "FlashLogger", "ConsoleViewer", "FileWriter", "Recorder",
  "NullSink", "PaperBroker",
]

let package = Package(
  name: "stockbus-fuzzing",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .systemLibrary(name: "CLibYAML", path: "Rooms/CLibraries/CLibYAML", pkgConfig: "yaml-0.1"),
    .systemLibrary(name: "CLibSQLite", path: "Rooms/CLibraries/CLibSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CZlib", path: "Rooms/CLibraries/CZlib", pkgConfig: "zlib"),
    .target(name: "CMemoryBarrier", path: "Rooms/CLibraries/CMemoryBarrier"),
    room("LibC", on: "CLibraries"),

    room("MarketData", on: "Bus"),
    room("EventBus", on: "Bus", uses: ["MarketData", "CMemoryBarrier"]),
    room("StockbusOptions", on: "Contract", uses: ["LibC", "EventBus", "MarketData"]),
    room(
      "StockbusPlugin", on: "Contract",
      uses: ["StockbusOptions", "LibC", "EventBus", "MarketData", "CMemoryBarrier", .product(name: "Logging", package: "swift-log")]),
    room("StockbusExpressions", on: "Contract", uses: ["EventBus", "MarketData", "CMemoryBarrier"]),
    room("StockbusPacking", on: "Contract", uses: ["EventBus", "MarketData"]),
    room("StockbusSQLite", on: "Storage", uses: ["CLibSQLite"]),
    room("StockbusTables", on: "Storage", uses: ["LibC", "CZlib", "StockbusText", "StockbusSystem", "EventBus", "MarketData"]),
    room("StockbusText", on: "System"),
    room("StockbusSystem", on: "System", uses: ["LibC", .product(name: "SystemPackage", package: "swift-system")]),
    room("StockbusFiles", on: "System", uses: ["LibC", "StockbusPlugin", "EventBus", "MarketData", "StockbusSystem"]),
    room("StockbusInstruments", on: "Market", uses: ["StockbusExpressions", "StockbusPlugin", "MarketData", "StockbusFiles"]),
    room(
      "StockbusViewing", on: "Display",
      uses: ["LibC", "StockbusExpressions", "StockbusInstruments", "StockbusPlugin", "EventBus", "MarketData"]),
    room("StockbusTrading", on: "Market", uses: ["StockbusPlugin", "MarketData"]),
    room(
      "StockbusHistory", on: "Storage",
      uses: ["LibC", "StockbusTrading", "StockbusFiles", "StockbusPlugin", "EventBus", "MarketData", "StockbusSystem", "StockbusSQLite"]),
    room("StockbusTerminal", on: "Display", uses: ["LibC", "StockbusPlugin", "MarketData", "StockbusSystem"]),
    room("StockbusDecoding", on: "Market", uses: ["StockbusPlugin", "EventBus", "MarketData"]),
    room(
      "StockbusConfig", on: "Runtime",
      uses: ["LibC", "StockbusInstruments", "StockbusFiles", "StockbusSystem", "StockbusPlugin", "EventBus", "MarketData", "CLibYAML"]),
    // Those of which only a part reads bytes: links to that part.
    .target(
      name: "StockbusNetwork",
      dependencies: [
        "LibC", "StockbusText", "StockbusPlugin", "EventBus", "MarketData", "CZlib", .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: attacked),
    .target(name: "StockbusWeb", dependencies: ["StockbusNetwork", "StockbusPlugin"], swiftSettings: attacked),
    .target(name: "EchoSocket", dependencies: ["StockbusPlugin"], swiftSettings: attacked),
    .target(
      name: "NATS",
      dependencies: [
        "StockbusNetwork", "StockbusText", "StockbusPlugin", "MarketData", .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: attacked),
    .target(
      name: "Programs",
      dependencies: ["LibC", "StockbusPlugin", "EventBus", "MarketData", "StockbusDecoding", "StockbusPacking", "StockbusSystem"],
      swiftSettings: attacked),

    plugin("Generator"),
    plugin("FileReplay", uses: ["LibC", "StockbusDecoding", "StockbusFiles", "CZlib"]),
    plugin("WatchlistFilter", uses: ["LibC", "StockbusFiles"]),
    plugin("Filter", uses: ["StockbusExpressions", "StockbusInstruments"]),
    plugin("SortingFeed", uses: ["CMemoryBarrier", "StockbusExpressions", "StockbusInstruments"]),
    plugin("FlashLogger", uses: ["StockbusFiles", "StockbusTerminal"]),
    plugin(
      "ConsoleViewer", uses: ["LibC", "StockbusHistory", "StockbusInstruments", "StockbusTerminal", "StockbusSystem", "StockbusViewing"]),
    plugin("FileWriter", uses: ["StockbusFiles", "StockbusTables"]),
    plugin("Recorder", uses: ["StockbusDecoding", "StockbusFiles"]),
    plugin("NullSink"),
    plugin("PaperBroker", uses: ["StockbusTrading", "StockbusHistory", "StockbusInstruments"]),

    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "MarketData", "EventBus", "StockbusPlugin", "StockbusExpressions", "StockbusFiles", "StockbusViewing", "StockbusTerminal",
        "StockbusDecoding", "StockbusInstruments", "StockbusTrading", "StockbusHistory", "StockbusConfig", "StockbusNetwork", "StockbusWeb",
        "EchoSocket", "NATS", "Programs", "StockbusPacking", "StockbusTables", "StockbusSystem", "CZlib",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ] + plugins,
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]),
  ],
  swiftLanguageModes: [.v6])
