// swift-tools-version: 6.2
import PackageDescription

/// For the tests: `stockbus plugin build` compiles Sources by itself.
let package = Package(
  name: "deadband",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "stockbus", path: "../../../..")],
  targets: [
    .target(name: "DeadbandPlugin", dependencies: [.product(name: "StockbusPlugin", package: "stockbus")], path: "Sources"),
    .testTarget(
      name: "DeadbandPluginTests", dependencies: ["DeadbandPlugin", .product(name: "StockbusTestKit", package: "stockbus")], path: "Tests"),
  ],
  swiftLanguageModes: [.v6])
