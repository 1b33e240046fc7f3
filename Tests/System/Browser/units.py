#!/usr/bin/env python3
"""The page's arithmetic and its reader of frames, in a real browser, against slow and obvious versions in Python on seeded random input."""
import random
import re
import sys

sys.dont_write_bytecode = True

from decimal import ROUND_HALF_EVEN, Decimal, localcontext  # noqa: E402
from fractions import Fraction  # noqa: E402

import frames  # noqa: E402
from harness import run  # noqa: E402
from market import ONE, Market  # noqa: E402

BIG = 2**63 - 1
# Numbers of the page go in and out as texts: JSON has no BigInt.
NARROW = "const narrow = text => { const value = BigInt(text); return value <= 9007199254740991n && value >= -9007199254740991n ? Number(value) : value };"


def ask(page, module, body, argument):
    return page.evaluate("async argument => { const it = await import('/page/%s'); %s %s }" % (module, NARROW, body), argument)


def numbers(chance, count):
    edges = [0, 1, -1, ONE, ONE - 1, -ONE, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, BIG, -BIG, 9_007_199_254740993, 999_999_999_999, 10**15 + 1]
    return edges + [chance.choice([-1, 1]) * chance.randrange(10 ** chance.randrange(1, 19)) for _ in range(count)]


def plain(value, decimals, places=9):
    """The decimal text, with at least so many decimals and no digit lost."""
    size = abs(value)
    part = str(size % 10**places).zfill(places)
    part = part[:decimals] + part[decimals:].rstrip("0")
    return ("\u2212" if value < 0 else "") + f"{size // 10**places:,}" + ("." + part if part else "")


def test_decimals_lose_no_digit(browser, standin):
    page, chance = browser.page(), random.Random(1)
    cases = [(str(number), chance.randrange(10)) for number in numbers(chance, 3000)]
    told = ask(page, "decimal.js", "return argument.map(([text, decimals]) => it.decimal(narrow(text), decimals))", cases)
    for (number, decimals), text in zip(cases, told):
        assert text == plain(int(number), decimals), (number, decimals, text)


def test_texts_are_read_as_they_were_written(browser, standin):
    page, chance = browser.page(), random.Random(2)
    values = [str(number) for number in numbers(chance, 2000)]
    told = ask(page, "decimal.js", "return argument.map(text => String(it.units(it.decimal(narrow(text), 0))))", values)
    assert told == values
    bad = ["", ".", "-", "1e3", "0x1", "1.2.3", "1,2x", "0.0000000001", "--1", "NaN", "Infinity", " "]
    assert ask(page, "decimal.js", "return argument.map(text => it.units(text))", bad) == [None] * len(bad)


def test_computed_numbers_have_seven_digits(browser, standin):
    page, chance = browser.page(), random.Random(10)
    values = numbers(chance, 3000)
    told = ask(page, "decimal.js", "return argument.map(text => it.figure(narrow(text)))", [str(value) for value in values])
    for value, text in zip(values, told):
        places = max(0, 7 - len(str(abs(value) // ONE)))
        step = 10 ** (9 - places)
        rounded = (abs(value) + step // 2) // step * step * (1 if value > 0 else -1)
        assert text == plain(rounded or value, 0), (value, text)


def test_a_duration_has_its_unit(browser, standin):
    cases = {"0": "0 µs", "850999": "850 µs", "1250000": "1.2 ms", "12999999": "12 ms", "-3000000000": "\u22123 s", "600000000000": "10 min", str(2**62): "53375 d"}
    assert ask(browser.page(), "time.js", "return argument.map(text => it.lasting(narrow(text)))", list(cases)) == list(cases.values())


def test_what_nobody_would_see_has_a_sign(browser, standin):
    page = browser.page()
    hidden = ["AAPL\u202e", "AA\u200bPL", "\ufeffAAPL", "AAPL\u200d", "AAPL\ufe0f", "AAPL\u2060", "AA\u00adPL", "A\u3164", "A\u0007"]
    seen = ["AAPL", "Z\u00fcrich \u20ac", "\u6771\u4eac", "\u0645\u06cc\u200c\u062e", "\U0001f469\u200d\U0001f680", "\u2764\ufe0f"]
    told = ask(page, "dom.js", "return argument.map(text => it.plain(text))", hidden + seen)
    assert all("\ufffd" in text for text in told[:len(hidden)]), told
    assert told[len(hidden):] == seen


def test_money_is_rounded_half_to_even(browser, standin):
    page, chance = browser.page(), random.Random(3)
    cent = 10**16
    values = [half * cent // 2 for half in range(-20, 20)] + [chance.choice([-1, 1]) * chance.randrange(10 ** chance.randrange(17, 30)) for _ in range(2000)]
    values = [value for value in values if value == 0 or abs(value) >= cent]
    told = ask(page, "decimal.js", "return argument.map(text => it.money(BigInt(text)))", [str(value) for value in values])
    for value, text in zip(values, told):
        with localcontext() as context:
            context.prec = 60
            rounded = Decimal(value).scaleb(-18).quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN)
        assert text.replace("\u2212", "-") == f"{rounded:,}", (value, text, rounded)
    assert ask(page, "decimal.js", "return it.money(1n)", None) == "0.000000000000000001"


def test_prices_of_records_have_at_least_two_decimals(browser, standin):
    cases = {"92.3": "92.30", "92": "92.00", "1234.5": "1,234.50", "0.00001234": "0.00001234", "-3.1": "\u22123.10"}
    assert ask(browser.page(), "decimal.js", "return argument.map(it.recorded)", list(cases)) == list(cases.values())


def test_a_column_that_folds_is_there_once_a_cell_has_something(browser, standin):
    shown = ask(browser.page(), "dom.js", """
      const columns = [{ head: 'Price', cell: record => record.price }, { head: 'Side', folds: true, cell: record => record.side }]
      const table = new it.RecordTable({ label: 'T', key: record => record.key, columns })
      const cells = () => [...table.element.querySelectorAll('th, td')].filter(cell => !cell.hidden).map(cell => cell.textContent)
      return [[['1', '']], [['1', ''], ['2', 'buy']], [['1', '']]].map(records => {
        table.show(records.map(([price, side], key) => ({ key, price, side })))
        return cells() })""", None)
    assert shown == [["Price", "1"], ["Price", "Side", "1", "", "2", "buy"], ["Price", "1"]], shown


def test_the_axis_of_the_equity_has_dates(browser, standin):
    page = browser.page()
    written = ask(page, "equity.js", """
      const { setZone } = await import('/page/time.js')
      setZone('UTC')
      const chart = new it.EquityChart(), texts = []
      chart.element.querySelector('canvas').getContext('2d').fillText = text => texts.push(text)
      document.querySelector('main').replaceChildren(chart.element)
      await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
      const told = ends => { chart.clear(); texts.length = 0; chart.begin(ends.map(end => [Date.parse(end), 1n])); return texts.slice(-2) }
      return [told(['2026-11-26T23:50Z', '2026-11-27T00:10Z']), told(['2026-11-27T07:09Z', '2026-11-27T08:10Z'])]""", None)
    assert written == [["26 Nov 23:50", "27 Nov 00:10"], ["27 Nov 07:09", "08:10"]], written


def test_what_was_bought_today_gains_from_what_it_cost_and_the_rest_from_the_close(browser, standin):
    """The price is 200, on the evening of 8 Oct in New York, where it is the 9th in UTC; the close before was 180."""
    today, later, yesterday = "2013-10-08T14:00Z", "2013-10-09T00:10Z", "2013-10-07T19:00Z"
    held = [("buy", "10", "150", yesterday)]
    bought = held + [("buy", "5", "195", today)]
    cases = [
        ("10", held, 200),                                                  # 10 * (200 - 180)
        ("15", bought, 225),                                                # 10 * 20 + 5 * (200 - 195)
        ("12", bought + [("sell", "3", "198", later)], 165),                # the oldest were sold: 7 * 20 + 5 * 5
        ("4", bought + [("sell", "11", "198", later)], 20),                 # 4 * 5
        ("15", held + [("buy", "3", "195", today), ("buy", "2", "201", later)], 213),  # 10 * 20 + 3 * 5 - 2 * 1
        ("4", held + [("sell", "10", "170", today), ("buy", "1", "190", today), ("buy", "3", "199", later)], 13),  # 10 + 3
        ("-3", [("sell", "3", "210", today)], 30),                          # 3 * (210 - 200)
        ("-3", [("sell", "3", "150", yesterday)], -60),                     # 3 * (180 - 200)
        ("5", [("buy", "5", "195", today)], 25),
    ]
    gains = ask(browser.page(), "portfolio.js", """
      const { setZone } = await import('/page/time.js')
      setZone('UTC', 'America/New_York')
      return argument.flatMap(([quantity, fills]) => [20e9, null].map(change => {
        const row = { price: 200e9, change, time: Date.parse('2013-10-09T00:30Z') }
        const list = fills.map(([side, quantity, price, time]) => ({ symbol: 'A', side, quantity, price, time: Date.parse(time) }))
        list.push({ symbol: 'B', side: 'buy', quantity: '99', price: '1', time: row.time })
        const position = { symbol: 'A', quantity }
        const gain = it.gainToday(position, row, it.madeToday(position, row, list))
        return gain === null ? null : String(gain) }))""", [case[:2] for case in cases])
    # Without a close there is no figure, unless all was bought today.
    expected = [each for quantity, fills, gain in cases for each in (str(gain * 10**18), str(gain * 10**18) if gain in (20, 13, 30, 25) else None)]
    assert gains == expected, (gains, expected)


def test_per_cent_is_rounded_half_away_from_zero(browser, standin):
    page, chance = browser.page(), random.Random(4)
    pairs = [(8 * ONE, 8 * ONE + ONE // 100), (8 * ONE, 8 * ONE - ONE // 100), (200 * ONE, 201 * ONE), (BIG, BIG - 1), (1, BIG // 10**6), (0, 5), (40_000, 40_001), (80_000, 80_003)]
    pairs += [(chance.randrange(1, 10 ** chance.randrange(2, 19)), chance.randrange(1, 10**12)) for _ in range(100)]
    for _ in range(1000):
        base = chance.randrange(1, 10**14)
        pairs.append((base, max(0, base + chance.randrange(-base // 10 - 1, base // 10 + 1))))
    told = ask(page, "decimal.js", "return argument.map(([a, b]) => it.percent(it.change(narrow(a), narrow(b))))", [(str(a), str(b)) for a, b in pairs])
    for (a, b), text in zip(pairs, told):
        if a == 0:
            assert text == "–"
            continue
        exact = Fraction(b - a, a) * 10000
        size = int(abs(exact) + Fraction(1, 2))
        if size > 2**50:
            continue  # far beyond what two decimals of a double can say
        sign = "" if size == 0 else "+" if b > a else "\u2212"
        assert text == f"{sign}{size // 100:,}.{size % 100:02}%", (a, b, text, float(exact))


class Told:
    """What a frame says, as the page's reader hands it on."""

    SCRIPT = """
      const rows = new Map(), panes = []
      const into = {
        row: number => { if (!rows.has(number)) rows.set(number, { number, symbol: '', name: '', price: null, reference: null, volume: null, bid: null, ask: null, low: null,
          high: null, rank: 0, decimals: 2, sizeDecimals: 0, marks: 0, updates: 0, time: null }); return rows.get(number) },
        filled: () => {}, pane: pane => panes.push(pane),
      }
      const text = value => Array.isArray(value) ? value.map(text) : typeof value === 'bigint' || typeof value === 'number' ? String(value) : value
      const decode = bytes => { rows.clear(); panes.length = 0; const head = it.decodeFrame(new Uint8Array(bytes).buffer, into)
        return { head, panes: [...panes], rows: [...rows.values()].map(row => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, text(value)]))) } }
    """


def made(chance, market):
    """A frame of random panes, with all fields of each row."""
    panes, seen = [], {}
    time = market.now // 10**6 + chance.randrange(5000)
    for index in range(chance.randrange(4)):
        order = chance.sample(market.instruments, chance.randrange(30))
        first = chance.randrange(10**5)
        panes.append((index, len(order) + first, first, order if chance.random() < 0.8 else None, [(each, 255) for each in order]))
        seen.update((each.number, each) for each in order)
    number = chance.randrange(2**32)
    columns = market.columns and (lambda each: each.columns)
    data = [frames.pane(*pane, time, columns) for pane in panes]
    return frames.frame(number, time, data, chance.random() < 0.5, bool(columns)), number, time, panes, seen


def shaken(chance):
    market = Market(300, seed=chance.randrange(10**6))
    for each in market.instruments:
        if chance.random() < 0.3:
            each.decimals = 9
            each.price, each.low, each.high = chance.randrange(1, BIG), chance.randrange(1, BIG), chance.randrange(1, BIG)
            each.reference, each.bid, each.ask = chance.randrange(1, BIG), chance.choice([0, 1, BIG]), chance.randrange(1, BIG)
        each.marks, each.updates, each.rank = chance.randrange(4), chance.randrange(2**40), chance.randrange(2**20)
        each.name = chance.choice(["", "Ωmega – “quoted”", each.name])
    market.columns = chance.choice([0, 1, 5, 64])
    for each in market.instruments:
        each.columns = chance.choice([[], [chance.choice([None, 0, 1, -1, BIG, -BIG, 2**52, -(2**53), chance.randrange(10**9)]) for _ in range(market.columns)]])
    return market


def test_frames_are_read_as_they_were_made(browser, standin):
    page, chance = browser.page(), random.Random(5)
    for _ in range(40):
        data, number, time, panes, seen = made(chance, shaken(chance))
        told = ask(page, "frame.js", Told.SCRIPT + "return decode(argument)", list(data))
        assert told["head"]["frame"] == number and told["head"]["time"] == time
        assert [(pane["pane"], pane["total"], pane["from"], pane["order"]) for pane in told["panes"]] == [
            (index, total, first, order and [each.number for each in order] if order is None or order else []) for index, total, first, order, _ in panes]
        assert len(told["rows"]) == len(seen)
        for row in told["rows"]:
            each = seen[int(row["number"])]
            known = lambda value: str(value) if value else None  # noqa: E731
            assert (row["symbol"], row["name"]) == (each.symbol, each.name)
            assert [row[key] for key in ("price", "reference", "volume", "low", "high")] == [str(value) for value in (each.price, each.reference, each.volume, each.low, each.high)]
            assert [row["bid"], row["ask"]] == [known(each.bid), known(each.ask)]
            assert row.get("beside", []) == [None if value is None else str(value) for value in each.columns]
            assert [row[key] for key in ("rank", "decimals", "marks", "updates", "time")] == [str(value) for value in (each.rank, each.decimals, each.marks, each.updates, each.time // 10**6)]


def test_a_cut_or_changed_frame_is_refused_or_read_and_nothing_else(browser, standin):
    page, chance = browser.page(), random.Random(6)
    market = shaken(chance)
    while True:
        data, *_ = made(chance, market)
        if 500 < len(data) < 3000:
            break
    cuts = ask(page, "frame.js", Told.SCRIPT + """
      const kinds = new Set()
      for (let length = 0; length < argument.length; length++) try { decode(argument.slice(0, length)); kinds.add('read') } catch (error) { kinds.add(error.constructor.name) }
      return [...kinds].sort()""", list(data))
    assert set(cuts) <= {"RangeError", "TypeError"}, cuts
    kinds = ask(page, "frame.js", Told.SCRIPT + """
      let seed = 7
      const random = below => (seed = (seed * 1103515245 + 12345) % 2147483648) % below
      const kinds = new Set()
      for (let turn = 0; turn < 20000; turn++) {
        const bytes = argument.slice()
        for (let change = 1 + random(3); change > 0; change--) bytes[random(bytes.length)] = random(256)
        try { decode(bytes); kinds.add('read') } catch (error) { kinds.add(error.constructor.name) }
      }
      return [...kinds].sort()""", list(data))
    assert set(kinds) <= {"RangeError", "TypeError", "read"}, kinds


def test_bars_have_the_volume_that_came_since(browser, standin):
    page = browser.page()
    bars, begun = ask(page, "bars.js", """
      const series = new it.BarSeries('A', it.spans.find(span => span.key === '1h'))
      series.bars = [{ start: 0, open: 1, high: 1, low: 1, close: 1, volume: 5 }]
      const begun = [[2, 30e3, 100], [3, 40e3, 130], [4, 61e3, 150], [4, 62e3, 160]].map(told => series.price(...told))
      return [series.bars.map(bar => [bar.start, bar.close, bar.volume]), begun]""", None)
    # What had been traded before the page looked is in the bar already: 5 and 30, then 20 and 10.
    assert bars == [[0, 3, 35], [60000, 4, 30]] and begun == [False, False, True, False], (bars, begun)
    # Where the server has none, the first price begins one; before the server has said so, none.
    first = ask(page, "bars.js", """
      const series = new it.BarSeries('A', it.spans.find(span => span.key === '1h'))
      series.price(2, 61e3, 100)
      const before = series.bars.length
      series.loaded = true
      series.price(3, 62e3, 130)
      return [before, series.bars.map(bar => [bar.start, bar.open, bar.volume])]""", None)
    assert first == [0, [[60000, 3, 0]]], first


def test_levels_are_round_and_cover_the_range(browser, standin):
    page, chance = browser.page(), random.Random(8)
    cases = []
    for _ in range(500):
        low = chance.randrange(10 ** chance.randrange(3, 15))
        cases.append((low, low + chance.randrange(1, 10 ** chance.randrange(2, 15)), chance.randrange(3, 12)))
    told = ask(page, "scale.js", "return argument.map(([low, high, most]) => { const { list, decimals } = it.levels(low, high, most); return [list.map(String), decimals] })", cases)
    for (low, high, most), (texts, decimals) in zip(cases, told):
        levels = [int(text) for text in texts]
        assert all(low <= level <= high for level in levels) and len(levels) <= most + 1
        steps = {b - a for a, b in zip(levels, levels[1:])}
        assert len(steps) <= 1 and all(re.fullmatch("[125]0*", str(step)) for step in steps)
        assert all(level % 10 ** (9 - decimals) == 0 for level in levels)


def test_the_graph_goes_from_left_to_right(browser, standin):
    page, chance = browser.page(), random.Random(9)
    for _ in range(50):
        nodes = [f"n{index}" for index in range(chance.randrange(1, 12))]
        edges = [{"from": nodes[a], "to": nodes[b]} for a in range(len(nodes)) for b in range(a + 1, len(nodes)) if chance.random() < 0.3]
        told = ask(page, "layout.js", "const { places, layers, rows } = it.layOut(argument.nodes, argument.edges); return { places: Object.fromEntries(places), layers, rows }", {"nodes": nodes, "edges": edges})
        places = told["places"]
        assert all(places[edge["from"]]["layer"] < places[edge["to"]]["layer"] for edge in edges)
        assert len({(place["layer"], place["row"]) for place in places.values()}) == len(nodes)
        assert all(0 <= place["row"] <= told["rows"] - 1 and place["layer"] < told["layers"] for place in places.values())


if __name__ == "__main__":
    run([value for name, value in list(globals().items()) if name.startswith("test_")], sys.argv[1] if len(sys.argv) > 1 else None, symbols=100)
