import StockbusPlugin
import Testing

@Suite struct OptionsTextTests {
  @Test func `show`() {
    print(Everything.help(width: 120)); print(Everything.help(width: 80)); print(Everything.help(width: 40)); print(Rules.help(width: 100)); print(Further.help(width: 100))
    print(Everything.example(indent: 2)); print(Rules.example()); print(Further.example())
    print(Everything.jsonSchema.pretty); print(Rules.jsonSchema.pretty); print(Further.jsonSchema)
  }
}
