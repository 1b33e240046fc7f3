import Foundation
import MarketData
import StockbusConfig
import StockbusInstruments
import StockbusPlugin
import Testing

/// `instruments:` and `calendars:` of a configuration.
@Suite struct InstrumentConfigTests {
  private static let pipeline = """
    sources: { ticks: { plugin: ticker, symbols: [A] } }
    sinks: { out: { plugin: count, inputs: [ticks] } }

    """

  private static func check(_ text: String, _ environment: [String: String] = [:], looksAtFiles: Bool = true) -> (Topology?, [String]) {
    do throws(Problems) {
      return (try Topology.check(load(pipeline + text, environment), catalogue: smallCatalogue, looksAtFiles: looksAtFiles), [])
    } catch { return (nil, error.sorted.map(\.description)) }
  }

  /// A folder with files that is removed afterwards.
  private static func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stockbus-instruments-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files { try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8) }
    try body(folder.path)
  }

  @Test func `without them a run has no instruments`() {
    let (topology, problems) = Self.check("")
    #expect(problems == [] && topology?.instruments.isEmpty == true)
    #expect(Self.check("instruments:\ncalendars: ~\n").0?.instruments.isEmpty == true)
    #expect(topology?.instruments.zone == nil)
    #expect(Self.check("runtime: { zone: Asia/Shanghai }\n").0?.instruments.zone?.zone == "Asia/Shanghai")
  }

  @Test func `instruments and calendars are written in place`() throws {
    let (topology, problems) = Self.check(
      """
      instruments:
        - { symbol: CFG-A, name: "${NAME}", calendar: night }
      calendars: { night: { sessions: [{ from: 20:00, to: 04:00 }] } }
      """, ["NAME": "Alpha"])
    #expect(problems == [])
    let instruments = try #require(topology?.instruments)
    #expect(instruments["CFG-A"]?.name == "Alpha" && instruments.calendar(for: "CFG-A")?.name == "night")
  }

  @Test func `files are read when a configuration is checked`() throws {
    try Self.withFolder([
      "a.csv": "symbol,name,what\nCFG-B,Beta,x\n", "b.yaml": "- { symbol: CFG-C, calendar: early }\n",
      "calendars.yml": "early: { sessions: [{ from: 05:00, to: 06:00 }] }\n",
    ]) { folder in
      let text = "instruments: [\"\(folder)/a.csv\", \"\(folder)/b.yaml\", { symbol: CFG-D }]\ncalendars: \(folder)/calendars.yml\n"
      let (topology, problems) = Self.check(text)
      #expect(problems == [])
      #expect(topology?.instruments.all.map(\.symbol) == ["CFG-B", "CFG-C", "CFG-D"])
      #expect(topology?.warnings.first?.hasPrefix("\(folder)/a.csv:1:13: warning: the column 'what' is not used") == true)
      #expect(topology?.outerFiles.contains { $0.path == folder + "/a.csv" } == true)
      // Drawing a graph reads no files.
      #expect(Self.check(text, looksAtFiles: false).0?.instruments.all.map(\.symbol) == ["CFG-D"])
      let plain = try #require(Self.check("").0)
      #expect(Self.check("instruments: \(folder)/a.csv").0?.difference(to: plain).changesRuntime == true)
    }
  }

  @Test func `problems are located in the configuration and in the files`() throws {
    try Self.withFolder(["a.csv": "symbol,lot\nCFG-E,x\n", "c.yaml": "a: [", "d.yaml": "- { symbol: CFG-E }\n"]) { folder in
      #expect(
        Self.check(
          """
          instruments:
            - \(folder)/a.csv
            - \(folder)/d.yaml
            - \(folder)/b.csv
            - \(folder)
            - \(folder)/x.json
            - { symbol: CFG-F, calendar: nigth }
            - [x]
          calendars: [\(folder)/c.yaml, { nigth: { zone: Mars } }]
          """
        ).1 == [
          "\(folder)/a.csv:2:7: error: 'lot' must be a number such as 0.01, got 'x'",
          "\(folder)/c.yaml:1:5: error: expected a value, but the file ends",
          "\(folder)/d.yaml:1:13: error: the symbol 'CFG-E' is given twice, first at \(folder)/a.csv:2:1",
          "plugins.yaml:6:5: error: 'instruments': no such file \(shown(folder + "/b.csv")); did you mean \(shown(folder + "/a.csv"))?",
          "plugins.yaml:7:5: error: 'instruments': the name of a file must end in .csv, .yaml or .yml, got \(shown(folder))",
          "plugins.yaml:8:5: error: 'instruments': the name of a file must end in .csv, .yaml or .yml, got \(shown(folder + "/x.json"))",
          "plugins.yaml:10:5: error: an instrument must be a mapping with 'symbol', got a list",
          "plugins.yaml:11:\(31 + folder.count): error: calendar 'nigth': 'sessions' is required: a list of mappings (The sessions of each day of the week.)",
        ])
    }
    #expect(
      Self.check("instruments: { symbol: A }\ncalendars: 5\n").1 == [
        "plugins.yaml:3:14: error: 'instruments' must be a path, or a list of paths and of instruments, got a mapping",
        "plugins.yaml:4:12: error: 'calendars': the name of a file must end in .yaml or .yml, got '5'",
      ])
  }

  @Test func `a file is read once, and what is aliased is reported once`() throws {
    try Self.withFolder(["a.csv": "symbol,lot\nCFG-I,x\n"]) { folder in
      let problems = Self.check(
        """
        x-a: &a { symbol: CFG-J, lot: x }
        x-b: &b \(folder)/b.csv
        instruments: [\(folder)/a.csv, \(folder)/./a.csv, *a, *a, *b, *b]
        """
      ).1
      let column = 16 + folder.count + 7
      #expect(
        problems == [
          "\(folder)/a.csv:2:7: error: 'lot' must be a number such as 0.01, got 'x'",
          "plugins.yaml:3:19: error: the symbol 'CFG-J' is given twice, first at plugins.yaml:3:19",
          "plugins.yaml:3:31: error: 'lot' must be a number such as 0.01, got 'x'",
          "plugins.yaml:4:9: error: 'instruments': no such file \(shown(folder + "/b.csv")); did you mean \(shown(folder + "/a.csv"))?",
          "plugins.yaml:5:\(column): error: 'instruments': \(shown(folder + "/./a.csv")) is given twice, first at plugins.yaml:5:15",
        ])
    }
  }

  @Test func `values of variables stay out of messages`() throws {
    try Self.withFolder(["secret-name.csv": "symbol,lot\nCFG-G,x\n"]) { folder in
      let environment = [
        "FILE": folder + "/secret-name.csv", "GONE": folder + "/secret-gone.csv", "KIND": "secret-kind", "LOT": "$1,234.50",
      ]
      let problems = Self.check(
        """
        instruments: ["${FILE}", "${GONE}", { symbol: CFG-H, kind: "${KIND}", lot: "${LOT}" }, { symbol: "${UNSET}", name: x }]
        calendars: { c: { zone: "${KIND}", sessions: [{ from: 20:00, to: 04:00 }] } }
        """, environment
      ).1
      #expect(
        problems == [
          "${FILE}:2:7: error: 'lot' must be a number such as 0.01, got 'x'",
          "plugins.yaml:3:26: error: 'instruments': there is no file at the value of ${GONE}",
          "plugins.yaml:3:60: error: 'kind' must be one of equity, etf, fund, index, bond, future, option, currency, crypto, commodity, other, got the value of ${KIND}",
          "plugins.yaml:3:76: error: 'lot' must be a number such as 0.01, got the value of ${LOT}",
          "plugins.yaml:3:99: error: the variable 'UNSET' is not set; set it or give a default: '${UNSET:-…}'",
          "plugins.yaml:4:19: error: calendar 'c': 'zone': unknown time zone '${KIND}'; zones are called as America/New_York, Europe/London and UTC are",
        ])
    }
  }

  @Test func `the schema knows the keys`() {
    let schema = smallCatalogue.configSchema
    let instrument = schema["properties"]?["instruments"]?.description ?? ""
    for name in ["symbol", "tick_size", "splits", "calendar"] { #expect(instrument.contains("\"\(name)\":")) }
    #expect(schema["properties"]?["calendars"]?.description.contains("\"early_closes\":") == true)
  }
}
