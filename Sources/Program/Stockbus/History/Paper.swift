import ArgumentParser
import StockbusHistory
import StockbusPlugin
import StockbusProgram
import StockbusTrading

/// `stockbus paper`: shows the contents of a paper broker's file.
struct Paper: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "paper",
    abstract: "Report paper trading.",
    discussion: "Reads the file of a 'paper_broker', even while a run writes it.",
    subcommands: [PaperReportCommand.self], defaultSubcommand: PaperReportCommand.self)
}

struct PaperReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show each account's trades, profit and loss, drawdown, win rate and exposure.",
    discussion: """
      A trade is a position from its first fill until it is closed. Profits are after fees, except 'realised'. All numbers are \
      exact; only quotients are rounded, once.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, csv
  }

  @ArgumentParser.Option(help: "The file of the paper broker.", completion: .file(extensions: ["db"]))
  var file = "paper.db"

  @ArgumentParser.Option(help: "Only this account.")
  var account: String?

  @ArgumentParser.Option(help: "A report for people, or the closed trades as CSV with a header.")
  var format = Format.table

  func run() throws {
    try StandardOutput.write(HistoryMistake.reporting { try report() })
  }

  /// The report; throws why there is none.
  private func report() throws -> String {
    let reader = try TradingReader(file)
    let names = try reader.accounts()
    if names.isEmpty { throw HistoryMistake("\(shown(file)) has no accounts; it was not written by a paper broker") }
    if let account, !names.contains(account) {
      throw HistoryMistake("\(shown(file)) has no account \(shown(account))" + didYouMean(account, among: names))
    }
    let reports = try names.filter { account == nil || $0 == account }.map { name in
      let history = try reader.history(of: name)
      return (PaperReport(of: try Symbol(name), fills: history.fills, states: history.states), history.states.last)
    }
    return format == .table ? reports.map { PaperText.report($0.0, $0.1) }.joined(separator: "\n\n") : PaperText.csv(reports.map(\.0))
  }
}

/// Reports as text.
enum PaperText {
  static func report(_ report: PaperReport, _ state: AccountState?) -> String {
    var rows: [[String]] = []
    if let state {
      rows += [
        ["Equity", money(state.equity), "deposits \(money(state.deposits)) \(state.currency)"], ["Cash", money(state.cash)],
        ["Exposure", money(state.exposure), "most \(money(report.equity.maximumExposure))"],
      ]
    }
    rows += [
      ["Profit", money(report.profit), "realised \(money(report.realised)), fees \(money(report.fees))"],
      ["Unrealised", money(state?.unrealised ?? .zero), "\(report.open.count) open"],
      ["Trades", "\(report.trades.count)", "\(report.wins) won, \(report.losses) lost, \(report.fills) fills"],
      ["Win rate", percent(report.winRate)],
      ["Won", money(report.won), "largest \(money(report.largestWin))"],
      ["Lost", money(report.lost), "largest \(money(report.largestLoss))"],
      ["Average trade", report.averageTrade.map(money) ?? "–"],
    ]
    if let deepest = report.equity.deepest {
      rows.append(["Drawdown", money(deepest.amount), "\(percent(deepest.percent)) from \(deepest.peak) to \(deepest.lowest)"])
    } else {
      rows.append(["Drawdown", "none"])
    }
    rows.append(["Time in market", percent(report.equity.timeInMarket)])
    return (["\(report.account)"] + TextTable(rows: rows).lines(width: nil).map { "  " + $0 }).joined(separator: "\n")
  }

  static func csv(_ reports: [PaperReport]) -> String {
    var lines = ["account,symbol,side,quantity,opened,closed,fills,realised,fees,profit"]
    for report in reports {
      for trade in report.trades {
        let closed = trade.closed.map { "\($0)" } ?? ""
        lines.append(
          "\(report.account),\(trade.symbol),\(trade.side == .buy ? "long" : "short"),\(trade.quantity),\(trade.opened),\(closed),"
            + "\(trade.fills),\(trade.realised),\(trade.fees),\(trade.profit)")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// To two decimals, half to even, for people; `–` if that is out of range.
  private static func money(_ amount: Amount) -> String { amount.rounded(decimals: 2).map(\.description) ?? "–" }

  private static func percent(_ percent: Percent?) -> String { percent.map { $0.rounded(to: 2) + " %" } ?? "–" }
}
