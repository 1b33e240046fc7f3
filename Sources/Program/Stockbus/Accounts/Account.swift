import ArgumentParser
import LibC
import StockbusConfig
import StockbusHistory
import StockbusPeople
import StockbusPlugin
import StockbusProgram
import StockbusRuntime
import StockbusViewing

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
  @ArgumentParser.Option(
    help: "The dashboard's file; by default what plugins.yaml of this folder says.", completion: .file(extensions: ["db"]))
  var file: String?

  /// The file that is changed.
  private func path() throws(HistoryMistake) -> String {
    let usual = ConfigLoader.usual
    if let file { return file }
    if access(usual, F_OK) == 0 { return try Self.path(in: ConfigLoader().load(paths: [usual])) }
    if access("history.db", F_OK) == 0 { return "history.db" }
    throw HistoryMistake("which file? There is no \(usual) here: write --file with what the dashboard of a run has as its 'file'")
  }

  /// The file of the one dashboard with accounts.
  static func path(in config: LoadedConfig) throws(HistoryMistake) -> String {
    let pages = config.description.components.filter { $0.plugin == "dashboard" && !["none", nil].contains($0.options.word("accounts")) }
    let name = config.files.first ?? ConfigLoader.usual
    guard let page = pages.first else { throw HistoryMistake("which file? \(shown(name)) has no dashboard with 'accounts': write --file") }
    if pages.count > 1 { throw HistoryMistake("which file? \(shown(name)) has several dashboards with 'accounts': write --file") }
    if let node = page.options["file"], config.standIns.contains(node.mark) {
      throw HistoryMistake("which file? 'file' at \(node.mark.place) needs a variable that is not set: set it, or write --file")
    }
    guard let path = page.options.word("file") ?? usualStatePath("dashboard.db") else {
      throw HistoryMistake("which file? \(page.title) names no 'file': write --file")
    }
    return path
  }

  /// `, in 'household.db'` where the file was not named by the user.
  func place(of accounts: Accounts) -> String { file == nil ? ", in \(shown(accounts.path, limit: 200))" : "" }

  /// Opens the file, calls `body`, and reports an error on standard error with status 1.
  ///
  /// - Parameter creating: true if a missing file is created.
  func accounts<Value>(creating: Bool = false, _ body: (Accounts) async throws -> Value) async throws -> Value {
    LongCommand.prepare()
    do {
      let database = try await DatabaseShare.open(path(), creating: creating)
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
    } catch let error as HistoryMistake {
      StandardError.write("error: \(error.text)")
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
    let place = try await file.accounts(creating: true) { accounts in
      try await accounts.add(name: name, password: PasswordPrompt.newPassword(), scopes: rights.scopes)
      return file.place(of: accounts)
    }
    try StandardOutput.write(
      "added \(visible(name.lowercased(), limit: 64)) with the rights: \(AccountText.rights(rights.scopes))\(place)")
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
    let (secret, place) = try await file.accounts(creating: true) { accounts in
      (try await accounts.invite(scopes: rights.scopes), file.place(of: accounts))
    }
    // Beside the secret, which a script reads.
    if !place.isEmpty { StandardError.write("an invitation for one new account\(place)") }
    try StandardOutput.write(secret)
  }
}
