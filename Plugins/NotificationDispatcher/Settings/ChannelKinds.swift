package import StockbusFiles
internal import StockbusNetwork
package import StockbusPlugin

package struct DesktopSettings: Options {
  @SettingGroup package var channel = NotificationChannelOptions()
  @Setting("How long the program may take.", in: .milliseconds(1) ... .seconds(600)) public var timeout = Duration.seconds(10)
  package init() {}
}

package struct ConsoleSettings: Options {
  @SettingGroup package var channel = NotificationChannelOptions(heedsQuietHours: false)
  package init() {}
}

/// How alerts are written to a file.
package enum AlertFormat: String, Choice {
  case text, jsonl
}

package struct FileSettings: Options {
  @SettingGroup package var channel = NotificationChannelOptions(heedsQuietHours: false)
  @Setting("The file to write to; missing folders are created.", length: 1...) package var path: String
  @Setting("Text or JSON lines.") package var format = AlertFormat.text
  @SettingGroup package var rotation = RotationSettings()
  package init() {}

  package var files: [FileUse] { [rotation.use(of: path)] }

  package func validate(_ problems: inout OptionProblems) { rotation.check(path: path, &problems) }
}

package struct WebhookSettings: Options {
  @SettingGroup package var channel = NotificationChannelOptions()
  @Setting("The address to post to; an empty address disables the channel.") package var url: Secret
  @Setting("The body, JSON with {id}, {status}, {rule}, {symbol}, {price}, {message}, {time}, {component}, {channel}.", length: 1...100_000)
  package var body =
    #"{"id":"{id}","status":"{status}","rule":"{rule}","symbol":"{symbol}","price":{price},"message":"{message}","time":"{time}"}"#
  @Setting("Further header fields.", count: 0...50) package var headers: Mapping<Secret> = [:]
  @Setting("Signs each delivery with HMAC-SHA256 (Standard Webhooks: Webhook-Id, Webhook-Timestamp, Webhook-Signature).")
  package var secret: Secret?
  @SettingGroup package var posting = PostingOptions()
  package init() {}

  package var files: [FileUse] { posting.files }

  package func validate(_ problems: inout OptionProblems) {
    checkAddress(url.revealed, "url", &problems)
    for (name, value) in headers.entries {
      if let fault = HTTPFields.fault(inName: name) ?? HTTPFields.fault(inValue: value.revealed) {
        problems.add("'headers.\(visible(name))': \(fault)", at: "headers")
      }
      if ["content-type", "content-length", "host", "transfer-encoding", "connection"].contains(name.lowercased()) {
        problems.add("'headers.\(visible(name))': stockbus sets this header itself", at: "headers")
      }
    }
    if let secret, WebhookSignature(secret: secret) == nil {
      problems.add("'secret' must not be empty, and must be Base64 after whsec_", at: "secret")
    }
    if let fault = WebhookBody.fault(in: body) { problems.add("'body': \(fault)", at: "body") }
  }
}

package struct NtfySettings: Options {
  @SettingGroup package var channel = NotificationChannelOptions()
  @Setting("The server's address.") package var server = "https://ntfy.sh"
  @Setting("The topic; everybody who knows it can read the alerts. An empty topic disables the channel.") package var topic: Secret
  @Setting("An access token of the server.") package var token: Secret?
  @Setting("The priority, from 1 (lowest) to 5.", in: 1...5) package var priority = 3
  @Setting("Tags and emoji names.", count: 0...20) package var tags: [String] = []
  @SettingGroup package var posting = PostingOptions()
  package init() {}

  package var files: [FileUse] { posting.files }

  package func validate(_ problems: inout OptionProblems) {
    if server.isEmpty { problems.add("'server' must not be empty", at: "server") }
    checkAddress(server, "server", &problems)
    if let token, token.revealed.isEmpty || HTTPFields.fault(inValue: token.revealed) != nil {
      problems.add("'token' has characters that a token cannot have", at: "token")
    }
    let isTopic = topic.revealed.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122, 45, 95: true
      default: false
      }
    }
    if !isTopic || topic.revealed.utf8.count > 64 { problems.add("'topic' has up to 64 letters, digits, - and _", at: "topic") }
  }
}

package struct EmailSettings: Options {
  @SettingGroup package var channel = NotificationChannelOptions()
  @Setting("The recipients.", count: 1...50) package var to: [String]
  @Setting("The sender.") package var from: String
  @Setting("The subject, with {rule}, {symbol}, {price}, {message}, {time} and the other placeholders.", length: 1...200)
  package var subject = "{message}"
  @Setting("The program that takes mail as sendmail does.", length: 1...) package var program = "/usr/sbin/sendmail"
  @Setting("How long the program may take.", in: .milliseconds(1) ... .seconds(600)) public var timeout = Duration.seconds(30)
  @Setting("The number of attempts before the alert becomes a dead letter.", in: 1...100) package var attempts = 4
  @Setting("The first pause between attempts; each is up to twice as long as the one before.", in: .milliseconds(1) ... .seconds(3600))
  package var backoff = Duration.seconds(5)
  package init() {}

  package var files: [FileUse] { [.running(program, at: "program", needed: false)] }

  package func validate(_ problems: inout OptionProblems) {
    for (i, address) in to.enumerated() {
      if let fault = MailAddress.fault(in: address) { problems.add("'to': \(fault)", at: "to", item: i) }
    }
    if let fault = MailAddress.fault(in: from) { problems.add("'from': \(fault)", at: "from") }
    checkTemplate(subject, "subject", &problems)
  }
}

package struct CommandSettings: Options {
  @SettingGroup package var channel = NotificationChannelOptions(heedsQuietHours: false)
  @Setting(
    "The program and its arguments as a list, with {id}, {status}, {rule}, {symbol}, {price}, {message}, {time}, {component}, {channel}; "
      + "they are not interpreted by a shell.", count: 1...200)
  package var run: [String]
  @Setting("Environment variables in addition to PATH, HOME and LANG.", count: 0...100)
  package var environment: Mapping<Secret> = [:]
  @Setting("How long it may take before it is killed.", in: .milliseconds(1) ... .seconds(3600)) public var timeout = Duration.seconds(30)
  @Setting("The number of attempts before the alert becomes a dead letter; an attempt fails if the exit status is not 0.", in: 1...100)
  package var attempts = 1
  @Setting("The first pause between attempts; each is up to twice as long as the one before.", in: .milliseconds(1) ... .seconds(3600))
  package var backoff = Duration.seconds(1)
  package init() {}

  package var files: [FileUse] { run.first.map { [.running($0, at: "run", item: 0, needed: false)] } ?? [] }

  package func validate(_ problems: inout OptionProblems) {
    if let program = run.first, program.isEmpty || program.contains("{") {
      problems.add("'run': the program must be named without placeholders", at: "run", item: 0)
    }
    for (i, argument) in run.enumerated() {
      if argument.utf8.contains(0) { problems.add("'run': an argument contains a NUL character", at: "run", item: i) }
      do throws(TemplateError) { _ = try NotificationTemplate(argument, NotificationTemplate.channelNames) } catch {
        problems.add("'run': \(error)", at: "run", item: i)
      }
    }
    for (name, value) in environment.entries where name.isEmpty || name.contains("=") || (name + value.revealed).utf8.contains(0) {
      problems.add("'environment': \(shown(name)) cannot be the name of a variable", at: "environment")
    }
  }
}

private func checkAddress(_ text: String, _ option: String, _ problems: inout OptionProblems) {
  if text.isEmpty { return }
  do throws(HTTPError) { _ = try WebAddress(text) } catch { problems.add("'\(option)': \(error)", at: option) }
}

private func checkTemplate(_ text: String, _ option: String, _ problems: inout OptionProblems) {
  do throws(TemplateError) { _ = try NotificationTemplate(text, NotificationTemplate.channelNames) } catch {
    problems.add("'\(option)': \(error)", at: option)
  }
}
