import FileReplay
import FileWriter
import Filter
import MovingAverage
import StockbusProgram

@main struct Averages {
  static func main() async {
    await StockbusProgram.main(plugins: [.fileReplay, .movingAverage, .filter, .fileWriter], version: "1.0")
  }
}
