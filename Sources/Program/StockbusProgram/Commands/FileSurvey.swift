import StockbusPlugin

/// What the first lines of a file of rows show.
package struct FileSurvey: Sendable {
  /// Something that the file does not say.
  package struct Question: Sendable {
    /// The option that answers it.
    let option: String
    /// One sentence, which ends with a question mark.
    let text: String
    /// Likely answers in YAML, the likeliest first.
    let choices: [String]

    package init(option: String, text: String, choices: [String]) {
      (self.option, self.text, self.choices) = (option, text, choices)
    }
  }

  /// Options of `file_replay` besides the path, each with its value in YAML; those of questions have the first choice.
  let options: [(name: String, value: String)]
  let questions: [Question]
  /// What became of the lines that were looked at: `all 120 lines are read`.
  let result: String
  /// Why the file cannot be read, in one line; nil if it can.
  let problem: String?

  package init(
    options: [(name: String, value: String)], questions: [Question], rows: Int, refused: Int, firstRefusal: String?, problem: String?
  ) {
    (self.options, self.questions, self.problem) = (options, questions, problem)
    let why = firstRefusal.map { ", \(visible($0, limit: 200))" } ?? ""
    result = refused == 0 ? "all of the first \(rows) rows are read" : "\(rows) of the first \(rows + refused) rows are read\(why)"
  }
}

extension StarterConfig {
  /// The configuration that reads a file of rows.
  ///
  /// - Parameters:
  ///   - look: looks at the file.
  ///   - answer: the answer to a question, in YAML.
  static func csv(
    _ path: String, _ look: (String) -> FileSurvey, answer: (FileSurvey.Question) -> String
  ) throws(Mistake) -> StarterConfig {
    let found = look(path)
    if let problem = found.problem { throw Mistake(description: "\(shown(path, limit: 200)): \(problem)") }
    let lines = found.options.map { option in
      guard let question = found.questions.first(where: { $0.option == option.name }) else { return "    \(option.name): \(option.value)" }
      return "    \(option.name): \(answer(question))  # \(question.text)"
    }
    return StarterConfig(
      what: "the rows of \(visible(path, limit: 200)); \(found.result)",
      text: """
        # The rows of a file. 'stockbus describe file_replay' shows what else can be written here, 'stockbus print' writes what is read.
        sources:
          rows:
            plugin: file_replay
            path: \(path.optionText)
        \(lines.joined(separator: "\n"))
            # speed: 60x  # as fast as it was, times 60; without it at once

        sinks:
          screen: { plugin: console_viewer, inputs: [rows] }  # the screen of the terminal: ? lists its keys
          # web: { plugin: dashboard, inputs: [rows], listen: 127.0.0.1:8080 }  # the same in a browser, with a speed

        """.replacing("\n\n    #", with: "\n    #"))
  }
}
