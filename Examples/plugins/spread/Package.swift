// swift-tools-version: 6.2
import PackageDescription

/// For the tests: `stockbus plugin build` compiles Sources by itself. In a package of your own the dependency is
/// `.package(url: "https://github.com/…/stockbus", from: "…")`.
let package = Package(
  name: "spread",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "stockbus", path: "../../..")],
  targets: [
    .target(name: "SpreadPlugin", dependencies: [.product(name: "StockbusPlugin", package: "stockbus")], path: "Sources"),
    .testTarget(
      name: "SpreadPluginTests", dependencies: ["SpreadPlugin", .product(name: "StockbusTestKit", package: "stockbus")], path: "Tests"),
  ],
  swiftLanguageModes: [.v6])
