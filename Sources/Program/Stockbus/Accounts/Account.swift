import ArgumentParser
import StockbusPeople
import StockbusHistory
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

/// `stockbus account`: the people of a dashboard.
struct Account: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "account",
      abstract: "Add, reset, list and invite the people of a dashboard, and end their tokens.",
      discussion: """
        Changes the dashboard's file, even while a run uses it. The password is read from the terminal, or as one line from standard \
        input; it is never an argument, because other users of the machine could see it.

          \(Program.name) account add hannah
          \(Program.name) account add otto --can trade --can control
          \(Program.name) account reset hannah
          \(Program.name) account invite
          \(Program.name) account tokens
          \(Program.name) account revoke 3
        """,
      subcommands: [
        AccountAdd.self, AccountReset.self, AccountList.self, AccountInvite.self, AccountTokens.self, AccountRevoke.self,
      ])
  }
}

/// The file, which all its subcommands have.
struct AccountFileArgument: ParsableArguments {
  @ArgumentParser.Option(help: "The dashboard's file.", completion: .file(extensions: ["db"]))
  var file = "history.db"

  /// Opens the file, calls `body`, and reports an error on standard error with status 1.
  ///
  /// - Parameter creating: true if a missing file is created.
  func accounts<Value>(creating: Bool = false, _ body: (Accounts) async throws -> Value) async throws -> Value {
    LongCommand.prepare()
    do {
      let database = try await DatabaseShare.open(file, creating: creating)
      let value = try await body(Accounts(database, Accounts.Settings(), clock: SystemTimekeeper()))
      try database.close()
      return value
    } catch let error as AccountError {
      switch error {
      case .storage(let text), .unavailable(let text): StandardError.write("error: \(text)")
      default: StandardError.write("error: \(error)")
      }
      throw ExitCode.failure
    } catch let error as HistoryError {
      StandardError.write("error: \(error)")
      throw ExitCode.failure
    }
  }
}

/// The scopes of a new account, besides reading.
struct ScopeArgument: ParsableArguments {
  enum Right: String, ExpressibleByArgument, CaseIterable {
    case trade, control
  }

  @ArgumentParser.Option(
    help: ArgumentHelp(
      "A right in addition to reading: trade (on paper) or control (components). Repeat the option for several.", valueName: "right"))
  var can: [Right] = [.trade]

  var scopes: Set<Scope> { Set([.read] + can.map { $0 == .trade ? .trade : .control }) }
}

struct AccountAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "add", abstract: "Create an account.")

  @Argument(help: "Letters, digits, dots, hyphens and underscores; begins with a letter.")
  var name: String

  @OptionGroup var rights: ScopeArgument
  @OptionGroup var file: AccountFileArgument

  func run() async throws {
    try await file.accounts(creating: true) { accounts in
      try await accounts.add(name: name, password: PasswordPrompt.newPassword(), scopes: rights.scopes)
    }
    try StandardOutput.write("added \(visible(name.lowercased(), limit: 64)) with the rights: \(AccountText.rights(rights.scopes))")
  }
}

struct AccountReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Give an account a new password, and end all of its sessions and tokens.")

  @Argument(help: "The account's name.")
  var name: String

  @OptionGroup var file: AccountFileArgument

  func run() async throws {
    try await file.accounts { accounts in try await accounts.reset(name: name, password: PasswordPrompt.newPassword()) }
    try StandardOutput.write("\(visible(name.lowercased(), limit: 64)) has a new password; all sessions and tokens were ended")
  }
}

struct AccountList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the accounts, with their rights and sessions.")

  @OptionGroup var file: AccountFileArgument

  func run() async throws {
    let list = try await file.accounts { accounts in try await accounts.list() }
    try StandardOutput.write(AccountText.list(list))
  }
}

struct AccountInvite: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Print an invitation for one new account, valid for seven days.")

  @OptionGroup var rights: ScopeArgument
  @OptionGroup var file: AccountFileArgument

  func run() async throws {
    let secret = try await file.accounts(creating: true) { accounts in try await accounts.invite(scopes: rights.scopes) }
    try StandardOutput.write(secret)
  }
}
