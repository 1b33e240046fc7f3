import Foundation
import MarketData
import TestSupport
import Testing

@testable import StockbusFiles

/// A zone file of version 2 according to RFC 9636, section 3; its first block is empty.
private func zoneFile(
  _ changes: [(at: Int, kind: Int)] = [], offsets: [Int] = [0], footer: String = "", version: UInt8 = 50
) -> [UInt8] {
  func integer(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  func header(_ changes: Int, _ offsets: Int, _ characters: Int) -> [UInt8] {
    Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + [0, 0, 0, changes, offsets, characters].flatMap { integer($0, 4) }
  }
  var bytes = header(0, 1, 1) + integer(0, 4) + [0, 0, 0]
  bytes += header(changes.count, offsets.count, 4) + changes.flatMap { integer($0.at, 8) } + changes.map { UInt8($0.kind) }
  bytes += offsets.flatMap { integer($0, 4) + [0, 0] } + Array("XXX\0".utf8)
  return bytes + Array("\n\(footer)\n".utf8)
}

@Suite struct ZoneTests {
  /// Seconds since the epoch in UTC.
  static func seconds(_ text: String) throws -> Int { Int(try Timestamp(iso8601: text + "Z").ns / 1_000_000_000) }

  @Test func `knows the system's zones around their changes`() throws {
    // Hand-worked: New York changes at 02:00 on the second Sunday of March and the first of November, London at 01:00 UTC on the last
    // Sundays of March and October, India never.
    let known = [
      ("America/New_York", "2024-03-10T06:59:59", -5 * 3600), ("America/New_York", "2024-03-10T07:00:00", -4 * 3600),
      ("America/New_York", "2024-11-03T05:59:59", -4 * 3600), ("America/New_York", "2024-11-03T06:00:00", -5 * 3600),
      ("Europe/London", "2024-03-31T00:59:59", 0), ("Europe/London", "2024-03-31T01:00:00", 3600),
      ("Europe/London", "2024-10-27T00:59:59", 3600), ("Europe/London", "2024-10-27T01:00:00", 0),
      ("Asia/Kolkata", "2024-06-30T12:00:00", 19_800), ("Asia/Kolkata", "2050-01-01T00:00:00", 19_800),
      // After the end of every table: 13 March and 6 November 2050 are the Sundays.
      ("America/New_York", "2050-03-13T06:59:59", -5 * 3600), ("America/New_York", "2050-03-13T07:00:00", -4 * 3600),
      ("America/New_York", "2050-11-06T05:59:59", -4 * 3600), ("America/New_York", "2050-11-06T06:00:00", -5 * 3600),
    ]
    for (name, time, offset) in known {
      #expect(try ZoneDatabase.system.zone(name).offset(at: Self.seconds(time)) == offset, "\(name) \(time)")
    }
  }

  @Test func `agrees with another reader of the same files`() throws {
    // Offsets at random times, from Python's zoneinfo.
    for (name, offsets) in zoneinfoOffsets {
      let zone = try ZoneDatabase.system.zone(name)
      for (time, offset) in offsets { #expect(zone.offset(at: time) == offset, "\(name) \(time)") }
    }
  }

  @Test func `reads local times where clocks go forward, back, and over midnight`() throws {
    var newYork = try ZoneRules("America/New_York")
    #expect(newYork.utc(local: try Self.seconds("2024-03-10T02:30:00")) == nil)
    #expect(newYork.utc(local: try Self.seconds("2024-03-10T03:00:00")) == (try Self.seconds("2024-03-10T07:00:00")))
    #expect(newYork.utc(local: try Self.seconds("2024-11-03T01:30:00")) == (try Self.seconds("2024-11-03T05:30:00")))
    #expect(newYork.utc(local: try Self.seconds("2050-03-13T02:30:00")) == nil)
    var london = try ZoneRules("Europe/London")
    #expect(london.utc(local: try Self.seconds("2024-03-31T01:30:00")) == nil)
    #expect(london.utc(local: try Self.seconds("2024-10-27T01:30:00")) == (try Self.seconds("2024-10-27T00:30:00")))
    var paulo = try ZoneRules("America/Sao_Paulo")
    #expect(paulo.begin(ofDay: try Self.seconds("2018-11-04T00:00:00") / 86_400) == (try Self.seconds("2018-11-04T03:00:00")))
    var utc = try ZoneRules("UTC", in: ZoneDatabase(folder: "/nowhere"))
    #expect(utc.utc(local: 12345) == 12345 && utc.begin(ofDay: -1) == -86_400)
  }

  @Test func `a table goes before its rule, and the first kind before the table`() throws {
    let bytes = zoneFile([(1000, 1), (2000, 2)], offsets: [60, 120, 180], footer: "XXX-1")
    let zone = try ZoneFile(bytes)
    #expect([-9999, 999, 1000, 1999, 2000, 9999].map { zone.offset(at: $0) } == [60, 60, 120, 120, 3600, 3600])
    let plain = try ZoneFile(zoneFile([(1000, 1), (2000, 2)], offsets: [60, 120, 180]))
    #expect([999, 1999, 2000].map { plain.offset(at: $0) } == [60, 120, 180])
    #expect(try ZoneFile(zoneFile(offsets: [-7])).offset(at: 0) == -7)
    #expect(try ZoneFile(zoneFile(footer: "<+0330>-3:30")).offset(at: 0) == 12_600)
    #expect(ZoneFile().offset(at: 5) == 0)
  }

  @Test func `rules agree with a walk through the days`() throws {
    // The n-th weekday of a month, found day by day.
    func day(_ year: Int, _ month: Int, _ week: Int, _ weekday: Int) -> Int {
      let first = CivilDate(year: year, month: month, day: 1)!.daysSinceEpoch
      let days = (first..<(first + 31)).filter { CivilDate(daysSinceEpoch: $0).month == month && ($0 + 4 + 700_000) % 7 == weekday }
      return week == 5 ? days.last! : days[week - 1]
    }
    var random = SplitMix(9636)
    for _ in 0..<300 {
      let (standard, saved) = (Int.random(in: -12...13, using: &random), [1, 1, 2, -1].randomElement(using: &random)!)
      let weeks = (Int.random(in: 1...5, using: &random), Int.random(in: 1...5, using: &random))
      let weekdays = (Int.random(in: 0...6, using: &random), Int.random(in: 0...6, using: &random))
      let hours = (Int.random(in: -5...26, using: &random), Int.random(in: 0...4, using: &random))
      let isSouthern = Bool.random(using: &random)
      let months = isSouthern ? (10, 3) : (3, 10)
      let (first, second) = ("M\(months.0).\(weeks.0).\(weekdays.0)/\(hours.0)", "M\(months.1).\(weeks.1).\(weekdays.1)/\(hours.1)")
      let text = "STD\(-standard)SUM\(-(standard + saved)),\(first),\(second)"
      let rule = try ZoneRule(Array(text.utf8))
      let year = Int.random(in: 1970...2200, using: &random)
      let begin = day(year, months.0, weeks.0, weekdays.0) * 86_400 + (hours.0 - standard) * 3600
      let end = day(year, months.1, weeks.1, weekdays.1) * 86_400 + (hours.1 - standard - saved) * 3600
      func offset(_ time: Int) -> Int {
        let isSummer = begin < end ? time >= begin && time < end : time >= begin || time < end
        return (standard + (isSummer ? saved : 0)) * 3600
      }
      let middle = CivilDate(year: year, month: 6, day: 15)!.daysSinceEpoch * 86_400
      for time in [begin - 1, begin, end - 1, end, middle] { #expect(rule.offset(at: time) == offset(time), "\(text) \(time)") }
    }
  }

  @Test func `rules by the day of the year, all the year, and hours beyond the day`() throws {
    func rule(_ text: String) throws -> ZoneRule { try ZoneRule(Array(text.utf8)) }
    // RFC 9636, section 3.3.1: summer all year.
    let always = try rule("EST5EDT,0/0,J365/25")
    for time in ["2024-01-01T04:59:59", "2024-01-01T05:00:00", "2024-07-01T00:00:00", "2024-12-31T23:59:59", "2025-01-01T03:00:00"] {
      #expect(always.offset(at: try Self.seconds(time)) == -4 * 3600)
    }
    // J60 is 1 March in every year, 59 counted from 0 is 29 February in a leap year.
    let julian = try rule("A<->0".replacing("A<->", with: "<A-A>") + "<B+1>,J60/0,J61/0")
    #expect(julian.offset(at: try Self.seconds("2024-02-29T12:00:00")) == 0)
    #expect(julian.offset(at: try Self.seconds("2024-03-01T12:00:00")) == 3600)
    #expect(julian.offset(at: try Self.seconds("2023-03-01T12:00:00")) == 3600)
    let counted = try rule("AAA0BBB,59/0,60/0")
    #expect(counted.offset(at: try Self.seconds("2024-02-29T12:00:00")) == 3600)
    #expect(counted.offset(at: try Self.seconds("2023-03-01T12:00:00")) == 3600)
    #expect(counted.offset(at: try Self.seconds("2024-03-01T12:00:00")) == 0)
    #expect(counted.offset(at: .max) == 0 && counted.offset(at: .min) == 0)
    for (text, place) in [
      ("", 0), ("X", 0), ("EST", 3), ("EST25", 3), ("EST5EDT", 7), ("EST5EDT,M3.2.0", 14), ("EST5EDT,M13.2.0,M11.1.0", 9),
      ("EST5EDT,M3.6.0,M11.1.0", 11), ("EST5EDT,M3.2.7,M11.1.0", 13), ("EST5EDT,J0,J1", 9), ("EST5EDT,366,J1", 8),
      ("EST5EDT,M3.2.0/168,M11.1.0", 15), ("EST5EDT,M3.2.0,M11.1.0x", 22), ("<EST5", 5), ("EST5:60", 5), ("EST5x", 4),
    ] {
      #expect(throws: ZoneRule.Problem.self) { try rule(text) }
      do throws(ZoneRule.Problem) { _ = try ZoneRule(Array(text.utf8)) } catch { #expect(error.place == place, "\(text): \(error)") }
    }
  }

  @Test func `says where a file is malformed`() {
    func problem(_ bytes: [UInt8]) -> String? {
      do throws(ZoneFile.Problem) {
        _ = try ZoneFile(bytes)
        return nil
      } catch { return "\(error.byte): \(error.reason)" }
    }
    func changed(_ place: Int, _ byte: UInt8, _ bytes: [UInt8] = zoneFile([(1, 0), (2, 0)])) -> String? {
      var bytes = bytes
      bytes[place] = byte
      return problem(bytes)
    }
    // The second header begins at byte 52 (counted from 1), its data at 96: two times, two kinds, one offset, a name, a footer.
    #expect(problem(zoneFile([(1, 0), (2, 0)])) == nil)
    #expect(problem([]) == "1: the file ends inside the header")
    #expect(problem(Array("TZif".utf8)) == "5: the file ends inside the header")
    #expect(changed(0, 88) == "1: 'TZif' is expected")
    #expect(changed(4, 49) == "5: unknown version")
    #expect(changed(51, 88) == "52: 'TZif' is expected")
    #expect(changed(51 + 32, 255) == "84: a count is too large")
    #expect(changed(51 + 34, 3) == "126: the file ends inside the data")
    #expect(changed(51 + 39, 0) == "88: there are 0 kinds of local time, not 1 to 256")
    #expect(changed(51 + 31, 1) == "80: the file counts leap seconds")
    #expect(changed(51 + 23, 2) == "72: the counts do not agree")
    #expect(problem(zoneFile([(2, 0), (2, 0)])) == "104: the changes do not ascend")
    #expect(problem(zoneFile([(1, 1)])) == "104: there is no kind 1 of local time")
    #expect(problem(zoneFile(offsets: [93_600])) == "96: an offset is out of range")
    #expect(problem(zoneFile(footer: "EST")) == "110: a number from 0 to 24 is expected")
    #expect(problem(zoneFile().dropLast()) == "106: a line with a rule is expected")
    #expect(problem([UInt8](repeating: 0, count: ZoneFile.sizeLimit + 1)) == "262145: the file is too long")
  }

  @Test func `survives any bytes, and every cut of a file`() throws {
    let whole = zoneFile([(-5_000_000, 1), (0, 0), (1 << 40, 2)], offsets: [0, -3600, 7200], footer: "AAA3BBB,M3.2.0/2,M11.1.0/2")
    for count in 0..<whole.count { #expect(throws: ZoneFile.Problem.self) { try ZoneFile(Array(whole[..<count])) } }
    var random = SplitMix(8536)
    var good = 0
    var costs = Costs("zone files, damaged")
    for _ in 0..<rounds(20_000) {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let zone = costs.measure(size: bytes.count, "\(bytes)", isGood: { $0 != nil }, { try? ZoneFile(bytes) }) else { continue }
      good += 1
      for time in [Int.min, -1 << 40, -1, 0, 1_719_850_000, 1 << 40, Int.max] { #expect(zone.offset(at: time).magnitude < 200_000) }
    }
    #expect(good > 1000)
    for line in costs.lines { print(line) }
  }

  @Test func `damaged files are refused, or give offsets that a clock can have`() throws {
    var random = SplitMix(9636)
    let count = ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"].flatMap { Int($0) } ?? 2000
    let rules = ["", "UTC0", "EST5EDT,M3.2.0,M11.1.0", "<+03>-3", "IST-1GMT0,M10.5.0,M3.5.0/1", "<-02>2<-01>,M3.5.0/-1,J300/167"]
    var good = 0
    var costs = Costs("zone files, made up")
    for round in 0..<count {
      var at = Int.random(in: -3_000_000_000...0, using: &random)
      let changes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        at += Int.random(in: 1...900_000_000, using: &random)
        return (at: at, kind: Int.random(in: 0...2, using: &random))
      }
      let offsets = (0..<3).map { _ in Int.random(in: -50_000...50_000, using: &random) }
      let whole = zoneFile(changes, offsets: offsets, footer: rules.randomElement(using: &random)!)
      var bytes = whole
      for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.remove(at: at)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
        }
      }
      guard let zone = costs.measure(size: bytes.count, "\(bytes)", isGood: { $0 != nil }, { try? ZoneFile(bytes) }) else { continue }
      good += 1
      for _ in 0..<4 {
        let time = Int.random(in: -10_000_000_000...10_000_000_000, using: &random)
        let offset = zone.offset(at: time)
        #expect(ZoneFile.offsetRange.contains(offset), "round \(round)")
        // A simple search of the table, for times within it.
        guard bytes == whole, let last = changes.last, time < last.at else { continue }
        var expected = offsets[0]
        for change in changes where change.at <= time { expected = offsets[change.kind] }
        #expect(offset == expected, "round \(round)")
      }
    }
    #expect(good > count / 4)
    for line in costs.lines { print(line) }
  }

  @Test func `names stay inside the folder, and what is missing is told`() {
    func message(_ name: String, _ database: ZoneDatabase = .system) -> String {
      do throws(ZoneProblem) {
        _ = try ZoneRules(name, in: database)
        return ""
      } catch { return error.message }
    }
    #expect(message("America/New_Yrok") == "unknown time zone 'America/New_Yrok'; did you mean 'America/New_York'?")
    for name in ["../../../etc/passwd", "/etc/passwd", "America/../UTC", "./UTC", "", "America//New_York", "zone.tab", "America", "A\0B"] {
      #expect(message(name).hasPrefix("unknown time zone '\(name)'"), "\(name)")
    }
    #expect(
      message("Europe/London", ZoneDatabase(folder: "/nowhere"))
        == "there are no time zones in '/nowhere'; install tzdata, or set TZDIR to its folder")
    #expect(
      message("version", ZoneDatabase(folder: "/proc")).hasPrefix("the time zone 'version' cannot be used: '/proc/version', byte 1: "))
  }
}

/// Times and offsets in seconds; eight of each before 2024, four after 2033, by Python 3.11's zoneinfo and `random.Random(1970)`.
private let zoneinfoOffsets: [(String, [(Int, Int)])] = [
  (
    "America/New_York",
    [
      (237472584, -14400), (299831497, -14400), (443997455, -18000), (752095113, -18000), (1386306854, -18000), (1493292713, -14400),
      (1567965391, -14400), (1672376625, -18000), (2071503158, -14400), (2168054997, -14400), (2528719478, -18000), (3102267889, -14400),
    ]
  ),
  (
    "Europe/London",
    [
      (159907053, 0), (306665474, 3600), (759256922, 0), (993263226, 3600), (1100881734, 0), (1133448549, 0),
      (1286657303, 3600), (1374331279, 3600), (2328419483, 3600), (2596983626, 3600), (2852872873, 3600), (3447065370, 3600),
    ]
  ),
  (
    "Asia/Kolkata",
    [
      (110056488, 19800), (340278594, 19800), (750105081, 19800), (946192054, 19800), (1424983686, 19800), (1450925651, 19800),
      (1506578991, 19800), (1514843817, 19800), (2338028943, 19800), (2401686773, 19800), (2469567394, 19800), (3910585265, 19800),
    ]
  ),
  (
    "Australia/Lord_Howe",
    [
      (477126455, 41400), (535888099, 39600), (580544003, 37800), (867285576, 37800), (1172809610, 39600), (1197102685, 39600),
      (1351183393, 39600), (1472023430, 37800), (2375588033, 37800), (2832002717, 37800), (2979923828, 37800), (3664190077, 39600),
    ]
  ),
  (
    "America/Sao_Paulo",
    [
      (232436736, -10800), (326960023, -10800), (525948371, -10800), (905570756, -10800), (1021059309, -10800), (1099367615, -7200),
      (1235479466, -10800), (1492720184, -10800), (2037470140, -10800), (2391805072, -10800), (2815870548, -10800), (3932584130, -10800),
    ]
  ),
  (
    "Europe/Dublin",
    [
      (169683414, 3600), (302723110, 3600), (409262895, 0), (848256535, 0), (863167476, 3600), (1262844813, 0),
      (1418733498, 0), (1515069421, 0), (2096598568, 3600), (2285183621, 3600), (2861393203, 3600), (2909464651, 0),
    ]
  ),
  (
    "Pacific/Apia",
    [
      (17004299, -39600), (96382341, -39600), (781511746, -39600), (1273857013, -39600), (1324781671, -36000), (1437965235, 46800),
      (1548030010, 50400), (1642143745, 46800), (2002771073, 46800), (3359801501, 46800), (3377402994, 46800), (3978282078, 46800),
    ]
  ),
  (
    "America/St_Johns",
    [
      (256649241, -12600), (825213412, -12600), (944709260, -12600), (1059330189, -9000), (1072547196, -12600), (1185427671, -9000),
      (1212190136, -9000), (1344032589, -9000), (2117581523, -12600), (2518111787, -9000), (3056278624, -9000), (3815760840, -12600),
    ]
  ),
  (
    "Asia/Tehran",
    [
      (305954360, 16200), (336479678, 16200), (337477501, 16200), (487835215, 12600), (551130088, 12600), (616780150, 12600),
      (741360388, 16200), (1399946225, 16200), (2164572359, 12600), (2234886631, 12600), (3258793446, 12600), (3773229998, 12600),
    ]
  ),
  (
    "Africa/Johannesburg",
    [
      (181792082, 7200), (281809428, 7200), (324465480, 7200), (392947023, 7200), (829533488, 7200), (1057522265, 7200),
      (1248562665, 7200), (1332785103, 7200), (2377377231, 7200), (2476713798, 7200), (3750175423, 7200), (3912582354, 7200),
    ]
  ),
]
