#!/usr/bin/env python3
"""What the page looks like: pictures of its views against the stand-in, compared with Tests/System/Browser/pictures.

    pictures.py [PATTERN]                    compares; what differs is left in .build/browser-pictures, with a picture of the difference
    UPDATE_GOLDENS=1 pictures.py [PATTERN]   writes them, to be looked at

The market has a seed and stands still, and so does the page's clock. Versions of Chromium smooth letters differently; so pictures are compared
a little blurred, and a small share of the pixels may differ.
"""
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from harness import cell, expect, expect_true, run, skip, with_standin  # noqa: E402
from market import ONE  # noqa: E402

try:
    from PIL import Image, ImageChops, ImageFilter
except ImportError:
    skip("there is no pillow; pip install pillow")

HERE = pathlib.Path(__file__).resolve()
GOLDENS, LEFT = HERE.parent / "pictures", HERE.parents[3] / ".build/browser-pictures"
STEP = 40  # of 255 in a colour: less is smoothing
COLOURS = 64
SHARE = 0.002  # of the pixels: a word in a picture
FIXED = """{ const Real = Date, at = %d; window.Date = class extends Real {
  constructor(...parts) { super(...(parts.length > 0 ? parts : [at])) }
  static now() { return at } } }"""
CALM = "#rates { visibility: hidden } * { caret-color: transparent !important }"  # what depends on the machine


def live(browser, standin, path="/", scheme="light", **options):
    """A page on which a minute of seeded trades has come, and nothing moves any more."""

    def move():
        for _ in range(240):
            standin.market.step(ONE // 4)
        standin.market.rank()
        standin.event_rate = 12_840

    if standin.market.events == 0:
        standin.call(move)

    def stop_the_clock(page):
        page.add_init_script(FIXED % (standin.market.now // 10**6))

    options = {"width": 1280, "height": 720, **options}
    return browser.page(path, color_scheme=scheme, reduced_motion="reduce", prepare=stop_the_clock, bypass_csp=True, **options)


def compare(page, name):
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    new = Image.open(io.BytesIO(page.screenshot(style=CALM, animations="disabled"))).convert("RGB")
    path = GOLDENS / (name + ".png")
    if os.environ.get("UPDATE_GOLDENS") == "1":
        GOLDENS.mkdir(exist_ok=True)
        small(new).save(path, optimize=True)
        return
    assert path.exists(), f"there is no picture {path}: UPDATE_GOLDENS=1 makes it"
    old = Image.open(path).convert("RGB")
    if old.size == new.size:
        mask = differing(old, new)
        share = mask.histogram()[255] / (new.width * new.height)
        if share <= SHARE:
            return
    else:
        mask, share = Image.new("L", new.size, 255), 1
    LEFT.mkdir(parents=True, exist_ok=True)
    new.save(LEFT / (name + ".png"))
    pale = Image.blend(new, Image.new("RGB", new.size, "white"), 0.7)
    pale.paste((220, 0, 60), mask=mask)
    pale.save(LEFT / (name + "-difference.png"))
    raise AssertionError(f"{name}: {share:.2%} of the pixels differ; see {LEFT}/{name}.png and {name}-difference.png")


def small(picture):
    """With few colours, as the page has: a picture in the repository should be small. Rare ones, such as that of a dot, count too."""
    return picture.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def expect_list(page):
    """Stars come with the page's second hand."""
    expect(cell(page, "AAPL", "price")).not_to_be_empty()
    expect(page.locator(".rows .row.watched").first).to_be_visible()


def expect_bars(page):
    expect(page.locator(".lead-price")).to_have_text(re.compile(r"\d"))
    expect_true(page, "() => Number(document.querySelector('price-chart canvas').getAttribute('aria-valuemax')) > 10")


def differing(old, new):
    blurred = [each.filter(ImageFilter.BoxBlur(1)) for each in (old, new)]
    bands = ImageChops.difference(*blurred).split()
    worst = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return worst.point(lambda step: 255 if step > STEP else 0)


def expect_preview(page):
    """The preview of an order, and nothing that has changed it since, as the accounts do when they come."""
    expect(page.locator("form.ticket .preview")).to_contain_text("Cash after")
    expect(page.locator("form.ticket button.go")).to_be_enabled()


def test_prices(browser, standin):
    page = live(browser, standin)
    expect_list(page)
    page.keyboard.press("ArrowDown")
    expect_preview(page)
    compare(page, "prices")


def test_prices_in_the_dark(browser, standin):
    page = live(browser, standin, scheme="dark")
    expect_list(page)
    page.keyboard.press("ArrowDown")
    expect_preview(page)
    compare(page, "prices-dark")


def test_symbol(browser, standin):
    page = live(browser, standin, "/symbol/AAPL")
    expect_list(page)
    expect_bars(page)
    # Last, since what comes after it may ask for a new one.
    expect_preview(page)
    compare(page, "symbol")


def test_portfolio(browser, standin):
    page = live(browser, standin, "/portfolio")
    expect(page.get_by_role("table", name="Positions")).to_contain_text("Apple Inc.")
    expect(page.get_by_role("table", name="Positions")).to_contain_text("Ether")
    expect_preview(page)
    compare(page, "portfolio")


@with_standin(accounts=True)
def test_door(browser, standin):
    browser.allowed.append("401")
    page = live(browser, standin, "/portfolio", width=960, height=600)
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    compare(page, "door")


def test_movers(browser, standin):
    page = live(browser, standin, "/movers")
    expect(page.get_by_role("table", name="Gainers").locator("tbody tr").first).to_be_visible()
    compare(page, "movers")


def test_graph(browser, standin):
    page = live(browser, standin, "/graph")
    expect(page.get_by_role("table", name="Edges").locator("tbody tr")).to_have_count(8)
    compare(page, "graph")


def test_phone(browser, standin):
    page = live(browser, standin, "/symbol/AAPL", scheme="dark", width=360, height=740, has_touch=True, is_mobile=True)
    expect_bars(page)
    expect(page.get_by_role("table", name="Last trades").locator("tbody tr").first).to_be_visible()
    compare(page, "phone")


def main():
    if shutil.which("fc-list") and "Liberation Sans" not in subprocess.run(["fc-list"], capture_output=True, text=True).stdout:
        skip("the pictures are in Liberation Sans; apt-get install fonts-liberation")
    tests = [value for name, value in list(globals().items()) if name.startswith("test_")]
    for test in tests:
        test.standin = {"live_time": False, "symbols": 400, **getattr(test, "standin", {})}
    run(tests, sys.argv[1] if len(sys.argv) > 1 else None)


if __name__ == "__main__":
    main()
