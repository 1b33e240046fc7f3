import ArgumentParser
import LibC
import StockbusInstruments
import StockbusPlugin

extension StockLink {
  /// A link or a symbol that the user has typed.
  init(argument: String) throws {
    if let mistake = FileForSymbol.mistake(argument) { throw ValidationError(mistake) }
    if argument.contains("*"), !argument.contains("://") {
      throw ValidationError("\(shown(argument)) is a pattern; name the symbols one by one, or use 'watchlist_filter', which takes patterns")
    }
    do throws(CommandError) { try self.init(argument) } catch { throw ValidationError("\(shown(argument)): \(error)") }
  }
}

/// A file name in place of a symbol.
enum FileForSymbol {
  /// A hint for the user; nil if the word may be a symbol. A link is always one.
  static func mistake(_ word: String) -> String? {
    if word.contains("://") { return nil }
    // Symbols may contain dots and slashes too, such as BRK.B and EUR/USD. They are taken for files if such a file exists, or by their
    // extension.
    let isPath = word.contains(".") || word.contains("/")
    let found = isPath ? fileKind(word) : nil
    if found == S_IFDIR || word.hasSuffix(".yaml") || word.hasSuffix(".yml") {
      return "\(shown(word)) is a configuration, not a symbol; the symbol comes before it, as in 'AAPL \(visible(word, limit: 200))'"
    }
    guard found != nil || endings.contains(where: word.hasSuffix) else { return nil }
    let link = word.replacing("%", with: "%25").replacing("/", with: "%2F")
    return "\(shown(word)) is a file, not a symbol; to replay it, write 'sources: { prices: { plugin: file_replay, path: "
      + "\(visible(word, limit: 200)) } }' and a sink into a configuration ('\(Program.name) describe file_replay' tells more); "
      + "a symbol of this name is \(visible("stocks://symbol/" + link, limit: 300))"
  }

  private static let endings = [".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".gz", ".log"]

  private static func fileKind(_ path: String) -> mode_t? {
    var info = stat()
    return stat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
  }
}
