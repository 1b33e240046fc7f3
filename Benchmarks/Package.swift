// swift-tools-version: 6.2
import PackageDescription

/// What measures stockbus: programs of their own, so that the product's manifest stays free of them.
///
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The benchmarks also drive parts that only the product's modules share, so Swift has to see them in the product's package. SwiftPM names a
/// package after its folder, as an identifier; `packageAccess: false` keeps it from giving these targets their own folder's name.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last.map(String.init) ?? "stockbus"
let productName = String(folder.lowercased().enumerated().map { $1.isLetter || $1 == "_" || $1.isNumber && $0 > 0 ? $1 : "_" })
let inside: [SwiftSetting] = strict + [.unsafeFlags(["-package-name", productName])]

let contract: [Target.Dependency] = [.product(name: "StockbusPlugin", package: "stockbus")]
let runtime: [Target.Dependency] = [.product(name: "StockbusRuntime", package: "stockbus")]
let plugins = ["AsOf", "FileReplay", "WatchlistFilter", "Filter", "Derive", "SortingFeed", "Bars", "FileWriter", "NullSink"].map { name in
  Target.Dependency.product(name: name, package: "stockbus")
}
let market: [Target.Dependency] = [.product(name: "StockbusMarket", package: "stockbus")]

let nats: [Target.Dependency] = [.product(name: "NATS", package: "stockbus")]

let package = Package(
  name: "stockbus-benchmarks",
  platforms: [.macOS(.v26)],
  products: [.library(name: "Measuring", targets: ["Measuring"])],
  dependencies: [.package(name: "stockbus", path: "..")],
  targets: [
    .target(name: "Measuring", swiftSettings: strict),
    // The bus and the round trip, by plugins as a user writes them.
    .executableTarget(name: "BusBench", dependencies: ["Measuring"] + contract + runtime, packageAccess: false, swiftSettings: inside),
    // Changes of a run at full rate, compared with a model.
    .executableTarget(name: "ReloadBench", dependencies: ["Measuring"] + contract + runtime, packageAccess: false, swiftSettings: inside),
    // The feed's order: `Sources/FeedBench/Ranking` is the plugin's own folder.
    .executableTarget(name: "FeedBench", dependencies: ["Measuring"] + contract, swiftSettings: strict),
    // Functions over earlier events, by the module alone.
    .executableTarget(
      name: "ConditionBench", dependencies: ["Measuring", .product(name: "StockbusExpressions", package: "stockbus")], packageAccess: false,
      swiftSettings: inside),
    // One thread through one hot path, for counting instructions. Its clock is the runtime's own file, so that the runtime need not be built.
    .target(name: "CCallgrind"),
    .executableTarget(
      name: "HotPaths", dependencies: ["Measuring", "CCallgrind"] + contract + plugins, packageAccess: false,
      swiftSettings: inside),
    // Bars, movers, orders and the history. Apart from the hot paths, whose counts then need no database to build.
    .executableTarget(
      name: "MarketBench",
      dependencies: ["Measuring"] + contract + runtime + market + plugins
        + [.product(name: "Dedupe", package: "stockbus"), .product(name: "Sample", package: "stockbus")],
      packageAccess: false, swiftSettings: inside),
    // Messages to a NATS server and back: the client by itself, and a run.
    .executableTarget(
      name: "NATSBench", dependencies: ["Measuring"] + contract + runtime + nats, packageAccess: false, swiftSettings: inside),
  ],
  swiftLanguageModes: [.v6])
