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

  /// What to write for a plugin that is not installed, but whose author's folder stands beside the configuration, or is its folder; the
  /// end of a sentence, nil if there is no such folder.
  static func wayToLoad(_ component: ComponentDescription) -> String? {
    let name = component.plugin
    guard PluginName.fault(name) == nil else { return nil }
    let file = component.pluginMark.file
    let beside = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    for (folder, base) in [(beside + name, beside + name + "/"), (beside.isEmpty ? "." : String(beside.dropLast()), beside)] {
      guard let manifest = try? PluginManifest.read(folder), manifest.name == name else { continue }
      let place = "; it is in the folder \(shown(folder, limit: 200))"
      switch manifest.home {
      case .process:
        let run = manifest.run.map { FolderCopy.isFile(base + $0) ? base + $0 : $0 }.map(\.optionText).joined(separator: ", ")
        return "\(place): write plugin: program_\(manifest.kind.rawValue), run: [\(run)], or install it: 'plugin install \(folder)'"
      case .loaded:
        return "\(place): 'plugin build \(folder)' builds it, and the line plugin_path: \(base)build at the top level loads it"
      case .program: return "\(place), which is a program of its own: run the configuration with that program"
      }
    }
    return nil
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
