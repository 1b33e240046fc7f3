import ArgumentParser
import StockbusLoading
import StockbusPlugin

/// `stockbus plugin test`: the plugin's own tests.
struct PluginTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Run a plugin's own tests.",
    discussion: "Runs the command 'test' of plugin.yaml in the plugin's folder, and exits with its status.")

  @OptionGroup var folder: PluginFolderArgument

  func run() throws {
    let manifest = try folder.manifest()
    if manifest.test.isEmpty { throw ToolCall.missing("test", in: folder.folder) }
    throw ToolCall(manifest.test, in: folder.folder).become()
  }
}

/// `stockbus plugin build`: the plugin's own build.
struct PluginBuild: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Build a plugin.",
    discussion:
      "A loaded plugin: compiles its Swift files with the modules that came with this program, and writes build/NAME.stockbusplugin. Any other plugin: runs the command that plugin.yaml has under 'build', in the plugin's folder, and exits with its status."
  )

  @OptionGroup var folder: PluginFolderArgument

  func run() throws {
    let manifest = try folder.manifest()
    if manifest.home == .loaded {
      return try ShelfArgument.telling { () throws(BundleFault) in
        "built \(try Self.library(of: manifest, in: folder.folder))"
      }
    }
    if manifest.build.isEmpty { return try StandardOutput.write("\(manifest.name) needs no build") }
    throw ToolCall(manifest.build, in: folder.folder).become()
  }

  /// Builds the library; returns the path of its bundle. Every command that uses the library builds it first, so that it is up to date.
  static func library(of manifest: PluginManifest, in folder: String) throws(BundleFault) -> String {
    let build = try LibraryBuild(manifest, in: folder)
    try build.run()
    return build.shelf.bundle(manifest.name)
  }
}
