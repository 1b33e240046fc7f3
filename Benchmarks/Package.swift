// swift-tools-version: 6.2
import PackageDescription

/// What measures stockbus: programs of their own, so that the product's manifest stays free of them.
///
/// They use what any other package may use; there is no path through the bus that only a benchmark can take.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let contract: [Target.Dependency] = [.product(name: "StockbusPlugin", package: "stockbus")]
let runtime: [Target.Dependency] = [.product(name: "StockbusRuntime", package: "stockbus")]
let plugins: [Target.Dependency] = [.product(name: "StockbusPlugins", package: "stockbus")]

let package = Package(
  name: "stockbus-benchmarks",
  platforms: [.macOS(.v26)],
  products: [.library(name: "Measuring", targets: ["Measuring"])],
  dependencies: [.package(name: "stockbus", path: "..")],
  targets: [
    .target(name: "Measuring", swiftSettings: strict),
    // The bus and the round trip, by plugins as a user writes them.
    .executableTarget(name: "BusBench", dependencies: ["Measuring"] + contract + runtime, swiftSettings: strict),
    // The feed's order: `Sources/FeedBench/Ranking` is the plugin's own folder.
    .executableTarget(name: "FeedBench", dependencies: ["Measuring"] + contract, swiftSettings: strict),
    // One thread through one hot path, for counting instructions.
    .target(name: "CCallgrind"),
    .executableTarget(name: "HotPaths", dependencies: ["Measuring", "CCallgrind"] + contract + runtime + plugins, swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6])
