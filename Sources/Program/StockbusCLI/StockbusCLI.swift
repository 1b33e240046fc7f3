import Stockbus

@main struct StockbusCLI { static func main() async { await Stockbus.main(plugins: .builtIn) } }
