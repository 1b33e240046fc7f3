#!/usr/bin/env python3
"""What people do with the page of the program itself, in a real browser: program.py PROGRAM [PATTERN]. Exits with 77 where something is missing.

PAGE_FILES=1 takes the page's files from the tree: the program has those of its last build.

The market stands still but for what a test does to it, or it makes a fixed number of trades; so every expected number is worked out here.
"""
import json
import os
import re
import shutil
import signal
import sys
from decimal import Decimal

sys.dont_write_bytecode = True

from harness import cell, expect, expect_true, first_rows, row, run, skip
from real import Network, Program, Terminal, until

PASSWORD = "four plain words here"
GONE = ["WebSocket", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE"]  # what Chromium says of a server that is not there

HOUSEHOLD = """
sources:
  ticks: { plugin: generator, symbols: 25, interval: 1h, seed: 42 }
processors:
  ranked: { plugin: sorting_feed, inputs: [ticks], by: price, order: descending }
  minutes: { plugin: bars, inputs: [ticks], lengths: [1m, 5m] }
  movers: { plugin: movers, inputs: [ticks], period: day }
  broker:
    plugin: paper_broker
    inputs: [ticks]
    path: "{folder}/people.db"
    accounts: [{ name: terms, deposit: 100000, fees: { per_order: 1 } }]
    newcomers: terms  # who signs up trades without being helped
sinks:
  web:
    plugin: dashboard
    inputs: [ranked, minutes, movers, alerts, connections, broker.accounts, broker.positions, broker.orders, broker.fills]
    listen: 127.0.0.1:{port}
    accounts: open
    file: "{folder}/people.db"
  alerts:
    plugin: notification_dispatcher
    inputs: [ticks]
    rules: [{ name: 5% in a minute, rises_by: 5%, window: 1m }]
    channels: [{ console: {} }]
  kept: { plugin: history, inputs: [minutes], path: "{folder}/history.db" }
  trades: { plugin: recorder, inputs: [ticks], path: "{folder}/trades.jsonl", flush: 10ms }
"""

ONE_MACHINE = """
sources:
  ticks: { plugin: generator, symbols: 25, interval: 1h, seed: 42 }
processors:
  ranked: { plugin: sorting_feed, inputs: [ticks], by: price, order: descending }
  broker: { plugin: paper_broker, inputs: [ticks], accounts: [{ name: mine }] }
sinks:
  web: { plugin: dashboard, inputs: [ranked, alerts, connections, broker.accounts], listen: 127.0.0.1:{port}, file: "{folder}/people.db" }
  screen: { plugin: console_viewer, inputs: [ranked, connections], flash: 20s, calm: 0s }
  trades: { plugin: recorder, inputs: [ticks], path: "{folder}/trades.jsonl", flush: 10ms }
  alerts:
    plugin: notification_dispatcher
    inputs: [ticks]
    rules: [{ name: above 90, symbol: AAPL, crosses_above: 90 }]
    channels: [{ file: { path: "{folder}/alerts.txt" } }]
"""

# As many trades in as many seconds whenever it runs; the other source keeps the run going when they have all been made.
RATE, CUT = 400, 10
TRADES = RATE * (CUT + 10)
BUSY = """
sources:
  ticks: { plugin: generator, symbols: 25, rate: %d/s, count: %d, seed: 42 }
  still: { plugin: generator, symbols: [STILL], interval: 1h, seed: 1 }
processors:
  ranked: { plugin: sorting_feed, inputs: [ticks, still], by: price, order: descending }
  broker: { plugin: paper_broker, inputs: [ticks], accounts: [{ name: mine }] }
sinks:
  web: { plugin: dashboard, inputs: [ranked, connections, broker.accounts], listen: 127.0.0.1:{port}, file: "{folder}/people.db" }
  trades: { plugin: recorder, inputs: [ticks], path: "{folder}/trades.jsonl", flush: 10ms }
""" % (RATE, TRADES)


# Prices of which half have a value beside them, and one column with a name that every table has.
MARKED = """
sources:
  ticks: { plugin: generator, symbols: 6, interval: 1h, seed: 42 }
processors:
  marked:
    plugin: derive
    inputs: [ticks]
    columns: { twice: price * 2, part: "price / 3", cheap: price < 100, bid: price - 1 }
sinks:
  web: { plugin: dashboard, inputs: [marked], listen: 127.0.0.1:{port}, file: "{folder}/people.db" }
  trades: { plugin: recorder, inputs: [ticks], path: "{folder}/trades.jsonl", flush: 10ms }
"""
OTHERS = MARKED.replace("twice: price * 2, ", "")


# A run that has just begun, with ten minutes that it has made up.
YOUNG = """
sources:
  ticks: { plugin: generator, symbols: 3, interval: 2s, past: 10m, seed: 42 }
processors:
  ranked: { plugin: sorting_feed, inputs: [ticks], by: price, order: descending }
  broker: { plugin: paper_broker, inputs: [ticks], path: "{folder}/book.db", accounts: [{ name: mine }] }
sinks:
  web: { plugin: dashboard, inputs: [ranked, broker.accounts, broker.fills], listen: 127.0.0.1:{port}, file: "{folder}/people.db" }
"""


def with_run(config, kind=Program):
    def mark(test):
        test.config, test.kind = config, kind
        return test

    return mark


def last(program, symbol):
    """The last price of a symbol, as the run itself has recorded it."""
    return [record["price"] for record in program.records("trades.jsonl") if record["symbol"] == symbol][-1]


def fill_door(page, name, action):
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name=action).click()


def log_in(browser, name, path="/", **options):
    page = browser.page(path, **options)
    fill_door(page, name, "Log in")
    expect(page.get_by_role("link", name=name)).to_be_visible()
    return page


def shown(value, sign=False):
    """Money as the page writes it: two decimals, commas, and a sign where it is a gain."""
    text = f"{abs(value):,.2f}"
    return (("+" if value > 0 else "−" if value < 0 else "") if sign else "−" if value < 0 else "") + text


def figure(page, name):
    return page.locator(".sums > div").filter(has=page.locator("dt", has_text=re.compile(f"^{name}$"))).locator("dd")


def test_a_newcomer_signs_up_trades_and_sees_what_it_earns(browser, program):
    program.account("carla", PASSWORD, "trade", "control")
    carla = log_in(browser, "carla", "/symbol/AAPL")
    page = browser.page("/signup")
    fill_door(page, "grace", "Sign up")
    expect(page.get_by_role("link", name="grace")).to_be_visible()
    page.get_by_role("link", name="grace").click()
    page.get_by_role("button", name="Log out", exact=True).click()
    expect(page).to_have_url(program.url + "/login")
    fill_door(page, "grace", "Log in")
    expect(page.get_by_role("link", name="grace")).to_be_visible()

    page.get_by_role("link", name="Prices", exact=True).click()
    row(page, "AAPL").dblclick()
    expect(page).to_have_url(program.url + "/symbol/AAPL")
    price = Decimal(last(program, "AAPL"))
    expect(page.locator(".lead-price")).to_have_text(str(price))
    ticket = page.locator("form.ticket").last
    ticket.get_by_label("Quantity").fill("10")
    expect(ticket.locator(".preview")).to_contain_text(f"at {price}")
    expect(ticket.locator(".preview")).to_contain_text("once filled: position 10")
    ticket.get_by_role("button", name="Buy 10 AAPL").click()
    expect(page.locator(".toast")).to_be_visible()
    # Without quotes an order at the market gets the price of the next trade.
    program.tell("ticks set AAPL 90.07")
    page.get_by_role("link", name="Portfolio").click()
    positions = page.get_by_role("table", name="Positions")
    line = positions.get_by_role("row").filter(has_text="AAPL")
    bought, fee, deposit = Decimal("90.07"), Decimal(1), Decimal(100_000)
    fills = page.get_by_role("table", name="Fills")
    expect(fills.get_by_role("row").filter(has_text="AAPL")).to_contain_text(str(bought))
    expect(figure(page, "Cash")).to_have_text(shown(deposit - 10 * bought - fee))

    # Carla raises the price; grace's earnings follow, to the cent.
    for step in range(1, 4):
        carla.get_by_role("button", name="raise", exact=True).click()
        now = bought + 10 * step
        expect(carla.locator(".lead-price")).to_have_text(str(now))
        expect(line).to_contain_text(str(now))
        expect(line).to_contain_text(shown(10 * now))
        expect(line).to_contain_text(shown(10 * (now - bought), sign=True))
        expect(figure(page, "Unrealised")).to_have_text(re.compile(re.escape(shown(10 * (now - bought), sign=True))))
        expect(figure(page, "Equity")).to_contain_text(shown(deposit - fee + 10 * (now - bought)))
    program.tell("ticks set AAPL 77.77")
    loss = 10 * (Decimal("77.77") - bought)
    expect(figure(page, "Unrealised")).to_have_text(re.compile(re.escape(shown(loss, sign=True))))
    expect(figure(page, "Equity")).to_contain_text(shown(deposit - fee + loss))
    # It is nobody else's.
    carla.get_by_role("link", name="Portfolio").click()
    expect(figure(carla, "Equity")).to_contain_text(shown(deposit))
    expect(carla.get_by_text("No positions.")).to_be_visible()


def test_the_ticket_shows_value_fee_and_cash_as_the_broker_has_them(browser, program):
    program.account("grace", PASSWORD, "trade")
    page = log_in(browser, "grace", "/symbol/AAPL")
    ticket = page.locator("form.ticket").last
    preview = ticket.locator(".preview")

    def costs(value, cash):
        """The three lines; the sentence above them does not repeat their figures."""
        expect(preview.locator("span")).to_have_text(["Value", "Fee", "Cash after"])
        expect(preview.locator("b")).to_have_text([shown(value), shown(Decimal(1)), shown(cash)])
        expect(preview.locator("p")).not_to_contain_text(f"{value:.2f}")

    deposit, price = Decimal(100_000), Decimal(last(program, "AAPL"))
    ticket.get_by_label("Quantity").fill("10")
    costs(10 * price, deposit - 10 * price - 1)
    ticket.get_by_label("Type").select_option("limit")
    ticket.get_by_label("Limit").fill("77.77")
    costs(10 * Decimal("77.77"), deposit - 10 * Decimal("77.77") - 1)
    expect(preview.locator("p")).to_contain_text("buying power 99221.30")
    # Too much for the account: what it would take is shown, and the button stays shut.
    ticket.get_by_label("Quantity").fill("2000")
    costs(2000 * Decimal("77.77"), deposit - 2000 * Decimal("77.77") - 1)
    expect(preview.locator("p")).to_contain_text("it would be rejected: the buying power is not sufficient")
    expect(ticket.get_by_role("button", name="Buy 2000 AAPL")).to_be_disabled()
    # The account has after the fill what the ticket said before it.
    ticket.get_by_label("Type").select_option("market")
    ticket.get_by_label("Quantity").fill("10")
    costs(10 * price, deposit - 10 * price - 1)
    ticket.get_by_role("button", name="Buy 10 AAPL").click()
    expect(page.locator(".toast")).to_be_visible()
    program.tell(f"ticks set AAPL {price}")
    page.get_by_role("link", name="Portfolio").click()
    expect(figure(page, "Cash")).to_have_text(shown(deposit - 10 * price - 1))


@with_run(ONE_MACHINE, Terminal)
def test_two_browsers_and_a_terminal_show_the_same(browser, program):
    one, other = browser.page("/symbol/AAPL"), browser.page()
    price = Decimal(last(program, "AAPL"))
    expect(one.locator(".lead-price")).to_have_text(str(price))
    expect(cell(other, "AAPL", "price")).to_contain_text(str(price))
    until(lambda: str(price) in program.screen(), f"{price} on the terminal")

    one.get_by_role("button", name="raise", exact=True).click()
    raised = price + 10
    expect(one.locator(".lead-price")).to_have_text(str(raised))
    for page in (one, other):
        expect(cell(page, "AAPL", "price")).to_have_text(f"▲{raised}")
        expect(row(page, "AAPL").locator(".glow")).to_have_attribute("data-direction", "up")
    until(lambda: re.search(rf"AAPL.* {raised}\b", program.screen()), f"{raised} on the terminal")
    until(lambda: re.search(rf"48;2;31;143;58m[^\n]*{raised}", program.screen("-e")), "the flash of a higher price on the terminal")

    # The other way: a key of the terminal moves both pages.
    program.keys("/", "A", "A", "P", "L", "Enter")
    until(lambda: "filter: AAPL" in program.screen(), "the filtered table of the terminal")
    program.keys("Down", "-")
    expect(cell(other, "AAPL", "price")).to_have_text(f"▼{price}")
    expect(one.locator(".lead-price")).to_have_text(str(price))
    until(lambda: [record["price"] for record in program.records("trades.jsonl") if record["symbol"] == "AAPL"] == [str(price), str(raised), str(price)], "the record of all three")


TOLD = """() => { const told = {}; for (const row of window.stockbus.model.rows.values()) if (row.symbol) told[row.symbol] = [row.updates, String(row.price)]; return told }"""


def totals(records):
    """Of each symbol how many trades there were, and the last price."""
    found = {}
    for record in records:
        count, _ = found.get(record["symbol"], (0, None))
        found[record["symbol"]] = (count + 1, Decimal(record["price"]))
    return found


def told(page):
    return {symbol: (updates, Decimal(price).scaleb(-9)) for symbol, (updates, price) in page.evaluate(TOLD).items() if symbol != "STILL"}


@with_run(BUSY)
def test_after_ten_seconds_without_a_network_nothing_is_missing(browser, program):
    browser.allowed += [*GONE, "net::ERR_"]  # whatever the page asks during the cut
    network, said, heard = Network(program.port), [], []

    def listen(page):
        def socket(opened):
            opened.on("framesent", lambda text: said.append(json.loads(text)) if isinstance(text, str) else None)
            opened.on("framereceived", lambda text: heard.append(json.loads(text)) if isinstance(text, str) else None)

        page.on("websocket", socket)

    page = browser.page(url=network.url, prepare=listen)
    expect(cell(page, "AAPL", "price")).not_to_be_empty()
    until(lambda: program.lines("trades.jsonl") >= 2 * RATE, "trades before the cut")
    network.cut()
    before, cut_at = told(page), program.lines("trades.jsonl")
    expect(page.locator("#state")).to_have_attribute("data-state", "silent")
    expect(page.locator("#state")).to_contain_text(re.compile("silent for [5-9] s"))
    # The run is the clock: so many trades are ten seconds.
    until(lambda: program.lines("trades.jsonl") >= cut_at + CUT * RATE, "ten seconds of trades during the cut")
    during = told(page)
    assert sum(updates for updates, _ in during.values()) < cut_at + RATE, "the network was not cut"
    assert all(during[symbol][0] >= before[symbol][0] for symbol in before)
    frame, epoch = page.evaluate("() => [window.stockbus.model.frame, window.stockbus.model.epoch]")
    network.reset()
    network.mend()
    expect(page.locator("#state")).to_have_attribute("data-state", "live")

    hellos = [message for message in said if message["op"] == "hello"]
    welcomes = [message for message in heard if message["op"] == "welcome"]
    assert hellos[0]["epoch"] is None and hellos[0]["cursor"] == 0
    assert (hellos[-1]["epoch"], hellos[-1]["cursor"]) == (epoch, frame), f"{hellos[-1]} after frame {frame} of {epoch}"
    assert welcomes[-1]["resumed"] is True and welcomes[-1]["epoch"] == epoch

    until(lambda: program.lines("trades.jsonl") == TRADES, "the last trade")
    expect_true(page, "count => [...window.stockbus.model.rows.values()].reduce((sum, row) => sum + (row.symbol === 'STILL' ? 0 : row.updates), 0) >= count", TRADES)
    expected = totals(program.records("trades.jsonl"))
    assert told(page) == expected, f"the page {told(page)}\nthe file {expected}"
    for symbol, (_, price) in expected.items():
        expect(cell(page, symbol, "price")).to_have_text(re.compile(f"^[▲▼]?{price}$"))
    network.close()


@with_run(MARKED)
def test_columns_beside_events_are_columns_of_the_table(browser, program):
    page = browser.page(width=1700)
    price = Decimal(last(program, "AAPL"))
    expect(cell(page, "AAPL", "beside-twice")).to_have_text(shown_figure(price * 2))
    expect(cell(page, "AAPL", "beside-part")).to_have_text(shown_figure(price / 3))
    expect(cell(page, "AAPL", "beside-cheap")).to_have_text("yes" if price < 100 else "no")
    expect(cell(page, "AAPL", "beside-event_bid")).to_have_text(shown_figure(price - 1))
    prices = {symbol: Decimal(last(program, symbol)) for symbol in first_rows(page, 6)}

    page.get_by_role("button", name="twice", exact=True).click()
    expect(page.locator(".heads .beside-twice")).to_have_attribute("aria-sort", "descending")
    until(lambda: first_rows(page, 6) == sorted(prices, key=lambda symbol: -prices[symbol]), "the order by a column")
    page.get_by_label("Filter").fill("twice > " + str(2 * sorted(prices.values())[2]))
    until(lambda: len(first_rows(page, 9)) == 3, "the rows that pass")
    page.get_by_label("Filter").fill("twiec > 1")
    expect(page.locator(".filter-error")).to_contain_text("twice")
    page.get_by_label("Filter").fill("")

    # Chosen, kept, and dropped in silence where a run has it no more.
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("part", exact=True).uncheck()
    expect(page.locator(".heads .beside-part")).to_have_count(0)
    expect(page.locator(".heads .beside-twice")).to_be_visible()
    until(lambda: "beside-twice" in page.evaluate("async () => JSON.stringify(await (await fetch('/api/settings')).json())"), "the settings that are kept")
    row(page, "AAPL").click()
    expect(page.locator("aside .pairs > div").filter(has=page.locator("dt", has_text=re.compile("^part$"))).locator("dd")).to_have_text(shown_figure(price / 3))

    browser.allowed += GONE
    program.stop()
    program.config = OTHERS
    program.start()
    expect(page.locator(".heads .beside-twice")).to_have_count(0)
    expect(page.locator("[aria-sort]")).to_have_count(0)
    expect(cell(page, "AAPL", "beside-event_bid")).to_have_text(shown_figure(price - 1))


def shown_figure(number):
    """A computed number as the page writes it: at most seven digits."""
    text = f"{number:,.{7 - len(str(int(number)))}f}"
    return text.rstrip("0").rstrip(".")


def test_a_deep_link_leads_to_the_door_and_then_to_the_symbol(browser, program):
    program.account("grace", PASSWORD, "trade")
    page = browser.page("/symbol/NVDA")
    expect(page).to_have_url(program.url + "/login")
    fill_door(page, "grace", "Log in")
    expect(page).to_have_url(program.url + "/symbol/NVDA")
    expect(page.locator(".lead-price")).to_have_text(last(program, "NVDA"))
    page.get_by_role("link", name="Movers").click()
    expect(page).to_have_url(program.url + "/movers")
    page.get_by_role("link", name="Portfolio").click()
    expect(figure(page, "Equity")).to_contain_text("100,000.00")
    page.go_back()
    expect(page).to_have_url(program.url + "/movers")
    page.go_back()
    expect(page.get_by_role("heading", name="NVDA")).to_be_visible()
    page.go_forward()
    page.go_forward()
    expect(figure(page, "Equity")).to_contain_text("100,000.00")
    page.reload()
    expect(figure(page, "Equity")).to_contain_text("100,000.00")


def test_themes_by_key_are_kept_with_the_person(browser, program):
    program.account("grace", PASSWORD, "trade")
    page = log_in(browser, "grace", color_scheme="dark")
    expect(cell(page, "AAPL", "price")).not_to_be_empty()
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    until(lambda: page.evaluate("() => fetch('/api/settings').then(answer => answer.json())").get("theme") == "light", "the theme at the program")
    other = log_in(browser, "grace", color_scheme="dark")
    expect(other.locator("html")).to_have_attribute("data-theme", "light")


def test_from_the_door_to_an_order_by_keyboard_alone(browser, program):
    program.account("grace", PASSWORD, "trade")
    page = browser.page("/")
    expect(page).to_have_url(program.url + "/login")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    keys = page.keyboard
    keys.type("grace")
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    expect(page.get_by_role("grid")).to_be_focused()
    expect(cell(page, "TSLA", "price")).not_to_be_empty()
    keys.press("/")
    keys.type("tsla")
    expect(page.locator("#found li").first).to_contain_text("TSLA")
    keys.press("Enter")
    expect(page).to_have_url(program.url + "/symbol/TSLA")
    expect(page.locator(".lead-price")).to_have_text(last(program, "TSLA"))
    keys.press("b")
    ticket = page.locator("form.ticket").last
    expect(ticket.get_by_label("Quantity")).to_be_focused()
    keys.type("7")
    expect(ticket.get_by_role("button", name="Buy 7 TSLA")).to_be_enabled()
    keys.press("Enter")
    expect(page.locator(".toast")).to_be_visible()
    program.tell(f"ticks set TSLA {last(program, 'TSLA')}")
    keys.press("Escape")
    keys.press("5")
    expect(page.get_by_role("table", name="Positions").get_by_role("row").filter(has_text="TSLA")).to_contain_text("7")


def test_a_phone_of_360_pixels(browser, program):
    program.account("grace", PASSWORD, "trade")
    page = log_in(browser, "grace", width=360, height=740, has_touch=True, is_mobile=True)
    for path, sign in (("/", ".rows .price"), ("/symbol/AAPL", ".lead-price"), ("/movers", ".list td"), ("/portfolio", ".sums dd"), ("/graph", ".node-name"), ("/account", "h1")):
        page.goto(program.url + path)
        expect(page.locator(sign).first).not_to_be_empty()
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 360, f"{path} is {wide} pixels wide"
    page.goto(program.url + "/")
    expect(cell(page, "GOOGL", "price")).not_to_be_empty()
    first = row(page, first_rows(page, 1)[0])
    symbol = first.locator(".symbol").inner_text()
    first.tap()
    expect(page).to_have_url(program.url + "/symbol/" + symbol)
    ticket = page.locator("form.ticket").last
    ticket.get_by_label("Quantity").fill("3")
    expect(ticket).to_contain_text("once filled: position 3")  # the estimate is there, so the button stays where it is
    ticket.get_by_role("button", name=f"Buy 3 {symbol}").tap()
    expect(page.locator(".toast")).to_be_visible()


def test_a_page_outlives_the_run(browser, program):
    browser.allowed += [*GONE, "orders/preview"]  # asked while the run ends
    program.account("grace", PASSWORD, "trade")
    page = log_in(browser, "grace")
    expect(cell(page, "AAPL", "price")).to_contain_text(last(program, "AAPL"))
    epoch = page.evaluate("() => window.stockbus.model.epoch")
    program.stop()
    expect(page.locator("#state")).to_have_attribute("data-state", "lost")
    expect(page.locator("#state")).to_have_text(re.compile(r"^the run is over, looking again in \d+ s$"))
    expect(cell(page, "AAPL", "price")).to_contain_text(last(program, "AAPL"))  # what was shown stays

    port = program.port
    program.start()
    assert program.port == port
    expect(page.locator("#state")).to_have_attribute("data-state", "live")
    expect_true(page, "before => window.stockbus.model.epoch !== before", epoch)
    program.tell("ticks set AAPL 123.45")
    expect(cell(page, "AAPL", "price")).to_have_text(re.compile("123.45$"))
    expect(page.locator("form.ticket .preview")).to_contain_text("once filled")
    # The session has outlived the run: nobody is asked for a password.
    expect(page.get_by_role("link", name="grace")).to_be_visible()
    page.reload()
    expect(cell(page, "AAPL", "price")).to_contain_text("123.45")
    page.get_by_role("link", name="Portfolio").click()
    expect(figure(page, "Equity")).to_contain_text("100,000.00")


@with_run(YOUNG)
def test_a_young_run_is_shown_with_what_it_has(browser, program):
    page = browser.page("/symbol/AAPL")
    expect(page.locator("#pages a:visible")).to_have_text(["Prices", "Watchlists", "Portfolio", "Graph"])
    expect(page.locator(".rule-form")).to_be_hidden()
    page.get_by_role("link", name="Prices", exact=True).click()
    expect(cell(page, "AAPL", "trend").locator("path")).to_have_attribute("d", re.compile(r"^M[^L]*(L[^L]*){50,}$"))
    expect_true(page, "() => document.querySelector('.side price-chart').series?.bars.length >= 100")
    expect(page.locator(".heads .cell")).to_have_text(["#", "Symbol", "Price", "Change", "%", "Trend", "Volume"])


@with_run(YOUNG)
def test_a_file_that_cannot_be_read_again_is_said_on_the_page_until_it_can(browser, program):
    page = browser.page()
    problem = page.locator("#problem")
    expect(cell(page, "AAPL", "price")).not_to_be_empty()
    expect(problem).to_be_hidden()
    good = program.config
    program.config = good.replace("sorting_feed", "sorting_fed")
    program.write()
    program.run.send_signal(signal.SIGHUP)
    expect(problem).to_have_text(re.compile("^the configuration was not reloaded: .*unknown plugin 'sorting_fed'"))
    program.config = good
    program.write()
    program.run.send_signal(signal.SIGHUP)
    expect(problem).to_be_hidden()


@with_run(YOUNG)
def test_what_was_bought_is_said_and_listed_also_after_the_next_start(browser, program):
    browser.allowed += [*GONE, "orders/preview", "503"]
    page = browser.page("/symbol/AAPL")
    ticket = page.locator("form.ticket").last
    ticket.get_by_label("Quantity").fill("25")
    expect(ticket).to_contain_text("once filled: position 25")  # the estimate is there, so the button stays where it is
    page.get_by_role("button", name="Buy 25 AAPL").click()
    bought = page.locator(".toast", has_text=re.compile(r"Bought 25 AAPL at \d+\.\d\d"))
    expect(bought).to_be_visible()
    price = re.search(r"at ([\d.]+\d)", bought.text_content())[1]
    program.stop()
    program.start()
    page.goto(program.url + "/portfolio")
    expect(page.get_by_role("table", name="Fills").get_by_role("row").filter(has_text="AAPL")).to_contain_text(price)


def main():
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK):
        skip(f"there is no program at {sys.argv[1] if len(sys.argv) > 1 else 'PROGRAM'}; swift build --product stockbus")
    path = os.path.abspath(sys.argv[1])
    tests = [value for name, value in list(globals().items()) if name.startswith("test_")]
    if not shutil.which("tmux"):
        print("SKIPPED: what needs a terminal: there is no tmux")
        tests = [test for test in tests if getattr(test, "kind", Program) is not Terminal]
    run(tests, sys.argv[2] if len(sys.argv) > 2 else None, serve=lambda test: getattr(test, "kind", Program)(path, getattr(test, "config", HOUSEHOLD)).start())


if __name__ == "__main__":
    main()
