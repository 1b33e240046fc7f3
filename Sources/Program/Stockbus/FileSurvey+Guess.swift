import FileReplay
import StockbusProgram

extension FileSurvey {
  /// Looks at the first lines of a file.
  init(path: String) {
    let guess = FileGuess(path: path)
    self.init(
      options: guess.options.map { ($0.name, $0.value) },
      questions: guess.questions.map { Question(option: $0.option, text: $0.text, choices: $0.choices) }, columns: guess.columns,
      rows: guess.rows, refused: guess.refused, firstRefusal: guess.firstRefusal, problem: guess.problem)
  }
}
