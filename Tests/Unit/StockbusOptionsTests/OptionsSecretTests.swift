import StockbusPlugin
import Testing

@Suite struct OptionsSecretTests {
  private struct Account: Options {
    @Setting("The token.") var token: Secret = Secret("hunter2")
    @Setting("Old tokens.") var old: [Secret] = [Secret("hunter2")]
    @Setting("Tokens by name.") var named: Mapping<Secret> = ["a": Secret("hunter2")]
    @Setting("Another token.") var other: Secret?
    @Setting("Where to post.") var webhook: Webhook?
    @Setting("Where else to post.") var channel: Channel?
  }

  @Test func `no form of printing shows a secret`() throws {
    let account = try decode(
      Account.self, "{other: hunter2, webhook: {url: u, token: hunter2}, channel: {webhook: {url: u, token: hunter2}}}")
    #expect(account.other?.revealed == "hunter2")
    var dumped = ""
    dump(account, to: &dumped)
    dump(account.token, to: &dumped)
    let texts = [
      "\(account)", String(reflecting: account), dumped, account.optionText, account.optionJSON.description, "\(account.token)",
      String(reflecting: account.token), "\([account.token])", "\(Mirror(reflecting: account.token).children.map(\.value))",
      Account.help(), Account.example(), Account.jsonSchema.pretty, Account.jsonSchema.description, "\(Account.describe())",
      Account.verify().joined(),
    ]
    for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
    #expect(account.optionText.contains("token: ***"))
  }

  @Test func `no message shows what may be a misplaced secret`() {
    #expect(complaint(Mapping<Secret>.self, "hunter2") == "a mapping of names to secrets, got text")
    #expect(complaint(Webhook.self, "hunter2") == "a mapping, got text")
    #expect(complaint([Webhook].self, "hunter2") == "a list of mappings, got text")
    #expect(complaint(Channel.self, "hunter2") == "one of desktop, webhook, got text")
    #expect(complaint(Channel?.self, "[hunter2]") == "one of desktop, webhook, got a list")
    #expect(complaint(Secret.self, "[hunter2]") == "a secret text, got a list")
    #expect(complaint(Desktop.self, "5s") == "a mapping, got '5s'")
  }

  @Test func `a schema marks it as write-only and has no default`() {
    let token = Account.jsonSchema["properties"]?["token"]
    #expect(token?["writeOnly"] == true)
    #expect(token?["default"] == nil)
    #expect(Account.describe()[0].isSecret)
    #expect(Account.describe()[1].isSecret)
    #expect(!Account.describe()[4].isSecret)
  }
}
