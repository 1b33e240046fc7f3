internal import StockbusDecoding
internal import StockbusNetwork
internal import StockbusPlugin

struct HTTPPollSettings: Options {
  @Setting("The document's address; it may hold a key, and is never shown.") var url: Secret
  @Setting("The type of event that its items become.") var event = EventKind.trade
  @Setting("How often it is fetched; a longer pause that the server asks for is kept.", in: .milliseconds(100) ... .seconds(86_400))
  var interval = Duration.seconds(10)
  @Setting("How the document is decoded: one kind of message for each kind of document that may come.") var decoding = DecodingSpec()
  @Setting("A venue whose kinds of messages are tried after those of 'decoding'.") var preset: VenuePreset?
  @Setting("The symbols to use for the events, if the document writes them differently.", count: 0...10_000)
  var symbols: [Symbol] = []
  @Setting("Further header fields; they do not follow a redirect to another server.", count: 0...50) var headers: Mapping<Secret> = [:]
  @Setting("How long a fetch may take, redirects included.", in: .milliseconds(1) ... .seconds(600)) var timeout = Duration.seconds(10)
  @Setting("Redirects followed at most; never from https to http.", in: 0...20) var redirects = 5
  @Setting("The largest document.", in: ByteSize(bytes: 1)...ByteSize.mebibytes(16)) var limit = ByteSize.mebibytes(8)
  @Setting("The first pause after a failure; each is up to twice as long as the one before.", in: .milliseconds(1) ... .seconds(3600))
  var backoff = Duration.seconds(1)
  @Setting("The longest pause after failures.", in: .milliseconds(1) ... .seconds(86_400)) var backoffLimit = Duration.seconds(300)
  @Setting("Ends after this many fetches; by default never.", in: 1...) var fetches: Int?
  @Setting("A file of certificates (PEM) that are trusted in addition to the system's.", length: 1...) var certificates: String?
  @Setting("Uses the proxy that https_proxy, http_proxy and no_proxy name.") var proxy = false

  /// The spec, merged with the preset.
  var spec: DecodingSpec { .whole(preset, decoding) }

  var files: [FileUse] { certificates.map { [.reading($0, at: "certificates", takesStream: false)] } ?? [] }

  func validate(_ problems: inout OptionProblems) {
    do throws(HTTPError) { _ = try WebAddress(url.revealed) } catch { problems.add("'url': \(error)", at: "url") }
    for (name, value) in headers.entries {
      if let fault = HTTPFields.fault(inName: name) ?? HTTPFields.fault(inValue: value.revealed) {
        problems.add("'headers.\(visible(name))': \(fault)", at: "headers")
      }
      if ["host", "content-length", "transfer-encoding", "connection", "if-none-match", "if-modified-since"].contains(name.lowercased()) {
        problems.add("'headers.\(visible(name))': stockbus sets this header itself", at: "headers")
      }
    }
    if backoff > backoffLimit { problems.add("'backoff' is longer than 'backoff_limit'", at: "backoff") }
  }
}
