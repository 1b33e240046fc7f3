import StockbusPlugin
import Testing

@Suite struct OptionsExampleTests {
  @Test func `an example has what is required, and the defaults as comments`() {
    #expect(
      Everything.example(indent: 2) == #"""
          # How often new prices appear. (1ms to 1h)
          # interval: 2s
          # The file to read.
          path: text
          # Where to post, if anywhere.
          # url: text
          # How many at most. (1 to 1000)
          # limit: 500
          # Which end comes first. (ascending, descending)
          # order: descending
          # What to watch. (1 to 3 items)
          # symbols: [AAPL, NVDA]
          # How much may wait. (at least 4KiB)
          # buffer_size: 64KiB
          # The token.
          token: "${TOKEN}"

        """#)
  }

  @Test func `mappings in lists are written out`() {
    #expect(
      Rules.example() == #"""
        # What to watch for. (at least 1 item)
        rules:
          -
            # What it is called. (at least 1 character)
            name: text
            # What it is about.
            symbol: AAPL
            # How long it stays quiet.
            # cooldown: 1m
            # A floor.
            # low: 189.25
            # A ceiling.
            # high: 189.25
        # How events wait.
        # buffer:
        #   # How many events. (at least 1)
        #   capacity: 16
        #   # When to flush.
        #   # flush: 250ms
        # Where alerts go. (desktop, webhook)
        # channels: []

        """#)
  }

  @Test func `samples keep to the limits`() {
    struct Limited: Options {
      @Setting("A.", in: 7...) var number: Int
      @Setting("B.", in: .seconds(1)...) var pause: Duration
      @Setting("C.", length: 6...9) var word: String
      @Setting("D.", count: 2...) var list: [Order]
      @Setting("E.") var channel: Channel
      @Setting("F.") var headers: Mapping<Int>
      @Setting("G.") var buffer: Buffer
      @Setting("H.") var keys: [Secret]
      @Setting("I.") var inner = Webhook()
    }
    #expect(
      Limited.example() == """
        # A. (at least 7)
        number: 7
        # B. (at least 1s)
        pause: 1s
        # C. (6 to 9 characters)
        word: xxxxxx
        # D. (at least 2 items, each ascending, descending)
        list: [ascending, ascending]
        # E. (desktop, webhook)
        channel:
          desktop:
            # How long it stays.
            duration: 5s
        # F.
        headers: {name: 1}
        # G.
        buffer:
          # How many events. (at least 1)
          capacity: 16
          # When to flush.
          # flush: 250ms
        # H.
        keys: ["${KEYS}"]
        # I.
        inner:
          # Where to post.
          url: text
          # What proves who posts.
          # token: "${TOKEN}"

        """)
    #expect(NoOptions.example() == "")
  }
}
