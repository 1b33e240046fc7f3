#!/usr/bin/env python3
"""A picture of the dashboard's page for the README, against the tests' stand-in: its market is made up and has a seed.

    .build/browser/bin/python3 Scripts/page-picture.py Documentation/use/page.png

Scripts/browser.sh makes the Python that it needs.
"""
import io
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests/System/Browser"))

from PIL import Image  # noqa: E402
from harness import CHROMIUM, Standin, cell, expect, sync_playwright  # noqa: E402

STYLE = "#rates { visibility: hidden }"
SECONDS = 45  # as long as the small trends take to have a shape
FLASHES = """() => [...document.querySelectorAll('.rows .glow')].filter(glow => getComputedStyle(glow).opacity > 0.5).length"""


def best(page):
    """The picture of a moment in which several prices have just changed."""
    most, picture = -1, None
    for _ in range(12):
        count = page.evaluate(FLASHES)
        if count > most:
            most, picture = count, page.screenshot(style=STYLE)
        page.wait_for_timeout(300)
    return picture


def main():
    standin = Standin(symbols=4_000, seed=42, live_time=False, share=0.02).start()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = chromium.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light", bypass_csp=True).new_page()
        page.goto(standin.url + "/symbol/AAPL")
        expect(cell(page, "AAPL", "price")).not_to_be_empty()
        page.wait_for_timeout(SECONDS * 1000)
        picture = Image.open(io.BytesIO(best(page))).convert("RGB")
        chromium.close()
    standin.close()
    picture.quantize(192, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(sys.argv[1], optimize=True)


if __name__ == "__main__":
    main()
