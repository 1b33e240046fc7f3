import StockbusPlugin

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads a pipeline from files and folders: YAML, variables, and what every component must have.
///
/// Several files are one configuration: their sections are joined, an id may occur once in all of them, and so may an option of
/// `runtime`. Top-level keys that begin with `x-` are passed over; they are a place for anchors, which hold within one file.
public struct ConfigLoader: Sendable {
  private let limits: ConfigLimits
  private let environment: @Sendable (String) -> String?

  /// `environment` gives the value of a variable, nil where it is not set.
  public init(
    limits: ConfigLimits = ConfigLimits(), environment: @escaping @Sendable (String) -> String? = ConfigLoader.processEnvironment
  ) {
    self.limits = limits
    self.environment = environment
  }

  /// A variable of this process.
  @Sendable public static func processEnvironment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Reads files, and of folders every `*.yaml` and `*.yml` by name, without hidden files and sub-folders. A file that is reached twice
  /// is read once. `-` is standard input. A file or folder that cannot be read is a problem like any other.
  public func load(paths: [String]) -> LoadedConfig {
    var builder = DescriptionBuilder(limits: limits, environment: environment)
    var seen: Set<ConfigFiles.Identity> = []
    for path in paths {
      do throws(Problem) {
        for file in try ConfigFiles.expand(path, limits: limits) {
          if let identity = ConfigFiles.identity(file), !seen.insert(identity).inserted { continue }
          do throws(Problem) {
            try ConfigFiles.refuseData(file)
            let bytes = try ConfigFiles.read(file, limits: limits)
            builder.add(YAMLParser.parse(bytes, file: file, limits: limits), file: file)
          } catch { builder.fail(error) }
        }
      } catch { builder.fail(error) }
    }
    return builder.finish()
  }

  /// Reads one text as if it were the file `file`.
  public func load(text: String, file: String = "plugins.yaml") -> LoadedConfig {
    load(texts: [(file, text)])
  }

  /// Reads texts as if they were files.
  public func load(texts: [(file: String, text: String)]) -> LoadedConfig {
    var builder = DescriptionBuilder(limits: limits, environment: environment)
    for (file, text) in texts { builder.add(YAMLParser.parse(Array(text.utf8), file: file, limits: limits), file: file) }
    return builder.finish()
  }
}
