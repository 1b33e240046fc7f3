import StockbusLoading
import StockbusPlugin

extension PluginDraft {
  /// A library that stockbus loads. Its package is for its tests only: `plugin build` calls the compiler itself, which takes two seconds.
  var libraryFiles: [DraftFile] {
    [
      DraftFile(path: "Sources/\(type).swift", text: swiftCode),
      DraftFile(path: "Tests/\(type)Tests.swift", text: swiftTest),
      DraftFile(path: "Package.swift", text: libraryPackage),
      DraftFile(path: "plugins.yaml", text: libraryConfiguration), configurationTest(program),
      DraftFile(path: "plugin.yaml", text: manifest(run: nil, build: nil, test: "[swift, test]")),
      DraftFile(path: "README.md", text: libraryReadme), DraftFile(path: ".gitignore", text: ".build/\nbuild/\n"),
    ]
  }

  private var libraryPackage: String {
    """
    // swift-tools-version: 6.2
    import PackageDescription

    /// For the tests: `\(program) plugin build` compiles Sources by itself.
    let package = Package(
      name: "\(name.snake)",
      platforms: [.macOS(.v26)],
      dependencies: [\(dependency)],
      targets: [
        .target(name: "\(module)", dependencies: [\(product("StockbusPlugin"))], path: "Sources"),
        .testTarget(name: "\(module)Tests", dependencies: ["\(module)", \(product("StockbusTestKit"))], path: "Tests"),
      ],
      swiftLanguageModes: [.v6])

    """
  }

  private var libraryConfiguration: String {
    let inputs = kind == .source ? "" : ", inputs: [ticks]"
    let options = option.map { ", \($0.name): \(kind == .source ? "3" : "500")" } ?? ""
    return configuration("{ plugin: \(name.snake)\(inputs)\(options) }") + "plugin_path: build\n"
  }

  private var libraryReadme: String {
    """
    # \(name.snake)

    \(doc) A plugin for stockbus that runs inside it, from a library.

    ```sh
    \(program) plugin build     # compiles Sources against the very stockbus that will load it
    \(program) plugin check     # the contract of every plugin
    \(program) run              # plugins.yaml
    \(program) test             # plugins.test.yaml
    \(program) plugin install   # for configurations anywhere
    \(program) plugin test      # Tests; the first time builds stockbus, for some minutes
    ```

    A library fits the program it was built for, and no other: after an update of stockbus build and install it again. It runs as fast as a built-in
    plugin, and if it traps the whole run ends. Its files in Sources may import `StockbusPlugin`, and what comes with Swift.

    """
  }
}
