import ArgumentParser
import StockbusConfig
import StockbusPlugin

struct Schema: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "schema",
      abstract: "Write the JSON Schema of a whole configuration, for editors.",
      discussion: """
        With '\(Program.name) schema > plugins.schema.json', an editor with yaml-language-server completes and checks a configuration \
        that begins with the line

          # yaml-language-server: $schema=plugins.schema.json
        """)
  }

  func run() throws { try StandardOutput.write(Program.wholeCatalogue().configSchema.pretty) }
}
