#!/usr/bin/env python3
"""What people do with the page, in a real browser against the stand-in: journeys.py [PATTERN]. Exits with 77 where there is no browser."""
import re
import sys

sys.dont_write_bytecode = True

import frames
from harness import cell, expect, expect_rows, expect_true, first_rows, row, run, with_standin
from market import ONE, text, units


def test_shows_prices_in_the_order_of_ranks(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", "2001")
    expect(page.locator(".count")).to_have_text("2,000 rows")
    ranks = [each.symbol for each in sorted(standin.market.instruments, key=lambda each: each.rank)][:20]
    expect_rows(page, ranks)
    expect(page).to_have_title("Prices – stockbus")


def test_a_new_price_is_shown_with_arrow_and_flash(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    standin.set("AAPL", "186.50")
    expect(cell(page, "AAPL", "price")).to_have_text("▲186.50")
    expect(row(page, "AAPL").locator(".glow")).to_have_attribute("data-direction", "up")
    standin.set("AAPL", "186.41")
    expect(cell(page, "AAPL", "price")).to_have_text("▼186.41")
    expect(row(page, "AAPL").locator(".glow")).to_have_attribute("data-direction", "down")


def test_no_digit_is_lost(browser, standin):
    page = browser.page()
    page.keyboard.press("f")
    page.keyboard.type("number")
    expect_rows(page, ["BIG", "TINY"])
    expect(cell(page, "BIG", "price")).to_have_text("9,007,199.254740993")
    expect(cell(page, "TINY", "price")).to_have_text("0.000000001")
    standin.set("BIG", "9007199.254740994")
    expect(cell(page, "BIG", "price")).to_have_text("▲9,007,199.254740994")
    expect(cell(page, "BIG", "change")).to_have_text("+0.000000001")
    standin.set("BIG", "9223372036.854775807")  # the greatest price there is
    expect(cell(page, "BIG", "price")).to_have_text("▲9,223,372,036.854775807")
    for symbol in ("BIG", "TINY"):
        price = cell(page, symbol, "price")
        assert price.evaluate("cell => cell.scrollWidth <= cell.clientWidth"), f"the price of {symbol} is cut off"


def test_sorts_by_a_head_turns_and_lets_go(browser, standin):
    page = browser.page()
    head = page.get_by_role("columnheader", name="Price")
    head.get_by_role("button").click()
    down = [each.symbol for each in sorted(standin.market.instruments, key=lambda each: -each.price)][:10]
    expect_rows(page, down)
    expect(head).to_have_attribute("aria-sort", "descending")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect_rows(page, ["TINY"])
    head.get_by_role("button").click()
    expect_rows(page, ["AAPL", "MSFT"])
    assert head.get_attribute("aria-sort") is None


def test_filters_as_you_type_and_shows_the_error_at_its_character(browser, standin):
    page = browser.page()
    field = page.get_by_role("textbox", name="Filter")
    field.fill("price > 90000 and rank < 100")
    expect_rows(page, ["BTC-USD"])
    expect(page.locator(".count")).to_have_text("1 row")
    field.fill("price > 100 and prise < 3")
    expect(page.locator(".filter-error")).to_contain_text("unknown field 'prise'")
    expect(page.locator(".filter-error mark")).to_have_text("prise < 3")
    expect(page.locator(".filter-error")).to_contain_text("at character 17")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("micro")
    expect_rows(page, ["MSFT"])
    expect(page.locator(".filter-error")).to_be_empty()
    field.fill("nothing like it")
    expect(page.get_by_text("Nothing matches “nothing like it”")).to_be_visible()
    field.press("Escape")
    expect(page.locator(".count")).to_have_text("2,000 rows")


def test_scrolls_to_the_last_row(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    page.get_by_role("grid").focus()
    page.keyboard.press("End")
    last = max(standin.market.instruments, key=lambda each: each.rank)
    expect(row(page, last.symbol)).to_have_attribute("aria-rowindex", "2001")
    expect(row(page, last.symbol)).to_have_attribute("aria-selected", "true")
    assert page.locator(".rows .row").count() < 80, "only what is in sight exists"


def test_a_row_keeps_its_place_while_somebody_chooses(browser, standin):
    page = browser.page()
    page.get_by_role("columnheader", name="Price").get_by_role("button").click()
    before = [each.symbol for each in sorted(standin.market.instruments, key=lambda each: -each.price)]
    expect_rows(page, before[:3])
    expect_true(page, "() => { const table = document.querySelector('price-table'); table.hold = () => { table.heldUntil = Infinity }; table.hold(); return true }")
    standin.set(before[2], "99999999.00")
    expect(cell(page, before[2], "price")).to_contain_text("99,999,999.00")
    assert first_rows(page, 3) == before[:3]
    expect_true(page, "() => { const table = document.querySelector('price-table'); table.heldUntil = 0; table.draw(); return true }")
    expect_rows(page, [before[2], before[0]])


def test_a_star_goes_with_its_row_when_the_list_is_sorted_again(browser, standin):
    page = browser.page()
    row(page, "AAPL").click()
    page.keyboard.press("w")
    expect(row(page, "AAPL")).to_have_class(re.compile("watched"))
    # Without the help of the second hand.
    page.evaluate("() => { document.querySelector('price-table').second = () => {} }")
    page.get_by_role("columnheader", name="Price").get_by_role("button").click()
    expect_rows(page, [max(standin.market.instruments, key=lambda each: each.price).symbol])
    # Those with a star are those on a list.
    told = page.evaluate("""() => [...document.querySelectorAll('.rows .row')].filter(row => !row.hidden)
      .map(row => [row.querySelector('.symbol').textContent, row.classList.contains('watched')])""")
    listed = {symbol for each in page.evaluate("() => stockbus.lists.all") for symbol in each["symbols"]}
    assert all(star == (symbol in listed) for symbol, star in told), told


def test_a_star_before_the_lists_are_there_goes_onto_one_of_them(browser, standin):
    held = []
    page = browser.page(prepare=lambda page: page.route("**/api/watchlists", lambda route: held.append(route)))
    lists = standin.desk.watchlists
    before = {name: list(symbols) for name, symbols in lists.items()}
    assert all("AMZN" not in symbols for symbols in before.values())
    row(page, "AMZN").click()
    page.keyboard.press("w")
    page.evaluate("() => new Promise(requestAnimationFrame)")
    held[0].continue_()
    expect(row(page, "AMZN")).to_have_class(re.compile("watched"))
    expect(page.locator("#say")).to_contain_text("AMZN was added to")
    assert lists.keys() == before.keys() and sum(map(len, lists.values())) == sum(map(len, before.values())) + 1, lists


def test_a_deep_link_opens_a_symbol_and_back_and_forward_work(browser, standin):
    page = browser.page("/symbol/AAPL")
    expect(page.get_by_role("heading", name="AAPL")).to_be_visible()
    expect(page).to_have_title("AAPL – stockbus")
    expect(page.locator(".lead-price")).to_have_text("186.48")
    expect(page.locator(".lead-name")).to_have_text("Apple Inc., Technology")
    expect(page.get_by_role("slider")).to_have_attribute("aria-label", re.compile("Chart of AAPL, a day: from .* to 186.48, .* high .* low"))
    row(page, "MSFT").click()
    expect(page.get_by_role("heading", name="MSFT")).to_be_visible()
    page.get_by_role("link", name="Movers").click()
    expect(page.get_by_role("heading", name="Gainers")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="MSFT")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="Gainers")).to_be_visible()
    page.goto(standin.url + "/symbol/BRK.B")
    expect(page.get_by_role("heading", name="BRK.B")).to_be_visible()


def test_the_link_to_the_content_leaves_the_view_as_it_is(browser, standin):
    page = browser.page()
    expect(row(page, "AAPL")).to_be_visible()
    page.evaluate("document.querySelector('main').firstElementChild.dataset.before = 'yes'")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))
    page.go_back()
    expect(page).not_to_have_url(re.compile("#main$"))
    assert page.evaluate("document.querySelector('main').firstElementChild.dataset.before") == "yes"


def test_a_symbol_that_does_not_exist_is_said(browser, standin):
    browser.allowed.append("404")
    page = browser.page("/symbol/APPL")
    expect(page.locator(".symbol-page > .none")).to_contain_text("There is no symbol 'APPL'.")
    page.get_by_role("link", name="All prices").click()
    expect_rows(page, ["AAPL"])


def test_everything_by_keyboard(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.get_by_role("grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("row", selected=True)).to_have_count(1)
    chosen = page.get_by_role("row", selected=True).locator(".symbol").inner_text()
    page.keyboard.press("Enter")
    expect(page).to_have_url(standin.url + "/symbol/" + chosen)
    page.keyboard.press("Escape")
    expect(page).to_have_url(standin.url + "/")
    page.keyboard.press("/")
    page.keyboard.type("bitc")
    expect(page.locator("#found li")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(standin.url + "/symbol/BTC-USD")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name=re.compile("Search"))).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("5")
    expect(page).to_have_url(standin.url + "/portfolio")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_have_count(0)


def test_search_finds_by_symbol_name_and_industry(browser, standin):
    page = browser.page()
    page.keyboard.press("/")
    for text, symbol in (("nvd", "NVDA"), ("costco", "COST"), ("paym", "V")):
        page.get_by_role("combobox", name=re.compile("Search")).fill(text)
        expect(page.locator("#found li").filter(has=page.locator("b", has_text=re.compile(f"^{re.escape(symbol)}$")))).to_have_count(1)
    page.get_by_role("combobox", name=re.compile("Search")).fill("zzzz")
    expect(page.get_by_text("Nothing is called “zzzz”")).to_be_visible()


def test_the_chart_is_read_bar_by_bar_and_keeps_its_digits(browser, standin):
    page = browser.page("/symbol/AAPL")
    chart = page.get_by_role("slider")
    page.get_by_role("button", name="1h", exact=True).click()
    bars = standin.call(lambda: standin.market.bars("AAPL", "1m", 390))
    expect(chart).to_have_attribute("aria-valuemax", str(len(bars)))
    chart.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    start, open_, high, low, close, volume = bars[-2]
    expect(chart).to_have_attribute("aria-valuetext", re.compile(f"O {re.escape(open_)}  H {re.escape(high)}  L {re.escape(low)}  C {re.escape(close)}  "))
    page.keyboard.press("l")
    expect(page.get_by_role("button", name="line")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press(".")
    expect(page.get_by_role("button", name="1d", exact=True)).to_have_attribute("aria-pressed", "true")


def test_older_bars_come_when_somebody_looks_for_them(browser, standin):
    page = browser.page("/symbol/AAPL")
    chart = page.get_by_role("slider")
    page.get_by_role("button", name="1h", exact=True).click()
    expect(chart).to_have_attribute("aria-valuemax", "390")
    chart.focus()
    page.keyboard.press("Home")
    expect(chart).to_have_attribute("aria-valuemax", "1390")


def test_last_trades_and_times_are_in_one_zone(browser, standin):
    page = browser.page("/symbol/AAPL", timezone_id="Asia/Tokyo")
    expect(page.locator(".lead-price")).to_have_text("186.48")
    standin.call(lambda: setattr(standin.market, "now", 1_381_239_000_250_000_000))  # 2013-10-08T13:30:00.250Z
    standin.set("AAPL", "186.60")
    time = page.locator(".under tbody tr").first.locator("td").first
    expect(time).to_have_text("09:30:00.250")
    expect(page.locator(".clock small")).to_have_text("New York")
    page.keyboard.press("z")
    expect(page.locator(".clock small")).to_have_text("local")
    expect(time).to_have_text("22:30:00.250")
    page.keyboard.press("z")
    expect(time).to_have_text("13:30:00.250")
    expect(page.locator(".under tbody tr").first.locator("td").nth(2)).to_have_text("186.60")


def test_after_a_cut_it_goes_on_with_epoch_and_cursor(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    epoch = standin.epoch
    standin.call(lambda: standin.cut())
    standin.set("AAPL", "187.00")
    expect(cell(page, "AAPL", "price")).to_have_text("▲187.00")
    expect(page.locator("#state")).to_have_attribute("data-state", "live")
    first, second = [message for message in standin.log if message["op"] == "hello"][:2]
    assert (first["epoch"], first["cursor"]) == (None, 0)
    assert second["epoch"] == epoch and second["cursor"] > 0


def test_another_run_begins_anew(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    standin.call(lambda: standin.begin_anew())
    standin.set("AAPL", "99.50")
    expect(cell(page, "AAPL", "price")).to_contain_text("99.50")
    expect_true(page, "epoch => window.stockbus.model.epoch === epoch", standin.epoch)


def test_a_broken_frame_ends_the_connection_and_nothing_of_it_is_shown(browser, standin):
    browser.allowed.append("RangeError")
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")

    async def send():
        for client in standin.clients:
            client.ready = False
            await client.socket.send_bytes(b"\x01\x01\x00\x00" + b"\xff" * 40)

    standin.call(send)
    expect_true(page, "() => window.stockbus.model.frame > 0 && window.stockbus.connection.state === 'live'")
    standin.set("AAPL", "187.25")
    expect(cell(page, "AAPL", "price")).to_contain_text("187.25")
    hellos = [message for message in standin.log if message["op"] == "hello"]
    assert (hellos[-1]["epoch"], hellos[-1]["cursor"]) == (None, 0)


def test_a_paused_page_asks_for_nothing(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    page.keyboard.press("p")
    expect(page.locator("#state")).to_contain_text("paused")
    for price in range(20):
        standin.set("AAPL", f"190.{price:02}")
    standin.set("AAPL", "191.00")
    assert "186.48" in cell(page, "AAPL", "price").inner_text()
    page.keyboard.press("p")
    expect(cell(page, "AAPL", "price")).to_have_text("▲191.00")
    left_out = page.evaluate("() => window.stockbus.model.counts.leftOut")
    assert left_out >= 18, f"what was not shown is counted: {left_out}"


def test_old_and_stale_prices_say_so(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")

    def age():
        aapl, msft = standin.market.by_symbol["AAPL"], standin.market.by_symbol["MSFT"]
        aapl.time, aapl.marks, msft.marks = standin.market.now - 7200 * ONE, 1, 2
        for each in (aapl, msft):
            each.stamp(standin.market.frame, frames.SHAPE)

    standin.call(age)
    expect(cell(page, "AAPL", "age")).to_have_text("last 2 h")
    expect(row(page, "AAPL")).to_have_class(re.compile("stale"))
    expect(cell(page, "MSFT", "age")).to_have_text("halted")


def test_a_source_that_is_cut_off_is_named(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")

    def lose():
        standin.connections = [{"component": "feed", "state": "disconnected", "reason": "the host was not found", "time": 0}]
        standin.connections_changed = standin.market.frame

    standin.call(lose)
    expect(page.locator("#sources")).to_have_text("feed disconnected: the host was not found")


def test_an_order_is_previewed_before_its_button_and_sent_once(browser, standin):
    page = browser.page("/symbol/MSFT")
    ticket = page.locator("form.ticket")
    ticket.get_by_label("Quantity").fill("10")
    expect(ticket.locator(".preview")).to_contain_text("buy 10 MSFT at 216.69 (the ask)")
    expect(ticket.locator(".preview")).to_contain_text("2,166.90")
    ticket.get_by_label("Quantity").fill("1000")
    expect(ticket.locator(".preview")).to_contain_text("insufficient buying power")
    expect(ticket.get_by_role("button", name="Buy 1000 MSFT")).to_be_disabled()
    ticket.get_by_label("Quantity").fill("ten")
    expect(ticket.locator(".preview")).to_have_text("Quantity: a number above 0")
    ticket.get_by_label("Quantity").fill("10")
    button = ticket.get_by_role("button", name="Buy 10 MSFT")
    expect(button).to_be_enabled()
    button.click()
    # What became of it; what was asked for comes before, unless the fill is faster than the answer. No key, which nobody knows.
    expect(page.locator(".toast span, .toast a").last).to_have_text("Bought 10 MSFT at 216.69")
    told = page.locator(".toast span, .toast a").all_inner_texts()
    assert told[:-1] in ([], ["Buy 10 MSFT: order 2"]), told
    expect(page.get_by_role("complementary").locator(".pairs").first).to_contain_text("Held10")
    assert len(standin.desk.orders) == 2 and standin.desk.orders[-1]["key"].startswith("web-")


def test_a_late_estimate_does_not_open_the_button_for_another_order(browser, standin):
    page = browser.page("/symbol/MSFT")
    ticket = page.locator("form.ticket")
    expect(ticket.locator(".preview")).to_contain_text("Cash after")
    held = []
    page.route("**/orders/preview", lambda route: held.append(route))
    with page.expect_request("**/orders/preview"):
        ticket.get_by_label("Quantity").fill("7")
    page.evaluate("() => { window.waits = window.setTimeout; window.setTimeout = () => 0 }")  # so that nothing is asked for the next one yet
    ticket.get_by_label("Quantity").fill("8")
    with page.expect_response("**/orders/preview"):
        held[0].continue_()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(ticket.get_by_role("button", name="Buy 8 MSFT")).to_be_disabled()
    page.evaluate("() => { window.setTimeout = window.waits }")
    page.unroute("**/orders/preview")
    ticket.get_by_label("Quantity").fill("9")
    expect(ticket.get_by_role("button", name="Buy 9 MSFT")).to_be_enabled()


def test_the_button_of_the_ticket_stays_where_it_is(browser, standin):
    answer = standin.desk.preview
    words = "buy 10 MSFT at 216.69 (the ask); once filled: position 10 at 216.69, buying power 39,015.60; set aside until then: 2,167.90 of it"
    standin.desk.preview = lambda order: {**answer(order), "text": words}
    page = browser.page("/symbol/MSFT")
    ticket = page.locator("form.ticket")
    preview, button = ticket.locator(".preview"), ticket.locator("button.go")
    expect(preview).to_contain_text("Cash after")
    full = button.bounding_box()
    ticket.get_by_label("Quantity").fill("ten")
    expect(preview).to_have_text("Quantity: a number above 0")
    assert button.bounding_box() == full
    page.evaluate("() => document.querySelector('form.ticket .preview').replaceChildren()")
    assert button.bounding_box() == full


def test_a_trend_is_drawn_from_the_prices_that_were_seen(browser, standin):
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    # In one go, so that no frame that comes meanwhile adds a price. A draw draws only some of the trends.
    drawn = page.evaluate("""() => {
      const table = document.querySelector('price-table'), row = window.stockbus.model.bySymbol('AAPL')
      row.trend.fill(NaN)
      row.trend.set([1, 3, 2, 5, 4], row.trend.length - 5)
      const line = table.lines.find(line => line.row === row)
      line.trendDrawn = 0
      for (const _ of table.lines) table.draw()
      return [line.line.getAttribute('d'), line.line.dataset.direction] }""")
    # The least price is at 95 of 100, the greatest at 5; the last one is above the first.
    assert drawn == ["M0.0 95.0L25.0 50.0L50.0 72.5L75.0 5.0L100.0 27.5", "up"], drawn


def test_a_trend_begins_with_what_the_run_knows(browser, standin):
    standin.trends = {"AAPL": ["187.00", "186.00", "186.50", "186.00"]}
    page = browser.page()
    # The last point is the present price, 186.48: 187 is the greatest, 186 the least, so it is at 5 + 0.52 × 90.
    line = cell(page, "AAPL", "trend").locator("path")
    # It stands once, or once more for each second that the page needs before it is drawn.
    expect(line).to_have_attribute("d", re.compile(r"^M0\.0 5\.0L\d+\.\d 95\.0L\d+\.\d 50\.0(L\d+\.\d 51\.8)+$"))
    expect(line).to_have_attribute("data-direction", "down")
    expect(cell(page, "MSFT", "trend").locator("path")).not_to_have_attribute("d", re.compile("M"))


def test_what_does_not_work_is_one_line_on_every_page(browser, standin):
    page = browser.page()
    problem = page.locator("#problem")
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    expect(problem).to_be_hidden()
    standin.problems = ["kept is degraded: the disk is full", "web is backing off: the port is in use"]
    for name in ("Watchlists", "Movers", "Portfolio", "Alerts", "Graph", "Settings"):
        page.get_by_role("link", name=name, exact=True).click()
        expect(problem).to_have_text("kept is degraded: the disk is full (and 1 more)")
    standin.problems = []
    expect(problem).to_be_hidden()


def test_pages_that_the_run_does_not_have_are_not_shown(browser, standin):
    standin.pages = ["watchlists"]
    page = browser.page()
    names = page.locator("#pages a:visible")
    expect(names).to_have_text(["Prices", "Watchlists", "Graph"])
    page.locator(".grid").focus()
    page.keyboard.press("3")
    expect(page).to_have_url(standin.url + "/")
    # One that comes with a change of the run is there without a reload.
    standin.pages = ["watchlists", "movers"]
    expect(names).to_have_text(["Prices", "Watchlists", "Movers", "Graph"])


def test_a_message_covers_nothing(browser, standin):
    for width in (1440, 390):
        page = browser.page("/symbol/MSFT", width=width)
        expect(page.locator(".lead-price")).to_have_text("216.68")
        standin.call(lambda: standin.desk.fire("MSFT", "MSFT rose to 218.90"))
        expect(page.locator(".toast")).to_be_visible()
        boxes = page.evaluate("() => ['main', '.toasts', 'footer'].map(name => document.querySelector(name).getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])")
        assert boxes[0][1] <= boxes[1][0] and boxes[1][1] <= boxes[2][0] <= 900, boxes


def test_columns_without_anything_fold_away_until_there_is_something(browser, standin):
    for each in standin.market.instruments:
        each.bid = each.ask = 0
    page = browser.page()
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    heads = page.locator(".heads .cell")
    expect(heads).to_have_text(["#", "Symbol", "Name", "Price", "Change", "%", "Trend", "Volume"])

    def quote():
        msft = standin.market.by_symbol["MSFT"]
        msft.bid, msft.ask = msft.price, msft.price
        msft.stamp(standin.market.frame, frames.QUOTE)

    standin.call(quote)
    expect(heads).to_have_text(["#", "Symbol", "Name", "Price", "Change", "%", "Trend", "Bid", "Ask", "Volume"])


WRITTEN = """() => {
  const chart = document.querySelector('price-chart'), context = chart.canvas.getContext('2d'), texts = [], write = context.fillText
  context.fillText = (text, ...place) => { texts.push(text); write.call(context, text, ...place) }
  chart.draw()
  delete context.fillText
  return texts }"""


def test_the_previous_close_is_in_the_quote_and_in_the_chart(browser, standin):
    aapl = standin.market.by_symbol["AAPL"]
    close = units(standin.call(lambda: standin.market.bars("AAPL", "5m", 1))[0][4])
    aapl.reference = close
    page = browser.page("/symbol/AAPL")
    expect(page.locator(".pairs > div").filter(has_text="Previous close")).to_have_text(f"Previous close{text(close, 2)}")
    expect_true(page, "() => document.querySelector('price-chart').close !== null && document.querySelector('price-chart').series?.bars.length > 0")
    texts = page.evaluate(WRITTEN)
    assert "previous close" in texts, texts
    # The first time of the axis has its date.
    times = [each for each in page.evaluate(WRITTEN) if re.fullmatch(r"(\d+ [A-Z][a-z]+ )?\d\d:\d\d|\d+ [A-Z][a-z]+", each)]
    assert re.match(r"\d+ [A-Z]", times[0]), times


def test_a_candle_alone_does_not_fill_the_chart(browser, standin):
    bars = standin.market.bars
    standin.market.bars = lambda *options: bars(*options)[-1:]
    page = browser.page("/symbol/AAPL")
    expect_true(page, "() => document.querySelector('price-chart').series?.bars.length === 1")
    step, width = page.evaluate("() => { const chart = document.querySelector('price-chart'); chart.draw(); return [chart.step, chart.canvas.clientWidth] }")
    assert step <= width / 24, (step, width)
    # The pointer finds it at the right edge, and nothing left of it.
    box = page.locator("price-chart canvas").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 100)
    assert page.evaluate("() => document.querySelector('price-chart').at") == -1
    page.mouse.move(box["x"] + 23.5 * step, box["y"] + 100)
    assert page.evaluate("() => document.querySelector('price-chart').at") == 0


def test_a_small_chart_takes_the_longest_span_that_has_enough_bars(browser, standin):
    bars = standin.market.bars
    # Of a run of ten minutes: two bars of five minutes, ten of a minute, and seconds.
    standin.market.bars = lambda symbol, length, limit, to=None: bars(symbol, length, limit, to)[-{"1m": 10, "1s": 600}.get(length, 2):]
    page = browser.page()
    expect_true(page, "() => document.querySelector('.side price-chart').series?.name === '1s'")
    # Candles need fewer, unless somebody has chosen a span.
    page.get_by_role("link", name="AAPL").first.click()
    expect_true(page, "() => document.querySelector('.symbol-main price-chart')?.series?.name === '1m'")
    page.get_by_role("button", name="1d", exact=True).click()
    expect_true(page, "() => document.querySelector('.symbol-main price-chart').series.name === '5m'")


@with_standin(accounts=True)
def test_a_session_that_ended_leads_to_the_door_and_nothing_of_it_stays(browser, standin):
    browser.allowed += ["401", "WebSocket"]
    page = browser.page("/portfolio")
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("table", name="Positions")).to_contain_text("AAPL")

    async def end():
        standin.sessions.clear()
        await standin.cut()

    standin.call(end)
    expect(page).to_have_url(standin.url + "/login")
    assert page.evaluate("() => [window.stockbus.model.rows.size, window.stockbus.model.accounts.length, window.stockbus.lists.all.length]") == [0, 0, 0]


def test_what_fired_before_the_page_was_there_is_listed_and_not_announced(browser, standin):
    standin.call(lambda: standin.desk.fire("MSFT", "MSFT rose long ago"))
    page = browser.page("/alerts")
    expect(page.get_by_role("table", name="Alerts that fired")).to_contain_text("MSFT rose long ago")
    standin.call(lambda: standin.desk.fire("MSFT", "MSFT rose now"))
    expect(page.locator(".toast")).to_have_count(1)
    expect(page.locator(".toast")).to_contain_text("MSFT rose now")


def test_alerts_of_several_sources_are_listed_by_their_times(browser, standin):
    for message, before in (("second", 2000), ("fourth", 0), ("first", 3000), ("third", 1000), ("as late, with a higher number", 1000)):
        standin.call(lambda: standin.desk.fire("MSFT", message, before))
    page = browser.page("/alerts")
    rows = page.get_by_role("table", name="Alerts that fired").locator("tbody tr td:nth-child(4)")
    expect(rows).to_have_text(["fourth", "as late, with a higher number", "third", "second", "first"])


def test_the_figures_of_the_graph_are_whole_on_a_phone(browser, standin):
    now = standin.run_now
    long = {"in": 123_456_789, "delivered": 123_456_789, "waiting": 1024}
    standin.run_now = lambda: {**now(), "edges": [{**each, **long, "from": f"{each['from']}_of_all_instruments"} for each in now()["edges"]]}
    page = browser.page("/graph", width=390, height=844, has_touch=True)
    table = page.get_by_role("table", name="Edges")
    expect(table).to_contain_text("ticks_of_all_instruments")
    right = table.evaluate("table => table.getBoundingClientRect().right")
    assert right <= 390, f"{right - 390} pixels of the table are cut off"


def test_the_portfolio_follows_the_price_exactly(browser, standin):
    page = browser.page("/portfolio")
    positions = page.get_by_role("table", name="Positions")
    line = positions.get_by_role("row").filter(has_text="AAPL")
    expect(line).to_contain_text("186.48")
    cost = standin.desk.held["paper", "AAPL"][1]
    standin.set("AAPL", "200.01")
    expect(line).to_contain_text("24,001.20")  # 120 at 200.01
    gain = 120 * 200_010_000_000 * ONE - cost
    text = f"+{gain // 10**18:,}.{gain // 10**16 % 100:02}"
    expect(line).to_contain_text(text)
    # It was bought today, at another price than the close: today's gain is all of it.
    expect(line.get_by_role("cell").nth(6)).to_have_text(text)
    equity = standin.desk.cash["paper"] + sum(quantity * standin.market.by_symbol[symbol].price for (account, symbol), (quantity, _) in standin.desk.held.items() if account == "paper")
    cents = (equity + 5 * 10**15) // 10**16
    expect(page.locator(".sums")).to_contain_text(f"{cents // 100:,}.{cents % 100:02} USD")


def test_orders_are_cancelled_after_a_question_and_replaced(browser, standin):
    page = browser.page("/portfolio")
    orders = page.get_by_role("table", name="Open orders")
    expect(orders.get_by_role("row").filter(has_text="JPM")).to_be_visible()
    orders.get_by_role("button", name="Replace the order for JPM").click()
    page.get_by_role("dialog").get_by_label("Quantity").fill("55")
    page.get_by_role("button", name="Replace it").click()
    expect(orders.get_by_role("row").filter(has_text="JPM")).to_contain_text("55")
    orders.get_by_role("button", name="Cancel the order for JPM").click()
    page.get_by_role("button", name="Leave it").click()
    assert standin.desk.orders[0]["state"] == "working"
    orders.get_by_role("button", name="Cancel the order for JPM").click()
    page.get_by_role("button", name="Cancel the order", exact=True).click()
    expect(page.get_by_text("No open orders.")).to_be_visible()
    assert standin.desk.orders[0]["state"] == "cancelled"


def test_alerts_are_made_muted_removed_and_shown(browser, standin):
    page = browser.page("/symbol/MSFT")
    expect(page.locator(".lead-price")).to_have_text("216.68")
    page.keyboard.press("a")
    expect(page.locator(".side .list").get_by_text("crosses above 218.84")).to_be_visible()  # 216.68 × 1.01 = 218.8468
    form = page.locator(".rule-form")
    form.get_by_label("Condition").select_option("crosses_below")
    form.get_by_label("Value").fill("200")
    form.get_by_role("button", name="add").click()
    expect(page.get_by_text("crosses below 200", exact=True)).to_be_visible()
    form.get_by_label("Condition").select_option("rises_by")
    form.get_by_label("Value").fill("2%")
    form.get_by_text("Window, cooldown, rearm").click()
    for name, value in (("Window", "30m"), ("Cooldown", "5m"), ("Rearm", "0.5%")):
        form.get_by_label(name).fill(value)
    with page.expect_request("**/api/alerts") as made:
        form.get_by_role("button", name="add").click()
    assert made.value.post_data_json == {
        "name": "MSFT rises by 2%", "symbol": "MSFT", "rises_by": "2%", "window": "30m", "cooldown": "5m", "rearm": "0.5%"}
    page.get_by_role("button", name="Mute MSFT gets below 200").click()
    expect(page.get_by_role("button", name="Unmute MSFT gets below 200")).to_be_visible()
    page.get_by_role("button", name="Remove MSFT gets below 200").click()
    expect(page.get_by_text("crosses below 200", exact=True)).to_have_count(0)
    standin.call(lambda: standin.desk.fire("MSFT", "MSFT rose to 218.90"))
    expect(page.locator(".toast").filter(has_text="MSFT rose to 218.90")).to_be_visible()
    expect(page.locator("#say")).to_contain_text("MSFT rose to 218.90")
    page.get_by_role("link", name="Alerts", exact=True).click()
    expect(page.get_by_role("table", name="Alerts that fired")).to_contain_text("MSFT rose to 218.90")
    # Those of the configuration are muted here, and removed there.
    expect(page.get_by_role("button", name="Unmute TSLA gets below 371.34")).to_be_visible()
    expect(page.get_by_role("button", name="Remove TSLA gets below 371.34")).to_have_count(0)


def test_what_is_typed_while_a_rule_is_made_stays(browser, standin):
    page = browser.page("/symbol/MSFT")
    form = page.locator(".rule-form")
    held = []
    page.route("**/api/alerts", lambda route: held.append(route))
    with page.expect_request("**/api/alerts"):
        form.get_by_label("Value").fill("200")
        form.get_by_role("button", name="add").click()
    form.get_by_label("Value").fill("210")
    with page.expect_response("**/api/alerts"):
        held[0].continue_()
    expect(page.get_by_text("crosses above 200", exact=True)).to_be_visible()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(form.get_by_label("Value")).to_have_value("210")
    page.unroute("**/api/alerts")
    form.get_by_role("button", name="add").click()
    expect(page.get_by_text("crosses above 210", exact=True)).to_be_visible()
    expect(form.get_by_label("Value")).to_have_value("")


def test_watchlists_are_kept_in_their_order(browser, standin):
    page = browser.page("/watchlists/tech")
    expect_rows(page, ["AAPL", "MSFT", "NVDA", "GOOGL", "ADBE", "AVGO"])
    row(page, "MSFT").click()
    page.get_by_role("grid").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect_rows(page, ["MSFT", "AAPL", "NVDA"])
    row(page, "AVGO").drag_to(row(page, "MSFT"))
    expect_rows(page, ["AVGO", "MSFT", "AAPL", "NVDA"])
    row(page, "NVDA").click()
    # It is shown before it is kept.
    with page.expect_response(lambda each: each.url.endswith("/watchlists/tech") and "NVDA" not in (each.request.post_data or "NVDA")):
        page.keyboard.press("w")
    expect_rows(page, ["AVGO", "MSFT", "AAPL", "GOOGL", "ADBE"])
    assert standin.desk.watchlists["tech"] == ["AVGO", "MSFT", "AAPL", "GOOGL", "ADBE"]
    page.get_by_role("columnheader", name="Symbol").get_by_role("button").click()
    expect_rows(page, ["AAPL", "ADBE", "AVGO", "GOOGL", "MSFT"])
    page.get_by_role("button", name="New list").click()
    page.get_by_label("Name", exact=True).fill("my own")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_text("This list is empty.")).to_be_visible()
    page.get_by_role("button", name="Add symbol").click()
    page.keyboard.type("tsla")
    expect(page.locator("#found li")).to_have_count(1)
    with page.expect_response(lambda each: "TSLA" in (each.request.post_data or "")):
        page.keyboard.press("Enter")
    expect_rows(page, ["TSLA"])
    assert standin.desk.watchlists["my own"] == ["TSLA"]


def test_a_change_of_one_viewer_shows_at_the_other(browser, standin):
    one, other = browser.page("/symbol/AAPL"), browser.page()
    expect(one.locator(".lead-price")).to_have_text("186.48")
    expect(cell(other, "AAPL", "price")).to_contain_text("186.48")
    one.get_by_role("slider").focus()
    one.keyboard.press("+")
    expect(cell(other, "AAPL", "price")).to_have_text("▲188.34")  # 186.48 × 1.01, to the cent below
    expect(one.locator(".lead-price")).to_have_text("188.34")
    row(other, "V").click()
    other.keyboard.press("w")
    expect(other.locator(".row.watched").filter(has=other.locator(".symbol", has_text=re.compile("^V$")))).to_have_count(1)
    one.get_by_role("link", name="Watchlists").click()
    expect(one.get_by_role("row").filter(has_text="Visa")).to_be_visible()


def test_movers_by_period(browser, standin):
    page = browser.page("/movers")
    day = standin.call(lambda: standin.market.movers()["day"]["gainers"][0][0])
    week = standin.call(lambda: standin.market.movers()["week"]["gainers"][0][0])
    gainers = page.get_by_role("table", name="Gainers")
    expect(gainers.locator("tbody tr").first).to_contain_text(day)
    page.keyboard.press("m")
    expect(gainers.locator("tbody tr").first).to_contain_text(week)
    gainers.get_by_role("link").first.click()
    expect(page).to_have_url(f"{standin.url}/symbol/{week}")


def test_crypto_is_a_list_of_its_own(browser, standin):
    page = browser.page("/crypto")
    expect(page.locator(".count")).to_have_text("4 rows")
    expect(row(page, "ETH-USD")).to_be_visible()


def test_the_graph_shows_the_pipeline(browser, standin):
    page = browser.page("/graph")
    for name in ("ticks", "ranked", "web", "alerts"):
        expect(page.locator(".node-name", has_text=re.compile(f"^{name}$"))).to_have_count(1)
    expect(page.locator(".graph path")).to_have_count(8)
    expect(page.get_by_role("table", name="Edges").locator("tbody tr")).to_have_count(8)


def test_columns_by_choice_are_kept(browser, standin):
    page = browser.page()
    expect(page.get_by_role("columnheader", name="Bid")).to_be_visible()
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("Bid").uncheck()
    page.get_by_label("Spread").check()
    expect(page.get_by_role("columnheader", name="Bid")).to_have_count(0)
    expect(cell(page, "AAPL", "spread")).to_have_text("0.02")
    page.reload()
    expect(page.get_by_role("columnheader", name="Spread")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Bid")).to_have_count(0)


def test_a_setting_outlives_a_reload_at_once(browser, standin):
    page = browser.page()
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("Bid").uncheck()
    page.wait_for_function("() => stockbus.unsaved.size === 0")
    # The server has another answer than the browser at the reload.
    page.get_by_label("Spread").check()
    page.reload()
    expect(page.get_by_role("columnheader", name="Spread")).to_be_visible()
    page.wait_for_function("() => stockbus.unsaved.size === 0")
    assert "spread" in standin.settings["columns"]


def test_themes_by_key_by_system_and_after_a_reload(browser, standin):
    page = browser.page(color_scheme="dark")
    ground = lambda: page.evaluate("() => getComputedStyle(document.body).backgroundColor")  # noqa: E731
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    assert ground() == "rgb(15, 19, 23)"
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert ground() == "rgb(253, 253, 251)"
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.locator("#theme")).to_have_text("theme: system")
    assert ground() == "rgb(15, 19, 23)"


def test_reduced_motion_means_no_flash(browser, standin):
    page = browser.page(reduced_motion="reduce")
    expect(cell(page, "AAPL", "price")).to_contain_text("186.48")
    assert page.locator(".glow").first.evaluate("glow => getComputedStyle(glow).display") == "none"


def test_names_from_outside_are_text(browser, standin):
    def add():
        evil = standin.market.add("EVIL", "<img src=x onerror=alert(1)>", "<b>", 5 * ONE, 2)
        standin.market.by_symbol["EVIL"] = evil
        evil.volume = ONE

    standin.call(add)
    page = browser.page("/symbol/EVIL")
    expect(page.locator(".lead-name")).to_have_text("<img src=x onerror=alert(1)>, <b>")
    page.keyboard.press("/")
    page.keyboard.type("evil")
    expect(page.locator("#found li")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("img").count() == 0


@with_standin(accounts=True)
def test_log_in_sign_up_log_out(browser, standin):
    browser.allowed += ["401", "WebSocket"]
    page = browser.page("/symbol/AAPL")
    expect(page).to_have_url(standin.url + "/login")
    page.get_by_label("Name", exact=True).fill("ada")
    # Masked, and open to password managers.
    expect(page.get_by_label("Password")).to_have_attribute("type", "password")
    expect(page.get_by_label("Password")).to_have_attribute("autocomplete", "current-password")
    page.get_by_label("Password").fill("not this one")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("name or password is wrong")).to_be_visible()
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(standin.url + "/symbol/AAPL")
    expect(page.get_by_role("heading", name="AAPL")).to_be_visible()
    page.get_by_role("link", name="ada").click()
    page.get_by_role("button", name="Log out", exact=True).click()
    expect(page).to_have_url(standin.url + "/login")
    page.get_by_role("link", name="Sign up").click()
    expect(page.get_by_role("heading", name="Sign up")).to_be_visible()  # before, the fields are those of the door that is left
    page.get_by_label("Name", exact=True).fill("grace")
    page.get_by_label("Password").fill("another long one")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("link", name="grace")).to_be_visible()
    expect_true(page, "() => window.stockbus.connection.state === 'live'")


@with_standin(accounts=True)
def test_what_is_typed_at_the_door_stays(browser, standin):
    browser.allowed += ["401", "WebSocket"]
    page = browser.page("/signup")
    page.get_by_label("Name", exact=True).fill("grace")
    page.evaluate("() => window.stockbus.readSession()")
    page.evaluate("() => window.stockbus.checkSession()")
    expect(page.get_by_label("Name", exact=True)).to_have_value("grace")


@with_standin(accounts=True)
def test_an_answer_from_before_the_log_in_ends_no_session(browser, standin):
    browser.allowed += ["401", "WebSocket"]
    page = browser.page("/login")
    held = []
    page.route("**/api/session", lambda route: held.append((route, route.fetch())) if not held else route.continue_())
    with page.expect_request("**/api/session"):
        page.evaluate("() => { window.checked = window.stockbus.checkSession() }")
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("link", name="ada")).to_be_visible()
    route, before = held[0]
    assert before.json()["user"] is None
    route.fulfill(response=before)
    page.evaluate("() => window.checked")
    expect(page.get_by_role("link", name="ada")).to_be_visible()
    assert page.url == standin.url + "/"


if __name__ == "__main__":
    tests = [value for name, value in list(globals().items()) if name.startswith("test_")]
    run(tests, sys.argv[1] if len(sys.argv) > 1 else None)
