internal import StockbusDecoding
internal import StockbusNetwork
internal import StockbusPlugin

struct WebSocketFeedSettings: Options {
  @Setting("The venue, whose address, messages and formats are known.")
  var preset: VenuePreset?
  @Setting("The instruments, such as BTC-USDT or AAPL; events have these names.", count: 0...10_000)
  var symbols: [Symbol] = []
  @Setting("The type of event that messages become; raw sends them unchanged, for a recorder.")
  var event = FeedKind.trade
  @Setting("Where to connect; by default as in the preset.")
  var url: WebSocketURL?
  @Setting("The keys and tokens that the venue needs, by name: key, secret, token. They are never printed.")
  var credentials: Mapping<Secret> = [:]
  @Setting("How to subscribe at the venue and decode its messages; what is left out is taken from the preset.")
  var decoding = DecodingSpec()
  @Setting(
    "Breaks in the numbers of trades: report publishes them as gaps; fill fetches the missing trades from the venue's REST and sends them late."
  )
  var gaps = FeedGaps.report
  @Setting("Deadlines and limits of the connection.")
  var connection = ConnectionSettings()

  init() {}

  var files: [FileUse] { connection.files.map { $0.inside("connection") } }

  /// The decoding spec, merged with the preset.
  var spec: DecodingSpec {
    var own = decoding
    if !credentials.entries.isEmpty { own.credentials = credentials }
    if let url { own.url = url.optionText }
    return .whole(preset, own)
  }

  /// The name of the option in which a part of the spec was written.
  func option(for part: String) -> String {
    switch part {
    case "symbols", "credentials": part
    case "url" where preset == nil: "url"
    case _ where part.hasPrefix("fill."): decoding.fill == nil ? "gaps" : "decoding.\(part)"
    default: preset == nil || decoding.messages != nil ? "decoding.\(part)" : "preset"
    }
  }
}
