// swift-tools-version: 6.2
import PackageDescription

/// A plugin, and a program with it, outside of stockbus. In a package of your own the dependency is
/// `.package(url: "https://github.com/…/stockbus", from: "…")`.
let package = Package(
  name: "moving-average",
  platforms: [.macOS(.v26)],
  products: [.library(name: "MovingAverage", targets: ["MovingAverage"]), .executable(name: "averages", targets: ["averages"])],
  dependencies: [.package(name: "stockbus", path: "../../..")],
  targets: [
    .target(name: "MovingAverage", dependencies: [.product(name: "StockbusPlugin", package: "stockbus")]),
    // The program, and of the plugins of stockbus those that it needs: so neither a network library nor a database is built. With
    // `Stockbus` in place of `StockbusProgram` it has all commands and, by `.builtIn`, all plugins.
    .executableTarget(
      name: "averages",
      dependencies: [
        "MovingAverage", .product(name: "StockbusProgram", package: "stockbus"), .product(name: "FileReplay", package: "stockbus"),
        .product(name: "Filter", package: "stockbus"), .product(name: "FileWriter", package: "stockbus"),
      ]),
    .testTarget(name: "MovingAverageTests", dependencies: ["MovingAverage", .product(name: "StockbusTestKit", package: "stockbus")]),
  ],
  swiftLanguageModes: [.v6])
