internal import StockbusConfig
internal import StockbusPlugin

/// The description of a process that a configuration runs from its author's folder, as `plugin new` writes it.
enum OwnManifest {
  /// The problems in the options of processes that are named by their program, according to the descriptions beside these programs.
  static func problems(of config: LoadedConfig) -> Problems {
    var problems = Problems()
    for component in config.description.components where component.plugin.hasPrefix("program_") {
      guard let manifest = manifest(of: component.options) else { continue }
      do throws(Problems) { _ = try manifest.checked(component.options["options"], at: component.pluginMark) } catch {
        for problem in error.list { problems.add("\(component.title): \(problem.message)", at: problem.mark) }
      }
    }
    return problems
  }

  /// The description in the folder of a file that is run, if it is about this file.
  private static func manifest(of options: ConfigNode) -> PluginManifest? {
    guard case .list(let run)? = options["run"]?.value else { return nil }
    let folder: String? = if case .scalar(let path)? = options["folder"]?.value { path } else { nil }
    for case .scalar(let word) in run.map(\.value) {
      guard let name = word.split(separator: "/").last.map(String.init) else { continue }
      let path = word.hasPrefix("/") ? word : (folder.map { $0 + "/" } ?? "") + word
      guard FolderCopy.isFile(path) else { continue }
      let parent = String(path.dropLast(name.utf8.count))
      guard let manifest = try? PluginManifest.read(parent.isEmpty ? "." : parent), manifest.home == .process else { continue }
      if manifest.run.contains(where: { $0.split(separator: "/").last.map(String.init) == name }) { return manifest }
    }
    return nil
  }
}
