// swift-tools-version: 6.2
import PackageDescription

/// Parts of stockbus beside what could stand in their place. A package of its own, so that neither the product nor the other benchmarks build
/// what only this comparison needs. Our parts are the product's own source: `Ranking` and `Frames` are links to it.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "stockbus-alternatives",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "stockbus", path: "../.."),
    .package(name: "stockbus-benchmarks", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // The benchmarks' own switch of callgrind; under another name, as two packages must not have a target of the same one.
    .target(name: "CCounting"),
    .target(name: "CHeap"),
    .executableTarget(
      name: "Alternatives",
      dependencies: [
        "CCounting", "CHeap", .product(name: "Measuring", package: "stockbus-benchmarks"),
        .product(name: "StockbusPlugin", package: "stockbus"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6])
