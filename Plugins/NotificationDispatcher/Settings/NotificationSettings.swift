package import StockbusInstruments
package import StockbusPlugin

package struct NotificationSettings: Options {
  @Setting("The rules; more can be added while it runs.", count: 0...10_000)
  package var rules: [RuleSettings] = []
  @Setting("The channels that deliver alerts; without channels alerts are only published as events.", count: 0...100)
  package var channels: [ChannelSettings] = []
  @Setting("False disables all alerts; a command can enable them.")
  package var enabled = true
  @Setting("The hours in which channels with 'heeds_quiet_hours' send nothing; their alerts are dropped.")
  package var quietHours: QuietHours?
  @Setting("The most alerts that wait for a channel; beyond it the oldest is dropped and counted.", in: 1...1_000_000)
  package var queue = 1000
  @Setting("How long to wait at the end for alerts that are not delivered yet.", in: .zero ... .seconds(3600))
  package var deadline = Duration.seconds(5)
  @Setting(
    "For windows such as session and first 15m in 'when' and 'rearm_when', and for 'silent_for': which sessions of instruments with a calendar count, all (pre, regular, post) or regular ones only."
  )
  package var sessions = CountedSessions.all
  @Setting("The most prices that are kept for the window of one rule and symbol.", in: 2...10_000_000)
  package var windowPrices = 65_536
  @Setting(
    "The memory for the prices of all windows together; beyond it the oldest prices of a window are removed.", in: ByteSize.kibibytes(1)...
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
      problems.add("two channels have the name \(shown(name))", at: "channels", item: i)
    }
    let rules = rules.map(\.effectiveName)
    for (i, rule) in self.rules.enumerated() {
      if rules[..<i].contains(rules[i]) { problems.add("two rules have the name \(shown(rules[i]))", at: "rules", item: i) }
      for channel in rule.channels ?? [] where !names.contains(channel) {
        problems.add(
          "'rules[\(i)].channels': there is no channel \(shown(channel))\(didYouMean(channel, among: names))", at: "rules", item: i)
      }
    }
  }
}
