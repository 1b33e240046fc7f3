import ArgumentParser
import StockbusPeople
import StockbusPlugin
import StockbusProgram

struct AccountTokens: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokens", abstract: "List access tokens, with their numbers and rights.")

  @Argument(help: "List only the tokens of this account.")
  var name: String?

  @OptionGroup var file: AccountFileArgument

  func run() async throws {
    let tokens = try await file.accounts { accounts in try await accounts.tokens(ofPerson: name) }
    try StandardOutput.write(AccountText.tokens(tokens))
  }
}

struct AccountRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a token, or all tokens of an account.",
    discussion: "The next request with a revoked token is refused; an open live connection ends within a minute.")

  @Argument(help: "The token's number, as 'account tokens' lists it.")
  var token: Int64?

  @ArgumentParser.Option(help: ArgumentHelp("Revoke all tokens of this account.", valueName: "name"))
  var of: String?

  @OptionGroup var file: AccountFileArgument

  func validate() throws {
    if token == nil, of == nil { throw ValidationError("write the number of a token, or --of NAME for all of an account") }
  }

  func run() async throws {
    let count = try await file.accounts { accounts in try await accounts.revoke(token: token, ofPerson: of) }
    try StandardOutput.write(count == 1 ? "1 token was revoked" : "\(count) tokens were revoked")
  }
}
