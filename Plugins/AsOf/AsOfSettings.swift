package import StockbusPlugin

package struct AsOfSettings: Options {
  @Setting(
    "The largest age of what is added: an event finds nothing that was received longer ago before it.", in: .zero ... .seconds(604_800))
  package var within: Duration
  @Setting(
    "The fields of the other events that become columns, and 'age', how long before the event its values were received; 'time as quote_time' gives a column another name.",
    count: 1...32)
  package var columns: [String]

  package init() {}

  /// The fields and their columns' names.
  var choices: [(field: String, column: String)] {
    columns.map { text in
      let words = text.split(separator: " ").map(String.init)
      return words.count == 3 && words[1] == "as" ? (words[0], words[2]) : (text, text)
    }
  }
}
