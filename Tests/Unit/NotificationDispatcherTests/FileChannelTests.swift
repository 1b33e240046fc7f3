import Glibc
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import NotificationDispatcher
@testable import StockbusFiles

extension FileChannel {
  func write(by output: @escaping Descriptor.Write) { file.calls.write = output }
}

@Suite(.timeLimit(.minutes(15))) struct FileChannelTests {
  let folder = TemporaryFolder()

  private func channel(_ format: AlertFormat = .text) throws -> FileChannel {
    var options = FileSettings()
    options.path = folder.file("alerts")
    options.format = format
    return try FileChannel(options)
  }

  @Test func `an alert is a line, in the file at once`() async throws {
    let channel = try channel()
    #expect(await failure(of: channel, exampleNotification("two\nlines")) == nil)
    #expect(folder.content("alerts") == "2013-10-08T13:30:00.012Z AAPL above 200: two\\nlines\n")
    await channel.close()
  }

  @Test func `an alert that is given up on does not come with the next one, nor does a piece of it`() async throws {
    let channel = try channel()
    let (first, second) = (exampleNotification(number: 1), exampleNotification(number: 2))
    // There is room for five bytes, then the disk is full.
    await channel.write { descriptor, bytes, count in
      if count > 5, Descriptor.plainSize(descriptor) == 0 { return Descriptor.system(descriptor, bytes, 5) }
      errno = ENOSPC
      return -1
    }
    #expect(await failure(of: channel, first) != nil)
    #expect(folder.content("alerts") == "")
    await channel.write(by: Descriptor.system)
    #expect(await failure(of: channel, second) == nil)
    await channel.close()
    #expect(folder.content("alerts") == second.line + "\n")
  }

  @Test func `a next life goes on behind what was delivered, also where the file was to begin anew`() async throws {
    var options = FileSettings()
    options.path = folder.file("alerts")
    options.rotation.append = false
    for (life, appends) in [(1, false), (2, true)] {
      let channel = try FileChannel(options, appends: appends)
      #expect(await failure(of: channel, exampleNotification(number: life)) == nil)
      await channel.close()
    }
    #expect(folder.content("alerts").split(separator: "\n").count == 2)
  }

  @Test func `a file that others move is made anew, with the next alert or when asked`() async throws {
    let channel = try channel()
    let notifications = (1...3).map { exampleNotification(number: $0) }
    #expect(await failure(of: channel, notifications[0]) == nil)
    #expect(await channel.renew() == nil)
    rename(folder.file("alerts"), folder.file("first"))
    #expect(await failure(of: channel, notifications[1]) == nil)
    rename(folder.file("alerts"), folder.file("second"))
    #expect(await channel.renew() == folder.file("alerts"))
    #expect(folder.content("alerts") == "")
    #expect(await failure(of: channel, notifications[2]) == nil)
    await channel.close()
    #expect(["first", "second", "alerts"].map(folder.content) == notifications.map { $0.line + "\n" })
  }

  @Test func `an alert that finds the disk full waits for its next attempt and does not come twice`() async throws {
    let channel = try channel(.jsonl)
    await channel.write { _, _, _ in
      errno = ENOSPC
      return -1
    }
    let first = exampleNotification(number: 1)
    for _ in 1...2 {
      #expect(
        await failure(of: channel, first)
          == DeliveryError("cannot write '\(folder.file("alerts"))': No space left on device (ENOSPC)", isTransient: true))
    }
    await channel.write(by: Descriptor.system)
    let second = exampleNotification(number: 2)
    for notification in [first, second] { #expect(await failure(of: channel, notification) == nil) }
    #expect(folder.content("alerts") == "\(first.json)\n\(second.json)\n")
    await channel.close()
  }
}
