import ArgumentParser
import StockbusHistory
import StockbusProgram

/// Why a command that reads a database file has no result, in one sentence.
struct HistoryMistake: Error {
  let text: String

  init(_ text: String) { self.text = text }

  /// Reports an error of `body` on standard error, and ends with status 1.
  static func reporting<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let code as ExitCode { throw code } catch {
      StandardError.write("error: \((error as? HistoryMistake)?.text ?? "\(error)")")
      throw ExitCode.failure
    }
  }
}
