package import StockbusPlugin

package struct NotificationSettings: Options {
  @Setting("What to watch for; more can be added while it runs.", count: 0...10_000)
  package var rules: [RuleSettings] = []
  @Setting("Where alerts go out; without channels they are published only.", count: 0...100)
  package var channels: [ChannelSettings] = []
  @Setting("False switches all alerts off; a command may switch them on.")
  package var enabled = true
  @Setting("When channels that heed it stay silent; what they would have said is left out.")
  package var quietHours: QuietHours?
  @Setting("Alerts that may wait for a channel; when there are more, the oldest is left out and counted.", in: 1...1_000_000)
  package var queue = 1000
  @Setting("How long the end waits for alerts that are still on their way.", in: .zero ... .seconds(3600))
  package var deadline = Duration.seconds(5)
  @Setting("Prices kept at most for the window of one rule and symbol.", in: 2...10_000_000)
  package var windowPrices = 65_536
  @Setting(
    "Memory for the prices of all windows together; where it is used up, the oldest of a window are left out.", in: ByteSize.kibibytes(1)...
  )
  package var windowMemory = ByteSize.mebibytes(64)

  package init() {}

  /// The memory as a number of prices, each with the time when it went out of force.
  var windowRoom: Int { windowMemory.bytes / 16 }

  package var files: [FileUse] {
    channels.enumerated().flatMap { number, channel in
      channel.chosen.options.files.map { $0.inside("channels", item: number, choice: channel.chosen.name) }
    }
  }

  package func validate(_ problems: inout OptionProblems) {
    let names = ChannelSettings.names(channels)
    for (i, name) in names.enumerated() where names[..<i].contains(name) {
      problems.add("two channels are called \(shown(name))", at: "channels", item: i)
    }
    let rules = rules.map(\.effectiveName)
    for (i, rule) in self.rules.enumerated() {
      if rules[..<i].contains(rules[i]) { problems.add("two rules are called \(shown(rules[i]))", at: "rules", item: i) }
      for channel in rule.channels ?? [] where !names.contains(channel) {
        problems.add(
          "'rules[\(i)].channels': no channel is called \(shown(channel))\(didYouMean(channel, among: names))", at: "rules", item: i)
      }
    }
  }
}
