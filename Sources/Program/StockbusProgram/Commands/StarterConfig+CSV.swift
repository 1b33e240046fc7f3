import StockbusConfig
import StockbusFiles
import StockbusPlugin
import StockbusRuntime

extension StarterConfig {
  /// The configuration that reads a file of rows.
  ///
  /// - Parameters:
  ///   - look: looks at the file.
  ///   - answer: the answer to a question, in YAML; asked again with what is wrong with the answer before.
  static func csv(
    _ path: String, _ look: (String) -> FileGuess, _ catalogue: Catalogue, answer: (FileGuess.Question, String?) -> String
  ) throws(Mistake) -> StarterConfig {
    let found = look(path)
    if let problem = found.problem { throw Mistake(description: "\(shown(path, limit: 200)): \(problem)") }
    let columns = found.columns.map(\.optionText)
    var options = found.options.map { (name: $0.name, value: $0.value, note: "") }
    for (place, option) in found.options.enumerated() {
      guard let question = found.questions.first(where: { $0.option == option.name }) else { continue }
      var mistake: String?
      repeat {
        options[place].value = answer(question, mistake)
        let isKnown = options[place].value == option.value || option.name == "symbol" && columns.contains(options[place].value)
        mistake = isKnown ? nil : problem(text(path, options), catalogue)
      } while mistake != nil
      options[place].note = "  # \(question.text)"
    }
    let assumed = options.compactMap { option in
      found.questions.first { $0.option == option.name && $0.choices.first == option.value }.map { _ in
        "\(option.name): \(option.value)\(option.note)"
      }
    }
    // An answer that is the name of a column means that column.
    if let place = options.firstIndex(where: { $0.name == "symbol" && columns.contains($0.value) }) {
      let column = options.remove(at: place).value
      if let named = options.firstIndex(where: { $0.name == "columns" }) {
        options[named].value = "{ symbol: \(column), \(options[named].value.dropFirst(2))"
      } else {
        options.insert(("columns", "{ symbol: \(column) }", ""), at: place)
      }
    }
    var starter = StarterConfig(what: "the rows of \(visible(path, limit: 200)); \(found.result)", text: text(path, options))
    starter.assumed = assumed
    return starter
  }

  private static func problem(_ text: String, _ catalogue: Catalogue) -> String? {
    do throws(Problems) {
      _ = try Topology.check(ConfigLoader(environment: { _ in nil }).load(text: text), catalogue: catalogue, looksAtFiles: false)
      return nil
    } catch {
      return error.sorted.first?.message
    }
  }

  private static func text(_ path: String, _ options: [(name: String, value: String, note: String)]) -> String {
    """
    # The rows of a file. 'stockbus describe file_replay' shows what else can be written here, 'stockbus print' writes what is read.
    sources:
      rows:
        plugin: file_replay
        path: \(path.optionText)
    \(options.map { "    \($0.name): \($0.value)\($0.note)" }.joined(separator: "\n"))
        # speed: 60x  # as fast as it was, times 60; without it at once

    sinks:
      screen: { plugin: console_viewer, inputs: [rows] }  # the screen of the terminal: ? lists its keys
      # web: { plugin: dashboard, inputs: [rows], listen: 127.0.0.1:8080 }  # the same in a browser, with a speed

    """.replacing("\n\n    #", with: "\n    #")
  }
}
