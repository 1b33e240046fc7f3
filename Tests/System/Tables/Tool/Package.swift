// swift-tools-version: 6.2
import PackageDescription

/// A program that writes, reads, checks and turns tables, for `tables.py` and for measuring. Its rooms are the product's own folders (`Rooms`
/// is a link to them), so that no more is built than is compared.
let package = Package(
  name: "tables-tool",
  platforms: [.macOS(.v26)],
  dependencies: [.package(url: "https://github.com/apple/swift-system", from: "1.8.1")],
  targets: [
    .systemLibrary(name: "CZlib", path: "Rooms/CLibraries/CZlib", pkgConfig: "zlib"),
    .target(name: "CMemoryBarrier", path: "Rooms/CLibraries/CMemoryBarrier"),
    .target(name: "LibC", path: "Rooms/CLibraries/LibC"),
    .target(name: "MarketData", path: "Rooms/Bus/MarketData"),
    .target(name: "EventBus", dependencies: ["MarketData", "CMemoryBarrier"], path: "Rooms/Bus/EventBus"),
    .target(name: "StockbusText", path: "Rooms/System/StockbusText"),
    .target(
      name: "StockbusSystem", dependencies: ["LibC", .product(name: "SystemPackage", package: "swift-system")],
      path: "Rooms/System/StockbusSystem"),
    .target(
      name: "StockbusTables", dependencies: ["LibC", "CZlib", "StockbusText", "StockbusSystem", "EventBus", "MarketData"],
      path: "Rooms/Storage/StockbusTables"),
    .executableTarget(name: "tables-tool", dependencies: ["StockbusTables"], swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
  ],
  swiftLanguageModes: [.v6])
