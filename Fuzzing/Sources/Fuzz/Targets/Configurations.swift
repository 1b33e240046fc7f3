internal import ConsoleViewer
internal import FileReplay
internal import FileWriter
internal import Filter
internal import FlashLogger
internal import Generator
internal import NullSink
internal import Recorder
internal import SortingFeed
internal import StockbusConfig
internal import StockbusPlugin
internal import WatchlistFilter

extension Target {
  /// Every text gives a pipeline or problems. Each problem is reported once, with a location inside the text, on one line, without values
  /// of variables.
  static let configurations = Target(
    "configurations", "YAML, variables, options and wiring", limit: 4096,
    words: [
      "sources:\n", "processors:\n", "sinks:\n", "runtime:\n", "instruments:\n", "calendars:\n", "symbol: ", "splits: ",
      "sessions: ", "from: 17:00", "  a: ", "{ plugin: ", "plugin: ", "inputs: ", "generator", "file_replay",
      "watchlist_filter", "filter", "sorting_feed", "flash_logger", "console_viewer", "file_writer", "recorder", "null_sink", "symbols: ",
      "interval: 2s", "path: ", "where: ", "overflow: conflate", "capacity: ", "initial: true", "from: ", "supervision: ", "output: ",
      "drain_deadline: 10s", "seed: 1", "dead_letters", "connections", "gaps", "${SECRET}", "${SECRET:-", "${NONE:?", "$$", "&a ", "*a",
      "<<: *a", "!!str ", "|\n", ">\n", "- ", "? ", "---\n", "%TAG ! x\n", "'", "\"", "\\u0041", "\u{2028}", "\u{feff}", "x-y: ",
      "format: raw",
      "preset: kraken", "columns: ", "alerts", "rows: ", "top: 5", "by: price",
    ], budget: 2000
  ) { bytes in
    let written = text(bytes)
    let config = ConfigLoader(environment: { $0 == "SECRET" ? secret : $0 == "WORD" ? "x" : nil }).load(text: written, file: "t.yaml")
    law(!config.isIncomplete || !config.problems.isEmpty, "something is missing without a problem")
    let lines = lineLengths(written)
    for problem in config.problems.list { check(problem, lines) }
    do throws(Problems) {
      let topology = try Topology.check(config, catalogue: catalogue)
      law(config.problems.isEmpty, "a topology in spite of \(config.problems)")
      var known: Set<String> = []
      for node in topology.nodes {
        for input in node.inputs {
          law(known.contains(input.from) || RunTopic(rawValue: input.from) != nil, "'\(node.id)' stands before its input '\(input.from)'")
        }
        law(known.insert(node.id).inserted, "'\(node.id)' is there twice")
      }
    } catch {
      let sorted = error.sorted
      law(!sorted.isEmpty, "no topology and no problem")
      law(Set(sorted).count == error.list.count, "a problem twice: \(error)")
      for problem in sorted { check(problem, lines) }
    }
    if !written.utf8.elementsEqual(bytes) {
      law(YAMLParser.parse(bytes, file: "t.yaml").root == nil, "a tree out of what is no UTF-8")
    }
  }

  private static let secret = "7xq0Zsecret"

  private static let catalogue = Catalogue([
    .fileReplay, .generator, .filter, .sortingFeed, .watchlistFilter, .consoleViewer, .fileWriter, .flashLogger, .nullSink, .recorder,
  ])

  private static func check(_ problem: Problem, _ lines: [Int]) {
    let mark = problem.mark
    law(
      (1...lines.count).contains(mark.line) && (1...(lines[mark.line - 1] + 1)).contains(mark.column), "\(problem) lies outside of the file"
    )
    law(isPlain(problem.description), "\(problem) is one line without control characters")
    law(!problem.message.isEmpty && problem.message.utf8.count < 4000, "\(problem) is a sentence")
  }

  /// The number of characters of each line without its line end, as YAML defines line ends.
  private static func lineLengths(_ text: String) -> [Int] {
    var lengths = [0]
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars where !(scalar == "\u{FEFF}" && last == nil && lengths == [0]) {
      switch scalar {
      case "\n" where last == "\r": break
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": lengths.append(0)
      default: lengths[lengths.count - 1] += 1
      }
      last = scalar
    }
    return lengths
  }
}
