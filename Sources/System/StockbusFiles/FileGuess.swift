internal import MarketData

/// How a file of rows is to be read, as its first lines show: what to write in a `file_replay` block.
///
/// The options have been tried on these lines: `rows` is how many of them become events. A guess only looks; it creates no symbols and no
/// events.
package struct FileGuess: Sendable {
  /// An option of `file_replay`.
  package struct Option: Hashable, Sendable {
    package let name: String
    /// The value in YAML, on one line.
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }
  /// Something that the file does not say.
  package struct Question: Hashable, Sendable {
    /// The option that answers it.
    package let option: String
    /// One sentence, which ends with a question mark.
    package let text: String
    /// Likely answers in YAML, the likeliest first. If `options` has the option too, its value is the first of them.
    package let choices: [String]

    package init(option: String, text: String, choices: [String]) {
      (self.option, self.text, self.choices) = (option, text, choices)
    }
  }

  /// The options, without `path`, in the order in which a person writes them. Those that have their default are left out.
  package var options: [Option] = []
  package var questions: [Question] = []
  /// The names in the header; empty if there is none.
  package var columns: [String] = []
  /// How many of the lines become events with these options, if the questions are answered by their first choices.
  package var rows = 0
  /// How many do not, besides a header, and why the first does not, with its line: `line 7: 'price' is empty`.
  package var refused = 0
  package var firstRefusal: String?
  /// The first event in words: `trade AAPL 185.20 x100 @2024-01-02T14:30:00Z`.
  package var example: String?
  /// Why the file cannot be read, in one line; nil if it can.
  package var problem: String?
  /// True if it is a raw capture of messages; `problem` says so too.
  package var isCapture = false

  package init(
    options: [Option] = [], questions: [Question] = [], columns: [String] = [], rows: Int = 0, refused: Int = 0,
    firstRefusal: String? = nil,
    problem: String? = nil
  ) {
    (self.options, self.questions, self.columns, self.rows) = (options, questions, columns, rows)
    (self.refused, self.firstRefusal, self.problem) = (refused, firstRefusal, problem)
  }

  /// What became of the lines that were looked at: `all of the first 120 rows are read`.
  package var result: String {
    let why = firstRefusal.map { ", \(visible($0, limit: 200))" } ?? ""
    return refused == 0 ? "all of the first \(rows) rows are read" : "\(rows) of the first \(rows + refused) rows are read\(why)"
  }

  /// The block of options, each on a line with this indent.
  package func yaml(indent: Int = 0) -> String {
    options.map { String(repeating: " ", count: indent) + "\($0.name): \($0.value)\n" }.joined()
  }
}
