#!/usr/bin/env python3
"""A picture of the screen for the page on the screen, made from a real run: tmux shows the program, its cells become an SVG.

Usage: picture.py PROGRAM [CONFIG] > Documentation/use/screen.svg

Needs tmux. The prices are the generator's; nothing recorded is in the picture.
"""
import html, os, subprocess, sys, tempfile, time, unicodedata

COLUMNS, ROWS = 100, 30
CELL, LINE, SIZE = 8.4, 18, 14
GROUND, TEXT = "#101418", "#d8dee4"


def capture(program, config, keys, seconds):
    with tempfile.TemporaryDirectory() as folder:
        socket = os.path.join(folder, "tmux")

        def tmux(*arguments):
            return subprocess.run(["tmux", "-S", socket, *arguments], capture_output=True, text=True, check=True).stdout

        run = f"env -u TMUX HOME={folder} LANG=C.UTF-8 TZ=UTC COLORTERM=truecolor {program} run --quiet {config} 2>/dev/null; sleep 5"
        tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), run)
        tmux("set", "-g", "status", "off")
        tmux("resize-window", "-x", str(COLUMNS), "-y", str(ROWS))
        time.sleep(seconds)
        for key in keys:
            tmux("send-keys", key)
            time.sleep(0.2)
        # Wait for a moment at which prices have just changed.
        time.sleep(6)
        best = ""
        for _ in range(60):
            text = tmux("capture-pane", "-p", "-e")
            if text.count("48;2;31;143;58") + text.count("48;2;179;38;30") > best.count("48;2;31;143;58") + best.count("48;2;179;38;30"):
                best = text
            time.sleep(0.05)
        tmux("kill-server")
        return best or text


class Look:
    def __init__(self):
        self.fore, self.ground, self.bold, self.inverse, self.under = None, None, False, False, False

    def obey(self, numbers):
        rest = [int(number or 0) for number in numbers.split(";")] if numbers else [0]
        while rest:
            number = rest.pop(0)
            if number == 0:
                self.__init__()
            elif number == 1:
                self.bold = True
            elif number == 4:
                self.under = True
            elif number == 7:
                self.inverse = True
            elif number in (38, 48) and rest and rest[0] == 2:
                color = "#%02x%02x%02x" % tuple(rest[1:4])
                rest = rest[4:]
                if number == 38:
                    self.fore = color
                else:
                    self.ground = color
            elif number == 39:
                self.fore = None
            elif number == 49:
                self.ground = None

    def colors(self):
        fore, ground = self.fore or TEXT, self.ground or GROUND
        return (ground, fore) if self.inverse else (fore, ground)


def svg(text):
    width, height = COLUMNS * CELL + 24, ROWS * LINE + 24
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.1f} {height:.1f}">',
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
        f'<g font-family="ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,Consolas,monospace" font-size="{SIZE}" xml:space="preserve">',
    ]
    look = Look()
    for row, line in enumerate(text.split("\n")[:ROWS]):
        column, run, begin, state = 0, "", 0, None

        def flush():
            if not run:
                return
            fore, ground, bold = state
            x, y = 12 + begin * CELL, 12 + row * LINE
            if ground != GROUND:
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{(column - begin) * CELL:.1f}" height="{LINE}" fill="{ground}"/>')
            if run.strip():
                weight = ' font-weight="bold"' if bold else ""
                length = f' textLength="{(column - begin) * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
                out.append(f'<text x="{x:.1f}" y="{y + 13.5}" fill="{fore}"{weight}{length}>{html.escape(run)}</text>')

        at = 0
        while at < len(line):
            if line[at] == "\x1b" and at + 1 < len(line) and line[at + 1] == "[":
                end = at + 2
                while end < len(line) and not line[end].isalpha():
                    end += 1
                if line[end] == "m":
                    look.obey(line[at + 2 : end])
                at = end + 1
                continue
            now = (*look.colors(), look.bold)
            if now != state:
                flush()
                run, begin, state = "", column, now
            run += line[at]
            column += 2 if unicodedata.east_asian_width(line[at]) in "WF" else 1
            at += 1
        flush()
    return "\n".join(out + ["</g>", "</svg>"]) + "\n"


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        config = sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "plugins.yaml")
        if len(sys.argv) < 3:
            with open(config, "w") as file:
                file.write(
                    "sources: { ticks: { plugin: generator, symbols: 25, interval: 900ms, seed: 42 } }\n"
                    "processors:\n  ranked: { plugin: sorting_feed, inputs: [ticks], by: price }\n"
                    "  mine: { plugin: watchlist_filter, inputs: [ranked], symbols: [AAPL, NVDA, TSLA] }\n"
                    "sinks:\n  screen: { plugin: console_viewer, inputs: [ranked] }\n  flashes: { plugin: flash_logger, inputs: [mine], pane: 4 }\n")
        print(svg(capture(program, config, ["Down", "Down", "w", "Down", "Down"], 12)), end="")


main()
