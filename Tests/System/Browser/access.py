#!/usr/bin/env python3
"""Can everybody use the page: axe-core on each view in both themes (contrast included), and nothing cut off on a phone of 360 pixels."""
import re
import sys

sys.dont_write_bytecode = True

from harness import cell, expect, run, skip, with_standin  # noqa: E402

try:
    from axe_playwright_python.sync_playwright import Axe
except ImportError:
    skip("pip install axe-playwright-python")

VIEWS = {
    "/": ".rows .price", "/symbol/BTC-USD": ".under tbody td", "/watchlists/tech": ".rows .price", "/movers": ".movers tbody td", "/crypto": ".rows .price",
    "/portfolio": ".records tbody td", "/alerts": ".records tbody td", "/graph": ".records tbody td", "/settings": ".choices",
}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page):
    """What axe finds, in lines that can be read."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '').splitlines()[1:2]}" for each in found for node in each["nodes"][:3]]


def busy(standin):
    """Something in every list."""
    standin.set("BTC-USD", "91050.00")
    standin.set("BTC-USD", "91040.12345678")
    standin.call(lambda: standin.desk.fire("AAPL", "AAPL rose to 190.30"))


def check(browser, standin, paths, scheme, **options):
    options = {"height": 520, **options}  # a dozen rows have the same violations as fifty
    problems = []
    for path, shown in paths.items():
        page = browser.page(path, color_scheme=scheme, reduced_motion="reduce", **options)
        expect(page.locator(shown).first).not_to_be_empty()
        if standin.clients:
            busy(standin)
        expect(page.locator(shown).first).not_to_be_empty()
        problems += [f"{path} ({scheme}): {line}" for line in violations(page)]
        page.context.close()
    assert not problems, "\n".join(problems)


def test_no_violation_in_the_light_theme(browser, standin):
    check(browser, standin, VIEWS, "light")


def test_no_violation_in_the_dark_theme(browser, standin):
    check(browser, standin, VIEWS, "dark")


def test_no_violation_on_a_phone(browser, standin):
    check(browser, standin, {path: VIEWS[path] for path in ("/", "/symbol/BTC-USD", "/portfolio", "/graph")}, "light", width=360, height=740)


@with_standin(accounts=True)
def test_no_violation_at_the_door_and_in_the_account(browser, standin):
    browser.allowed += ["401"]
    check(browser, standin, {"/login": ".door", "/signup": ".door"}, "light")
    check(browser, standin, {"/login": ".door", "/signup": ".door"}, "dark")
    page = browser.page("/account")
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Access tokens")).to_be_visible()
    assert not violations(page), violations(page)


def test_no_violation_in_the_dialogs(browser, standin):
    for scheme in ("light", "dark"):
        page = browser.page("/watchlists/tech", color_scheme=scheme)
        expect(cell(page, "AAPL", "price")).not_to_be_empty()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        assert not violations(page), violations(page)
        page.keyboard.press("Escape")
        page.keyboard.press("/")
        page.keyboard.type("a")
        expect(page.locator("#found li").first).to_be_visible()
        assert not violations(page), violations(page)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="New list").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert not violations(page), violations(page)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Columns").click()
        page.get_by_role("textbox", name="Filter").fill("prise > 3")
        expect(page.locator(".filter-error")).to_contain_text("unknown field")
        assert not violations(page), violations(page)


CUT = """() => {
  const problems = []
  if (document.documentElement.scrollWidth > innerWidth) problems.push('the page is ' + document.documentElement.scrollWidth + ' pixels wide')
  const scrolls = element => { for (let each = element.parentElement; each; each = each.parentElement) {
    const style = getComputedStyle(each); if (/auto|scroll/.test(style.overflowX) && each.scrollWidth > each.clientWidth) return each } return null }
  for (const element of document.querySelectorAll('.rows .cell, .list td, .lead-price, .lead-change, dd, button, .field')) {
    const box = element.getBoundingClientRect()
    if (box.width === 0 || getComputedStyle(element).visibility === 'hidden') continue
    if (box.right > innerWidth + 0.5 && !scrolls(element)?.closest('nav, .lists, .graph-scroll')) problems.push(`${element.className} “${element.textContent.slice(0, 30)}” ends at ${Math.round(box.right)}`)
    if (element.matches('.rows .price, .rows .percent') && element.scrollWidth > element.clientWidth) problems.push(`“${element.textContent}” is cut off`)
  }
  return problems.slice(0, 10)
}"""


def test_nothing_is_cut_off_at_360_pixels(browser, standin):
    standin.set("BIG", "9223372036.854775807")
    problems = []
    for path, shown in {**VIEWS, "/symbol/BTC-USD": ".lead-price", "/symbol/BIG": ".lead-price"}.items():
        page = browser.page(path, width=360, height=740, has_touch=True)
        expect(page.locator(shown).first).not_to_be_empty()
        if path == "/symbol/BIG":
            expect(page.locator(".lead-price")).to_have_text("9,223,372,036.854775807")
        problems += [f"{path}: {line}" for line in page.evaluate(CUT)]
    page = browser.page("/", width=360, height=740)
    page.get_by_role("textbox", name="Filter").fill("number")
    expect(cell(page, "BIG", "price")).to_have_text(re.compile("9,223,372,036.854775807"))
    problems += page.evaluate(CUT)
    assert not problems, "\n".join(problems)


if __name__ == "__main__":
    run([value for name, value in list(globals().items()) if name.startswith("test_")], sys.argv[1] if len(sys.argv) > 1 else None)
