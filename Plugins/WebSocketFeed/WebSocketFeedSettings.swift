internal import StockbusDecoding
internal import StockbusNetwork
internal import StockbusPlugin

struct WebSocketFeedSettings: Options {
  @Setting("The venue, whose address, messages and formats are known.")
  var preset: VenuePreset?
  @Setting("The instruments, such as BTC-USDT or AAPL; events come out under these names.", count: 0...10_000)
  var symbols: [Symbol] = []
  @Setting("What messages become; raw hands them on as they are, for a recorder.")
  var event = FeedKind.trade
  @Setting("Where to connect, where that is not what the preset says.")
  var url: WebSocketURL?
  @Setting("Keys and tokens that the venue asks for, by name: key, secret, token. Never printed.")
  var credentials: Mapping<Secret> = [:]
  @Setting("How the venue is talked to and its messages are decoded; what is not written is as in the preset.")
  var decoding = DecodingSpec()
  @Setting("How the connection is kept.")
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
    default: preset == nil ? "decoding" : "preset"
    }
  }
}
