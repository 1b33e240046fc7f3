import Foundation
import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import EventBus
@testable import StockbusRuntime

/// The file with a run's memory: what was written is read, and nothing else.
@Suite struct MemoryFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path + "/run.memory" }
  private var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  private struct Place: Codable, Hashable, Sendable {
    var file: String
    var offset: Int64
  }

  private let memory = RunMemory(
    time: Timestamp(ns: 1_700_000_000_123_456_789),
    components: [
      RunMemory.Component(
        id: "live", plugin: "file_replay", options: "0011",
        entries: [Memory.Entry(name: "position", isKept: false, version: 3, value: .live(Place(file: "a\nb\"ü.csv", offset: .max)))]),
      RunMemory.Component(
        id: "desk", plugin: "notification_dispatcher", options: "2233",
        entries: [
          Memory.Entry(name: "count", isKept: true, version: 1, value: .live(42)),
          Memory.Entry(name: "names", isKept: true, version: 1, value: .live(["", "x"])),
        ]),
    ])

  private func recalled<V: Codable & Sendable>(
    _: V.Type, _ name: String, version: Int = 1, of component: String, in memory: RunMemory
  ) -> V? {
    let own = Memory()
    own.take(memory.components.first { $0.id == component }?.entries ?? [])
    return own[MemoryKey<V>(name, version: version, whenOptionsChange: .drop)]
  }

  @Test func `what was written is read again`() throws {
    #expect(try MemoryFile.read(path).time == nil)
    #expect(try MemoryFile.write(memory, to: path) == [])
    let read = try MemoryFile.read(path)
    #expect(read.time == memory.time)
    #expect(read.components.map(\.id) == ["live", "desk"])
    #expect(read.components.map(\.options) == ["0011", "2233"])
    #expect(recalled(Place.self, "position", version: 3, of: "live", in: read) == Place(file: "a\nb\"ü.csv", offset: .max))
    #expect(recalled(Int.self, "count", of: "desk", in: read) == 42)
    #expect(recalled([String].self, "names", of: "desk", in: read) == ["", "x"])
    // What nobody has asked for stays as it was.
    let before = text
    try MemoryFile.write(read, to: path)
    #expect(text == before)
    #expect(folder.names.sorted() == ["run.memory", "run.memory.previous"])
  }

  @Test func `a value of another version or another type is not used`() throws {
    try MemoryFile.write(memory, to: path)
    let read = try MemoryFile.read(path)
    #expect(recalled(Place.self, "position", version: 2, of: "live", in: read) == nil)
    #expect(recalled(String.self, "count", of: "desk", in: read) == nil)
    let own = Memory()
    own.take(read.components[0].entries)
    var reasons: [String] = []
    #expect(own.read(MemoryKey<Place>("position", whenOptionsChange: .drop)) { reasons.append($0) } == nil)
    #expect(reasons == ["it is of another version (3)"])
    // It was dropped, and is not written again.
    #expect(own.entries.isEmpty)
  }

  @Test func `no change of a single byte, and no shorter file, is taken for a memory`() throws {
    try MemoryFile.write(memory, to: path)
    let bytes = [UInt8](text.utf8)
    for place in bytes.indices {
      for bit in [UInt8(1), 32, 128] {
        var damaged = bytes
        damaged[place] ^= bit
        #expect(throws: MemoryFile.Failure.self, "byte \(place), bit \(bit)") { try MemoryFile.memory(in: damaged, of: "x") }
      }
      #expect(throws: MemoryFile.Failure.self, "\(place) bytes") { try MemoryFile.memory(in: Array(bytes[..<place]), of: "x") }
    }
    #expect(throws: MemoryFile.Failure.self) { try MemoryFile.memory(in: bytes + [10], of: "x") }
  }

  @Test func `a damaged value is named by its line`() throws {
    try MemoryFile.write(memory, to: path)
    folder.put(text.replacing("42", with: "43"), in: "run.memory")
    let failure = #expect(throws: MemoryFile.Failure.self) { try MemoryFile.read(path) }
    #expect(failure?.description == "\(path):5: the value on this line is damaged")
    folder.put("hello\n", in: "run.memory")
    let other = #expect(throws: MemoryFile.Failure.self) { try MemoryFile.read(path) }
    #expect(other?.description == "\(path):1: this is not the memory of a run, or that of another version")
  }

  @Test func `only a memory is forgotten, damaged or not`() throws {
    folder.put("time,symbol\n", in: "run.memory")
    #expect(throws: MemoryFile.Failure.self) { try MemoryKeeper(path, forgetsAll: true) }
    #expect(text == "time,symbol\n")
    folder.put("stockbus memory 1 2024", in: "run.memory")
    #expect(throws: MemoryFile.Failure.self) { try MemoryKeeper(path) }
    #expect(try MemoryKeeper(path, forgetsAll: true).memory.components.isEmpty)
  }

  @Test func `a value that JSON does not have is left out, and said`() throws {
    let component = RunMemory.Component(
      id: "mean", plugin: "mean", options: "",
      entries: [
        Memory.Entry(name: "mean", isKept: true, version: 1, value: .live(Double.infinity)),
        Memory.Entry(name: "count", isKept: true, version: 1, value: .live(1)),
      ])
    #expect(try MemoryFile.write(RunMemory(time: memory.time, components: [component]), to: path) == ["mean mean"])
    #expect(try MemoryFile.read(path).components[0].entries.map(\.name) == ["count"])
  }

  @Test func `a second run does not get the file`() throws {
    let keeper = try MemoryKeeper(path)
    let failure = #expect(throws: MemoryFile.Failure.self) { try MemoryKeeper(path) }
    #expect(failure?.description.contains("another output of this program is writing it") == true, "\(String(describing: failure))")
    try withExtendedLifetime(keeper) { _ = try keeper.keep(memory) }
  }

  @Test func `events that wait at an input go there, once`() throws {
    let plan = try #require(try pipeline(OrderTests.chain).pipeline.topology.nodes.first { $0.id == "second" })
    let waiting = WaitingEvents(EventCopies(events: [Tick(7), Tick(8)]))
    let left = RunMemory(
      time: memory.time,
      components: [
        RunMemory.Component(
          id: "second", plugin: "pass", options: plan.optionsDigest,
          entries: [
            Memory.Entry(name: "waiting from first", isKept: true, version: 1, value: .live(waiting)),
            Memory.Entry(name: "count", isKept: true, version: 1, value: .live(42)),
          ])
      ], isOfEndedRun: false)
    try MemoryFile.write(left, to: path)
    let read = try MemoryFile.read(path)
    #expect(read.time == memory.time && !read.isOfEndedRun)
    #expect(read.entries(for: plan).map(\.name) == ["count"])
    #expect(read.waiting(at: plan, from: "ticks") == nil)
    let topic = Topic<Tick>("first")
    let inlet = topic.attachReader(Parker(), options: SubscriptionOptions(), waiting: read.waiting(at: plan, from: "first"))
    #expect(try #require(inlet as? Inlet<Tick>).nextBatch(limit: 9).map(\.number) == [7, 8])
  }
}
