// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the benchmarks of stockbus do not depend on its peers.
let package = Package(
  name: "swift-peers",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "stockbus-benchmarks", path: "../.."),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .executableTarget(
      name: "SwiftPeers",
      dependencies: [
        .product(name: "Measuring", package: "stockbus-benchmarks"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"), "OpenCombine",
      ])
  ],
  swiftLanguageModes: [.v6])
