#!/usr/bin/env python3
"""What the page costs, in headless Chromium against the stand-in: figures.py [SECONDS] [--program PATH]. It prints figures; only bytes are judged, for
times depend on the machine. With --program it is measured against that stockbus, whose ledger must balance.

- JavaScript: processor time in scripts of each second (Chromium's own counter) with 50 rows in sight, each changing 60 times a second, and with three; the program
  changes all of 1,000 symbols, the stand-in only these 50
- publish to paint: from the frame's time, which the server writes, to the message behind the animation frame that painted it
- first paint, first price, bytes of the first load; long tasks (over 50 ms) while 10,000 rows are scrolled
"""
import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from harness import CHROMIUM, Standin, cell, expect, from_the_tree, sync_playwright  # noqa: E402

parser = argparse.ArgumentParser(description="measures the page")
parser.add_argument("seconds", nargs="?", type=int, default=10)
parser.add_argument("--program", help="a stockbus to measure it against")
options = parser.parse_args()
SECONDS = options.seconds
MOST = 200_000
CONFIG = """sources:
  ticks: {{ plugin: generator, symbols: {symbols}, interval: {interval}, seed: 42 }}
sinks:
  web: {{ plugin: dashboard, inputs: [ticks], listen: "127.0.0.1:0", rate: {rate}, file: "-" }}
"""


@contextlib.contextmanager
def program(*, symbols, interval, rate):
    """The address of a run, which has to end in good order."""
    with tempfile.TemporaryDirectory() as folder:
        config, told = Path(folder) / "page.yaml", Path(folder) / "told"
        config.write_text(CONFIG.format(symbols=symbols, interval=interval, rate=rate))
        with open(told, "wb") as out:
            process = subprocess.Popen([options.program, "run", str(config)], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            end = time.monotonic() + 30
            while not (found := re.search(r"http://127\.0\.0\.1:\d+", told.read_text())):
                if time.monotonic() > end or process.poll() is not None:
                    sys.exit(f"{options.program} does not start: {told.read_text()[-500:]}")
                time.sleep(0.05)
            yield found[0]
            process.send_signal(signal.SIGINT)
            if process.wait(60) != 0 or "balanced: every event is accounted for" not in told.read_text():
                sys.exit(f"the run did not end well: {told.read_text()[-500:]}")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


@contextlib.contextmanager
def standin(**how):
    yield Standin(**how).start().url


def served(standin_options, **program_options):
    return program(**program_options) if options.program else standin(**standin_options)


def metrics(session):
    return {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def load(playwright):
    with served({"still": True}, symbols=1_000, interval="1s", rate=20) as url:
        return load_from(playwright, url)


def load_from(playwright, url):
    chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    paints, prices, total = [], [], 0
    for _ in range(5):
        page = chromium.new_context(viewport={"width": 1440, "height": 900}).new_page()
        sizes = []
        page.on("response", lambda response: sizes.append(len(response.body())) if "/api/" not in response.url and response.status == 200 else None)
        page.add_init_script("""addEventListener('DOMContentLoaded', () => new MutationObserver((_, self) => {
          if (document.querySelector('.rows .price')?.textContent) { self.disconnect(); window.firstPrice = performance.now() } })
          .observe(document.body, { subtree: true, childList: true, characterData: true }))""")
        page.goto(url)
        expect(cell(page, "AAPL", "price")).to_contain_text("." if options.program else "186.48")
        paints.append(page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"))
        prices.append(page.evaluate("() => window.firstPrice"))
        total = sum(sizes)
        page.context.close()
    chromium.close()
    print(f"first paint        {min(paints):.0f} to {max(paints):.0f} ms (target 300)")
    print(f"first price        {min(prices):.0f} to {max(prices):.0f} ms")
    print(f"first load         {total:,} bytes (at most {MOST:,})")
    return total <= MOST


def live(playwright):
    # The stand-in moves 60 symbols, and the rest of its market stands still, for Python could not move it.
    with served({"rate": 60, "moving": 60, "share": 1}, symbols=1_000, interval="16ms", rate=60) as url:
        live_from(playwright, url)
    # As many rows as can all be written at once: nothing waits, and every frame is asked for.
    print("of a market in which three rows move:")
    with served({"rate": 60, "moving": 3, "share": 1}, symbols=3, interval="16ms", rate=60) as url:
        live_from(playwright, url)


def live_from(playwright, url):
    chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = chromium.new_context(viewport={"width": 1440, "height": 50 * 22 + 130}).new_page()
    if os.environ.get("PAGE_FILES"):
        page.route("**/page/*", from_the_tree)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # processor time, whoever else uses the machine
    page.goto(url)
    expect(cell(page, "AAPL", "price")).not_to_be_empty()
    page.wait_for_timeout(2000)
    count = "() => ({ frames: window.stockbus.model.counts.frames, bytes: window.stockbus.model.counts.bytes })"
    before, counted = metrics(session), page.evaluate(count)
    page.wait_for_timeout(SECONDS * 1000)
    after, told = metrics(session), page.evaluate(count)
    told = {name: told[name] - counted[name] for name in told}
    told["rows"] = page.evaluate("() => [...document.querySelectorAll('.rows .row')].filter(row => row.getBoundingClientRect().bottom < innerHeight - 25).length")
    # Apart from that, because measuring it is a script too.
    page.evaluate("""() => {
      window.latencies = []
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }) => window.latencies.push(Date.now() - data)
      const { model } = window.stockbus
      const apply = model.applyFrame.bind(model)
      model.applyFrame = buffer => { const frame = apply(buffer); port2.postMessage(model.heard + model.ahead); return frame }
    }""")
    page.wait_for_timeout(SECONDS * 1000)
    told["latencies"] = page.evaluate("() => window.latencies")
    per = lambda name: (after[name] - before[name]) / SECONDS * 1000  # noqa: E731
    print(f"rows in sight      {told['rows']}, {told['frames'] / SECONDS:.0f} frames/s, {told['bytes'] / SECONDS / 1024:.0f} KiB/s")
    print(f"JavaScript         {per('ScriptDuration'):.1f} ms of each second (target 20); layout {per('LayoutDuration'):.1f}, style {per('RecalcStyleDuration'):.1f}")
    print(f"publish to paint   p50 {percentile(told['latencies'], 0.5):.0f} ms, p99 {percentile(told['latencies'], 0.99):.0f} ms (target 25)")
    chromium.close()


def scroll(playwright):
    with served({"rate": 20}, symbols=10_000, interval="1s", rate=20) as url:
        scroll_from(playwright, url)


def scroll_from(playwright, url):
    chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = chromium.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(url)
    expect(cell(page, "AAPL", "price")).not_to_be_empty()
    page.wait_for_timeout(1000)
    page.evaluate("() => { window.tasks = []; new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(entry => entry.duration))).observe({ entryTypes: ['longtask'] }) }")
    page.mouse.move(500, 500)
    for _ in range(120):
        page.mouse.wheel(0, 1800)
        page.wait_for_timeout(16)
    tasks = page.evaluate("() => window.tasks")
    top = page.evaluate("() => document.querySelector('.grid').scrollTop")
    print(f"scrolling          {top:,.0f} pixels of 10,000 rows: {len(tasks)} long tasks {[round(task) for task in tasks]}")
    chromium.close()


with sync_playwright() as playwright:
    whole = load(playwright)
    live(playwright)
    scroll(playwright)
sys.exit(0 if whole else 1)
