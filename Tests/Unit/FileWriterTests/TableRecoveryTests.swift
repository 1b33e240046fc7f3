import FileWriter
import Glibc
import StockbusFiles
import StockbusPlugin
import StockbusTables
import StockbusTestKit
import Synchronization
import TestSupport
import Testing

/// Streams and Parquet files behind full disks and kills, and those that are there already.
@Suite(.timeLimit(.minutes(15))) struct TableRecoveryTests {
  let folder = TemporaryFolder()

  @discardableResult
  private func write(_ range: Range<Int>, _ name: String, _ options: String = "", batch: Int = .max) async throws -> PluginHarness {
    let harness = PluginHarness()
    let text = "path: \(folder.file(name))\n\(options.contains("fields") ? options : "fields: [size]\n" + options)"
    if batch == .max {
      try await harness.consume([sizes(range)], by: Plugin.fileWriter, options: text)
      return harness
    }
    let sink = try harness.start(Plugin.fileWriter, options: text + "\nflush: 0s", taking: [Trade.self])
    for start in stride(from: range.lowerBound, to: range.upperBound, by: batch) {
      try await sink.send(sizes(start..<min(start + batch, range.upperBound)))
      await sink.delivered()
    }
    try await sink.stop()
    return harness
  }

  /// A stream that a killed run has left: some batches, and no end.
  private func killed(_ range: Range<Int>, batch: Int) async throws -> [UInt8] {
    try await write(range, "killed.arrows", batch: batch)
    defer { folder.remove("killed.arrows") }
    return folder.bytes("killed.arrows").dropLast(ArrowStream.end.count)
  }

  private func wholeRows(_ bytes: [UInt8]) -> Int {
    guard let reader = try? ArrowReader(TableSource(bytes)) else { return 0 }
    while (try? reader.next()) != nil {}
    return reader.rows
  }

  @Test(arguments: ["t.arrows", "t.parquet"]) func `a stream that is torn at any byte is gone on with`(name: String) async throws {
    let left = try await killed(0..<9, batch: 4)
    #expect(wholeRows(left) == 9)
    for length in stride(from: 0, through: left.count, by: name == "t.parquet" ? 5 : 1) {
      let torn = Array(left[..<length])
      folder.put(torn, in: "t.arrows")
      let harness = try await write(20..<23, name)
      let whole = wholeRows(torn)
      let found = try folder.table(name)
      #expect(found.rows.map { $0[0] } == rows(0..<whole) + rows(20..<23), "\(length) bytes")
      #expect(found.ending == .finished && folder.names == [name], "\(length) bytes")
      // What is cut off is said.
      let reader = try? ArrowReader(TableSource(torn))
      while (try? reader?.next()) != nil {}
      let isWhole = length == 0 || reader?.ending == .open
      #expect(harness.notes.contains { $0.contains("ends within a record") } != isWhole, "\(length) bytes: \(harness.notes)")
      folder.removeAll()
    }
  }

  @Test func `a finished stream is gone on with in the place of its end`() async throws {
    for i in 0..<3 { try await write(1 + i * 10..<11 + i * 10, "t.arrows") }
    let found = try folder.table("t.arrows")
    #expect(found.ending == .finished && found.rows.map { $0[0] } == rows(1..<31) && folder.names == ["t.arrows"])
    try await write(1..<3, "t.arrows", "append: false")
    #expect(try folder.table("t.arrows").rows.count == 2)
  }

  @Test func `a finished Parquet file gets the next number, unless it is to be emptied`() async throws {
    try await write(1..<11, "t.parquet")
    let second = try await write(11..<21, "t.parquet")
    try await write(21..<31, "t.parquet")
    #expect(folder.names == ["t.1.parquet", "t.2.parquet", "t.parquet"])
    #expect(try folder.allRows("t") == rows(1..<31))
    #expect(second.notes == ["'\(folder.file("t.parquet"))' was there already: it is now '\(folder.file("t.1.parquet"))'"])
    try await write(1..<3, "t.parquet", "append: false")
    #expect(folder.names == ["t.1.parquet", "t.2.parquet", "t.parquet"])
    #expect(try folder.table("t.parquet").rows.count == 2)
  }

  @Test(arguments: ["t.arrows", "t.parquet"]) func `a stream of other columns, or a damaged one, is put aside`(name: String) async throws {
    let left = try await killed(1..<9, batch: 4)
    folder.put(left, in: "t.arrows")
    let harness = try await write(9..<13, name, "fields: [symbol, size]")
    let ending = name.dropFirst(1)
    #expect(folder.names == ["t.1\(ending)", name])
    #expect(try folder.table("t.1\(ending)").rows.map { $0[0] } == rows(1..<9))
    #expect(try folder.table(name).rows.map { $0[1] } == rows(9..<13))
    let reason = "'\(folder.file("t.arrows"))' has other columns: it is now '\(folder.file("t.1.arrows"))'"
    #expect(harness.notes == [reason])
    folder.removeAll()
    // A flipped bit in the second batch: what is there stays as it is.
    var damaged = left
    damaged[left.count - 20] ^= 1
    folder.put(damaged, in: "t.arrows")
    let next = try await write(9..<13, name)
    #expect(folder.names == ["t.1.arrows", name] && folder.bytes("t.1.arrows") == damaged)
    #expect(try folder.table(name).rows.map { $0[0] } == rows(9..<13))
    #expect(next.notes[0].contains("differs from its checksum"))
    #expect(next.notes.count == (name == "t.parquet" ? 2 : 1))
  }

  /// A run may be killed between any two of its calls while a stream becomes a Parquet file.
  @Test(arguments: 0...4) func `rows are never in two files, nor in none`(calls: Int) async throws {
    try await write(1..<9, "whole.parquet")
    let stream = try await killed(1..<9, batch: 4)
    func put(_ stem: String) {
      switch calls {
      case 0: folder.put(stream, in: stem + ".arrows")
      case 1:
        folder.put(stream, in: stem + ".arrows")
        folder.put(Array(folder.bytes("whole.parquet").dropLast(9)), in: stem + ".parquet.part")
      case 2:
        // With a machine that failed too, what was made need not be on the disk.
        folder.put(stream, in: stem + ".arrows.done")
        folder.put(Array(folder.bytes("whole.parquet").dropLast(9)), in: stem + ".parquet.part")
      case 3:
        folder.put(stream, in: stem + ".arrows.done")
        folder.put(folder.bytes("whole.parquet"), in: stem + ".parquet")
      default: folder.put(folder.bytes("whole.parquet"), in: stem + ".parquet")
      }
    }
    put("t")
    put("t.3")
    try await write(20..<23, "t.parquet")
    folder.remove("whole.parquet")
    #expect(folder.names.allSatisfy { $0.hasSuffix(".parquet") })
    #expect(try folder.table("t.3.parquet").rows.map { $0[0] } == rows(1..<9))
    #expect(try folder.allRows("t").sorted() == (rows(1..<9) + rows(1..<9) + rows(20..<23)).sorted())
  }

  /// A disk with room for so many bytes.
  private static func room(_ bytes: Int) -> SystemCalls {
    let left = Guarded(bytes)
    var calls = SystemCalls()
    let write = calls.write
    calls.write = { descriptor, from, count in
      let most = left.withLock { left in
        let most = min(count, left)
        left -= most
        return most
      }
      if most > 0 { return write(descriptor, from, most) }
      errno = ENOSPC
      return -1
    }
    return calls
  }

  @Test(arguments: ["t.arrows", "t.parquet"], ["", ", rotate: 4KiB, keep: 1000", ", flush: 1h"])
  func `wherever the disk is full, a row is in a file or lost, and the next run goes on`(name: String, options: String) async throws {
    var complete = 0
    for bytes in stride(from: 0, through: 60_000, by: 1009) {
      let flush = options.contains("flush") ? "" : ", flush: 0s"
      let text = """
        sources: { ticks: { plugin: trades, count: 400 } }
        sinks: { file: { plugin: file_writer, inputs: [ticks], path: '\(folder.file(name))', fields: [size], patience: 0s\(flush)\(options) } }
        """
      let harness = try PipelineHarness(text, plugins: [.trades, .fileWriter], services: Services(Self.room(bytes)))
      let report = await harness.run()
      let counts = try #require(report.ledger.edges.first?.counts)
      #expect(report.ledger.isBalanced && !folder.names.contains { $0.hasSuffix(".part") || $0.hasSuffix(".done") })
      let found = try folder.names.map { try wholeRowsOfFile($0) }.reduce(0, +)
      #expect(found + report.ledger.lost == counts.delivered, "\(bytes) bytes")
      #expect(counts.delivered == 400 || report.exitStatus == 1, "\(bytes) bytes")
      if report.exitStatus == 0 { complete += 1 }
      let next = try await PipelineHarness(text, plugins: [.trades, .fileWriter]).run()
      #expect(next.exitStatus == 0 && next.ledger.lost == 0)
      #expect(try folder.allRows("t").count == found + 400, "\(bytes) bytes")
      #expect(folder.names.allSatisfy { $0.hasSuffix(name.dropFirst(1)) })
      folder.removeAll()
    }
    #expect(complete > 3)
  }

  /// The rows of a file; no piece of a record may be in one. A file may have no bytes yet.
  private func wholeRowsOfFile(_ name: String) throws -> Int {
    if folder.bytes(name).isEmpty { return 0 }
    let table = try folder.table(name)
    #expect(table.ending != .cut)
    return table.rows.count
  }

  @Test func `rows that wait are written when the component is stopped or another instance follows`() async throws {
    let options = "path: \(folder.file("t.parquet"))\nfields: [size]\nflush: 1h"
    let harness = PluginHarness()
    let sink = try harness.start(Plugin.fileWriter, options: options, taking: [Trade.self])
    try await sink.send(sizes(1..<6))
    await sink.delivered()
    #expect(folder.bytes("t.arrows").isEmpty)
    try await sink.replace(options: options + "\nsync: true")
    try await sink.send(sizes(6..<9))
    await sink.delivered()
    try await sink.stop()
    #expect(try folder.allRows("t") == rows(1..<9))
    #expect(harness.lost == 0 && harness.counter("records") == 8)
  }

  @Test func `an instance that is cut off writes the rows that wait`() async throws {
    let options = "path: \(folder.file("t.parquet"))\nfields: [size]\nflush: 1h"
    let harness = PluginHarness()
    do {
      let sink = try harness.start(Plugin.fileWriter, options: options, taking: [Trade.self])
      try await sink.send(sizes(1..<6))
      await sink.delivered()
    }
    while harness.counter("records") != 5 { await Task.yield() }
    #expect(try folder.table("t.arrows").rows.map { $0[0] } == rows(1..<6) && harness.lost == 0)
  }

  @Test func `rows wait in memory no longer than told`() async throws {
    let harness = PluginHarness()
    let sink = try harness.start(
      Plugin.fileWriter, options: "path: \(folder.file("t.arrows"))\nfields: [size]\nflush: 3s", taking: [Trade.self])
    try await sink.send(sizes(1..<3))
    await sink.delivered()
    await harness.clock.waitForSleeper(until: .seconds(3))
    #expect(folder.bytes("t.arrows").isEmpty)
    harness.clock.advance(by: .seconds(3))
    while folder.bytes("t.arrows").isEmpty { await Task.yield() }
    #expect(try folder.table("t.arrows").rows.map { $0[0] } == rows(1..<3))
    try await sink.stop()
  }
}
