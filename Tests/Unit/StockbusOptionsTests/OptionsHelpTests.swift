import StockbusPlugin
import Testing

/// The help texts of a declaration; review a change here like a change of the manual.
@Suite struct OptionsHelpTests {
  @Test func `help is a table where there is room`() {
    #expect(
      Everything.help(width: 120) == #"""
        NAME         TYPE             DEFAULT       RANGE
        interval     duration         2s            1ms to 1h              How often new prices appear.
        path         text             required                             The file to read.
        url          text             none                                 Where to post, if anywhere.
        limit        whole number     500           1 to 1000              How many at most.
        order        choice           descending    ascending, descending  Which end comes first.
        symbols      list of symbols  [AAPL, NVDA]  1 to 3 items           What to watch.
        buffer_size  size             64KiB         at least 4KiB          How much may wait.
        token        secret           required                             The token.

        """#)
  }

  @Test func `sentences are below their options where columns leave them fewer than forty characters`() {
    #expect(
      Everything.help(width: 80) == #"""
        interval (duration: 1ms to 1h; default 2s)
            How often new prices appear.
        path (text; required)
            The file to read.
        url (text; optional)
            Where to post, if anywhere.
        limit (whole number: 1 to 1000; default 500)
            How many at most.
        order (choice: ascending, descending; default descending)
            Which end comes first.
        symbols (list of symbols: 1 to 3 items; default [AAPL, NVDA])
            What to watch.
        buffer_size (size: at least 4KiB; default 64KiB)
            How much may wait.
        token (secret; required)
            The token.

        """#)
    // Columns of 55 characters, at their narrowest.
    #expect(Everything.help(width: 94).hasPrefix("interval (duration"))
    #expect(Everything.help(width: 95).hasPrefix("NAME "))
  }

  @Test func `options inside options are left out on request, and shown by themselves`() {
    #expect(
      Rules.help(width: 200, nested: false).split(separator: "\n").map { $0.prefix { $0 != " " } } == [
        "NAME", "rules", "buffer", "channels",
      ])
    let rules = Rules.describe()[0]
    #expect(
      rules.nested.help(width: 200).split(separator: "\n").map { $0.prefix { $0 != " " } } == [
        "NAME", "name", "symbol", "cooldown", "low", "high",
      ])
  }

  @Test func `help has no columns where there is no room for them`() {
    #expect(
      Everything.help(width: 40) == #"""
        interval (duration: 1ms to 1h; default
        2s)
            How often new prices appear.
        path (text; required)
            The file to read.
        url (text; optional)
            Where to post, if anywhere.
        limit (whole number: 1 to 1000; default
        500)
            How many at most.
        order (choice: ascending, descending;
        default descending)
            Which end comes first.
        symbols (list of symbols: 1 to 3 items;
        default [AAPL, NVDA])
            What to watch.
        buffer_size (size: at least 4KiB;
        default 64KiB)
            How much may wait.
        token (secret; required)
            The token.

        """#)
  }

  @Test func `nested options stand below their own, indented`() {
    #expect(
      Rules.help(width: 120) == #"""
        NAME          TYPE              DEFAULT   RANGE
        rules         list of mappings  required  at least 1 item       What to watch for.
          name        text              required  at least 1 character  What it is called.
          symbol      symbol            required                        What it is about.
          cooldown    duration          1m                              How long it stays quiet.
          low         price             none                            A floor.
          high        price             none                            A ceiling.
        buffer        mapping                                           How events wait.
          capacity    whole number      16        at least 1            How many events.
          flush       duration          none                            When to flush.
        channels      list of choices   []        desktop, webhook      Where alerts go.
          desktop     mapping                                           A notification on the desktop.
            duration  duration          5s                              How long it stays.
          webhook     mapping                                           A POST to a web address.
            url       text              required                        Where to post.
            token     secret            none                            What proves who posts.

        """#)
  }

  @Test func `every other kind has words, a default and a range`() {
    #expect(
      Further.help(width: 120) == #"""
        NAME           TYPE               DEFAULT  RANGE
        is_shown       true or false      true                                   Whether to show it.
        crosses_above  price              none     at least 0                    A price to cross.
        size           quantity           100                                    How many shares.
        rearm          percentage         0.5%     at most 5%                    How far back it must go.
        from           time               none                                   When to begin.
        rate           rate               10/s     at most 1000/s                How fast.
        seed           whole number       42                                     The seed.
        name           text               feed     1 to 8 characters             Its name.
        pauses         list of durations  []       at most 2 items, each at      Pauses.
                                                   least 1s
        headers        mapping of texts   {}                                     Further headers.
        overflow       list of choices    []       block, drop_oldest,           What to do when it is full.
                                                   drop_newest, conflate

        """#)
  }

  @Test func `no line is wider than asked for`() {
    struct Wide: Options {
      @Setting("A sentence with averyveryveryveryveryveryveryveryverylongwordinit and https://example.com/very/long/address/of/a/page.")
      var aRatherLongNameOfAnOption = "a default text with blanks in it, so that it is wrapped, and-something-that-cannot-be-wrapped"
      @Setting("Another.") var rules: [Rule] = []
    }
    for width in 20...160 {
      for line in Wide.help(width: width).split(separator: "\n") {
        #expect(line.count <= max(30, width))
        #expect(line.last != " ")
      }
    }
    #expect(NoOptions.help() == "")
  }
}
