#!/usr/bin/env python3
"""The built program under tmux, driven by keys: what `capture-pane` shows is compared with Tests/Fixtures/tmux.

Usage: tmux.py PROGRAM            compares
       UPDATE_GOLDENS=1 tmux.py PROGRAM   writes the files, to be looked over

The generator makes one round of prices at once and the next in an hour, so that every frame is the same each time; clocks, rates and lags are
masked. Exit status 1 where something differs; 77 where there is no tmux.
"""
import os, re, shutil, subprocess, sys, tempfile, time

PROGRAM = os.path.abspath(sys.argv[1])
GOLDENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Fixtures", "tmux")
CONFIG = """
sources: { ticks: { plugin: generator, symbols: 8, interval: 1h, seed: 42, start: "2013-10-08T13:30:00Z" } }
processors: { ranked: { plugin: sorting_feed, inputs: [ticks] } }
sinks: { screen: { plugin: console_viewer, inputs: [ranked, connections], %s } }
"""
# The ground of the chosen row in the dark theme.
CHOSEN = "43;58;74"
failures = 0


class Screen:
    def __init__(self, columns, rows, options="calm: 0s", environment=""):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "plugins.yaml")
        with open(path, "w") as file:
            file.write(CONFIG % options)
        self.socket = os.path.join(self.folder.name, "tmux")
        command = f"cd {self.folder.name}; env -u TMUX HOME={self.folder.name} LANG=C.UTF-8 COLORTERM=truecolor TZ=UTC {environment} {PROGRAM} run --quiet {path}"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), f"{command}; sleep 5")
        self.tmux("set", "-g", "status", "off")
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        self.until(lambda text: "GOOGL" in text)

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, check=True).stdout

    def keys(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)
            time.sleep(0.15)

    def text(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def until(self, condition, patience=15):
        end = time.monotonic() + patience
        while True:
            text = self.text()
            if condition(text):
                return text
            if time.monotonic() > end:
                return text
            time.sleep(0.1)

    def settled(self):
        """The screen once it stands still: no flash, no message, no held order."""
        last, since = None, time.monotonic()
        end = time.monotonic() + 15
        while time.monotonic() < end:
            text = masked(self.text())
            if text != last:
                last, since = text, time.monotonic()
            if time.monotonic() - since > 1.5 and "order held" not in text:
                break
            time.sleep(0.1)
        return last

    def close(self):
        self.tmux("kill-server")
        self.folder.cleanup()


def masked(text):
    text = re.sub(r"\b\d\d:\d\d(:\d\d)?( UTC)?( *\n| *$)", lambda m: re.sub(r"\d", "0", m.group(0)), text, flags=re.M)
    text = re.sub(r"lag [0-9.]+(µs|ms|s|m|h)", "lag _", text)
    text = re.sub(r"\b[0-9.]+k?/s", "_/s", text)
    return "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n")) + "\n"


def compare(name, text):
    global failures
    path = os.path.join(GOLDENS, name + ".txt")
    if os.environ.get("UPDATE_GOLDENS") == "1":
        os.makedirs(GOLDENS, exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    with open(path) as file:
        golden = file.read()
    if text == golden:
        print(f"ok      {name}", flush=True)
    else:
        failures += 1
        print(f"FAILED  {name}\n--- golden\n{golden}--- got\n{text}", flush=True)


def check(name, condition, text=""):
    global failures
    failures += 0 if condition else 1
    print(f"{'ok    ' if condition else 'FAILED'}  {name} {'' if condition else text}", flush=True)


def pages():
    screen = Screen(80, 24)
    try:
        compare("table-80x24", screen.settled())
        screen.keys("/", "a", "m")
        compare("filter", screen.settled())
        screen.keys("Escape")
        time.sleep(0.3)
        screen.keys("Down", "Enter")
        compare("detail", screen.settled())
        screen.keys("a")
        compare("alert-prompt", screen.settled())
        screen.keys("Up")
        time.sleep(4.5)
        compare("alert", screen.settled())
        screen.keys("Escape")
        # Together they would be Alt-?.
        time.sleep(0.3)
        screen.keys("?")
        compare("help", screen.settled())
        screen.keys("?")
        for columns, rows in [(120, 40), (20, 6), (80, 24)]:
            screen.tmux("resize-window", "-x", str(columns), "-y", str(rows))
            time.sleep(0.5)
            compare(f"resize-{columns}x{rows}", screen.settled())
        screen.keys("w", "2")
        time.sleep(4.5)
        compare("watchlist", screen.settled())
        state = os.path.join(screen.folder.name, ".local/state/stockbus/console_viewer")
        with open(state) as file:
            check("the watchlist is kept", "watch " in file.read())
        screen.keys("q")
        text = screen.until(lambda text: "Prices" not in text)
        check("q gives the window back", "Prices" not in text, text)
    finally:
        screen.close()


def sizes():
    for columns, rows in [(120, 40), (20, 6)]:
        screen = Screen(columns, rows)
        try:
            compare(f"table-{columns}x{rows}", screen.settled())
        finally:
            screen.close()


def fading():
    """A recorded session: `+` raises a price, and its ground goes from green to the screen's own in steps."""
    screen = Screen(60, 12, options="calm: 0s, flash: 2s, columns: [symbol, price]")
    try:
        screen.settled()
        screen.keys("Down", "+")
        grounds = []
        end = time.monotonic() + 4
        while time.monotonic() < end:
            for line in screen.text("-e").split("\n"):
                if "▸" in line:
                    found = [ground for ground in re.findall(r"48;2;(\d+;\d+;\d+)", line) if ground != CHOSEN]
                    ground = found[0] if found else CHOSEN
                    # The first look may be earlier than the flash.
                    if grounds[-1:] != [ground] and (grounds or ground != CHOSEN):
                        grounds.append(ground)
            time.sleep(0.03)
        greens = [int(ground.split(";")[1]) for ground in grounds]
        check(f"a flash fades in steps ({' → '.join(grounds)})", len(grounds) >= 6 and greens == sorted(greens, reverse=True), str(grounds))
        check("and ends at the ground of the row", grounds[-1] == CHOSEN, str(grounds))
    finally:
        screen.close()


if not shutil.which("tmux"):
    print("SKIPPED: there is no tmux here")
    sys.exit(77)
for case in sys.argv[2:] or ["pages", "sizes", "fading"]:
    globals()[case]()
print(f"{failures} failed" if failures else "everything is shown as it should be")
sys.exit(1 if failures else 0)
