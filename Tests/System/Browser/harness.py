"""What the tests in a browser share: Chromium, a server for each test, helpers; a test fails on any error on the page's console."""
import os
import re
import shutil
import sys
import traceback

SKIPPED = 77


def skip(reason):
    print(f"SKIPPED: the tests in a browser: {reason}")
    sys.exit(SKIPPED)


try:
    import aiohttp  # noqa: F401
    from playwright.sync_api import expect, sync_playwright
except ImportError as missing:
    skip(f"{missing}; pip install playwright aiohttp axe-playwright-python")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if not CHROMIUM:
    skip("there is no chromium; apt-get install chromium")

from standin import PAGE, TYPES, Standin  # noqa: E402

expect.set_options(timeout=15_000)


class Browser:
    """Pages of one test, and what they complained about."""

    def __init__(self, chromium, server):
        self.chromium, self.server, self.contexts, self.complaints = chromium, server, [], []
        self.allowed = []  # complaints that the test provokes, as patterns

    def page(self, path="/", width=1440, height=900, url=None, prepare=None, **options):
        context = self.chromium.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(15_000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and self.complaints.append(message.text + " " + str(message.location.get("url", ""))))
        page.on("pageerror", lambda error: self.complaints.append(f"{error}\n{error.stack}"))
        if os.environ.get("PAGE_FILES"):
            page.route("**/page/*", from_the_tree)
        if prepare:
            prepare(page)
        page.goto((url or self.server.url) + path)
        page.wait_for_function("() => performance.getEntriesByName('stockbus-shown').length > 0")  # before, keys do nothing
        return page

    def close(self):
        for context in self.contexts:
            context.close()

    @property
    def problems(self):
        return [text for text in self.complaints if not any(re.search(pattern, text) for pattern in self.allowed)]


def from_the_tree(route):
    """The page's file as it is in the tree, and not as it was when the program was built."""
    file = PAGE / route.request.url.rpartition("/")[2]
    route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])


def row(page, symbol):
    """The line of a symbol in the table of prices."""
    return page.locator(".rows .row").filter(has=page.locator(".symbol", has_text=re.compile(f"^{re.escape(symbol)}$")))


def cell(page, symbol, column):
    return row(page, symbol).locator("." + column)


def first_rows(page, count):
    """Symbols in the order in which they stand."""
    return page.evaluate(
        """count => [...document.querySelectorAll('.rows .row')].filter(row => !row.hidden)
             .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).slice(0, count).map(row => row.querySelector('.symbol').textContent)""", count)


def expect_rows(page, symbols):
    """Waits until these symbols stand at the top."""
    page.wait_for_function(
        """wanted => JSON.stringify([...document.querySelectorAll('.rows .row')].filter(row => !row.hidden)
             .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).slice(0, wanted.length).map(row => row.querySelector('.symbol').textContent)) === JSON.stringify(wanted)""", arg=symbols)


def expect_true(page, script, arg=None):
    page.wait_for_function(script, arg=arg)


def stand_in(test, **options):
    """What tests run against, unless they say otherwise: a small market that stands still."""
    return Standin(**{"symbols": 2_000, "still": True, **options, **getattr(test, "standin", {})}).start()


def run(tests, only=None, serve=stand_in, **options):
    """Runs each test with a server of its own, which has a `url` and `close()`. Exits with 1 if one failed."""
    failed = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        for test in tests:
            if only and not re.search(only, test.__name__):
                continue
            server = serve(test, **options)
            browser = Browser(chromium, server)
            name = test.__name__.removeprefix("test_").replace("_", " ")
            try:
                test(browser, server)
                assert not browser.problems, "on the console: " + "\n".join(browser.problems)
                print(f"ok    {name}", flush=True)
            except Exception:
                failed.append(name)
                print(f"FAIL  {name}", flush=True)
                traceback.print_exc()
            browser.close()
            server.close()
        chromium.close()
    print(f"{len(failed)} failed: {', '.join(failed)}" if failed else "all passed")
    sys.exit(1 if failed else 0)


def with_standin(**options):
    def mark(test):
        test.standin = options
        return test

    return mark
