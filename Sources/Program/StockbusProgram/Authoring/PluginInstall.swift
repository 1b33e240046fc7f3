import ArgumentParser
import StockbusFiles
import StockbusLoading
import StockbusPlugin

/// `stockbus plugin install`: for configurations anywhere.
struct PluginInstall: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "install", abstract: "Install a process or a library, so that configurations anywhere can name it.",
      discussion: """
        Builds a loaded plugin, and copies the plugin's folder to the user's plugins: stockbus/plugins in XDG_DATA_HOME or ~/.local/share. \
        A configuration names it like a built-in one: { plugin: big_trades, inputs: [ticks], options: { least: 500 } }. An installed \
        plugin of the same name is replaced.
        """)
  }

  @OptionGroup var folder: PluginFolderArgument
  @OptionGroup var shelf: ShelfArgument

  func run() throws {
    let manifest = try folder.manifest()
    try ShelfArgument.telling {
      () throws(BundleFault) in
      if manifest.home == .program {
        throw BundleFault(
          "\(manifest.name) is a program of its own: 'swift build -c release', and copy .build/release/\(manifest.name) to where you keep programs"
        )
      }
      if Program.catalogue[manifest.name] != nil {
        throw BundleFault("two plugins would have the name \(shown(manifest.name)): the program has a plugin of this name")
      }
      let shelf = try shelf.shelf()
      let built = manifest.home == .loaded ? try PluginBuild.library(of: manifest, in: folder.folder) : folder.folder
      let isNew = try !shelf.install(FolderCopy(of: built), as: manifest.name)
      return "\(isNew ? "installed" : "replaced") \(shelf.bundle(manifest.name))"
    }
  }
}

/// `stockbus plugin remove`: an installed plugin.
struct PluginRemove: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove an installed plugin.")

  @Argument(help: "Its name, as 'plugin list' shows it.")
  var name: String

  @OptionGroup var shelf: ShelfArgument

  func validate() throws { if let fault = PluginName.fault(name) { throw ValidationError(fault) } }

  func run() throws {
    try ShelfArgument.telling {
      () throws(BundleFault) in
      let shelf = try shelf.shelf()
      guard try shelf.remove(name) else { throw BundleFault("no plugin \(shown(name)) is installed in \(shelf.path)") }
      return "removed \(shelf.bundle(name))"
    }
  }
}

/// `stockbus plugin list`: all plugins, and where they are.
struct PluginList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the plugins: those of the program, and those in plugin folders.",
    discussion: "Those in plugin folders are listed with their options. Problems with a plugin are reported on standard error.")

  @OptionGroup var shelf: ShelfArgument

  func run() throws {
    let folders = PluginFolders([shelf.place].compactMap(\.self))
    let (all, faults) = Program.catalogue.adding(folders)
    for fault in faults { StandardError.write("warning: \(fault)") }
    try StandardOutput.write(Self.text(Program.catalogue, all, folders, width: PageWidth.ofTerminal))
  }

  static func text(_ own: Catalogue, _ all: Catalogue, _ folders: PluginFolders, width: Int?) -> String {
    var rows = [["PLUGIN", "KIND", "HOME", "WHERE"]]
    rows += own.plugins.map { [$0.name, $0.kind.rawValue, "built-in", Program.name] }
    for path in folders.bundles {
      guard let manifest = try? PluginBundle(at: path).manifest, all[manifest.name] != nil, own[manifest.name] == nil else { continue }
      let options = manifest.options.entries.map { name, option in
        "\(name)\(option.default.map { " (\($0.json))" } ?? ""): \(option.doc)"
      }
      rows.append([manifest.name, manifest.kind.rawValue, manifest.home.rawValue, path])
      rows += options.map { ["", "", "", $0] }
    }
    return TextTable(rows: rows).lines(width: width).joined(separator: "\n")
  }
}

/// The folder of installed plugins, which several subcommands have.
struct ShelfArgument: ParsableArguments {
  @ArgumentParser.Option(
    help: ArgumentHelp(
      "The folder of installed plugins, if not the user's own; configurations name it under plugin_path.", valueName: "folder"),
    completion: .directory)
  var to: String?

  var place: PluginFolders.Place? {
    (to ?? Program.current.userPlugins).map { PluginFolders.Place(path: absolutePath($0), mark: nil) }
  }

  func shelf() throws(BundleFault) -> PluginShelf {
    guard let place else { throw BundleFault("neither XDG_DATA_HOME nor HOME is set: give the folder with --to") }
    return PluginShelf(place.path)
  }

  /// Prints the result of `body`; if it throws, prints why and exits with 1.
  static func telling(_ body: () throws(BundleFault) -> String) throws {
    let text: String
    do throws(BundleFault) { text = try body() } catch {
      StandardError.write("error: \(error)")
      throw ExitCode.failure
    }
    try StandardOutput.write(text)
  }
}
