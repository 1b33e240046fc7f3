import ArgumentParser
import StockbusAccounts
import StockbusPlugin
import StockbusProgram

struct AccountTokens: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokens", abstract: "List the tokens of people's programs, with their numbers and rights.")

  @Argument(help: "An account, whose tokens only are listed.")
  var name: String?

  @OptionGroup var file: AccountFileArgument

  func run() async throws {
    let tokens = try await file.accounts { accounts in try await accounts.tokens(ofPerson: name) }
    try StandardOutput.write(AccountText.tokens(tokens))
  }
}

struct AccountRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "End a token, or all tokens of an account.",
    discussion: "A program that uses one is refused from its next request on; a live connection that it has opened ends within a minute.")

  @Argument(help: "The token's number, as 'account tokens' lists it.")
  var token: Int64?

  @ArgumentParser.Option(help: ArgumentHelp("The account whose tokens all end.", valueName: "name"))
  var of: String?

  @OptionGroup var file: AccountFileArgument

  func validate() throws {
    if token == nil, of == nil { throw ValidationError("write the number of a token, or --of NAME for all of an account") }
  }

  func run() async throws {
    let count = try await file.accounts { accounts in try await accounts.revoke(token: token, ofPerson: of) }
    try StandardOutput.write(count == 1 ? "1 token has ended" : "\(count) tokens have ended")
  }
}
