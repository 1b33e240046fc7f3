package import StockbusPlugin

/// One channel that alerts are sent through.
package enum ChannelSettings: OneOf {
  case desktop(DesktopSettings)
  case webhook(WebhookSettings)
  case ntfy(NtfySettings)
  case email(EmailSettings)
  case command(CommandSettings)
  case file(FileSettings)
  case console(ConsoleSettings)

  package static let cases: [OneOfCase<ChannelSettings>] = [
    .init("desktop", "A notification on the desktop, by notify-send where that is installed.", ChannelSettings.desktop),
    .init("webhook", "A POST of JSON to a web address.", ChannelSettings.webhook),
    .init("ntfy", "A message to phones and browsers through an ntfy server.", ChannelSettings.ntfy),
    .init("email", "An e-mail, by the system's sendmail program.", ChannelSettings.email),
    .init("command", "A program that is run for each alert, without a shell.", ChannelSettings.command),
    .init("file", "A line in a file.", ChannelSettings.file),
    .init("console", "A line on standard output.", ChannelSettings.console),
  ]

  package var chosen: (name: String, options: any Options) {
    switch self {
    case .desktop(let options): ("desktop", options)
    case .webhook(let options): ("webhook", options)
    case .ntfy(let options): ("ntfy", options)
    case .email(let options): ("email", options)
    case .command(let options): ("command", options)
    case .file(let options): ("file", options)
    case .console(let options): ("console", options)
    }
  }

  /// The file that a channel writes to.
  var filePath: String? { if case .file(let options) = self { options.path } else { nil } }

  /// The options that all channels have.
  var common: NotificationChannelOptions {
    switch self {
    case .desktop(let options): options.channel
    case .webhook(let options): options.channel
    case .ntfy(let options): options.channel
    case .email(let options): options.channel
    case .command(let options): options.channel
    case .file(let options): options.channel
    case .console(let options): options.channel
    }
  }

  /// The channels' names: the given ones, otherwise their kind, with a number if there are several of one kind.
  static func names(_ channels: [ChannelSettings]) -> [String] {
    var names: [String] = []
    let given = Set(channels.compactMap(\.common.name))
    for channel in channels {
      let kind = channel.chosen.name
      var name = channel.common.name ?? kind
      var number = 2
      while channel.common.name == nil, names.contains(name) || given.contains(name) {
        name = "\(kind)\(number)"
        number += 1
      }
      names.append(name)
    }
    return names
  }
}
