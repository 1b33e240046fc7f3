#!/usr/bin/env python3
"""One recording gives one digest of alerts: two rehearsals, and live runs of the same configuration, which replay it at full speed and in time
through the embedded echo, all have the alerts of a slow model of the rules. With a rule changed, `--against` shows exactly the alerts that differ.

    python3 Tests/System/Rehearsing/digest.py [PROGRAM] [--trades N] [--seed N]

The recording is made up from the seed.
"""
import argparse
import csv
import hashlib
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import datetime, timedelta, timezone
from fractions import Fraction

START = datetime(2026, 1, 5, 14, 30, tzinfo=timezone.utc)
SYMBOLS = ["AAA", "BBB", "CCC", "DDD"]
DESK = """
sources:
  rows: {{ plugin: file_replay, path: rows.csv, speed: {speed} }}
  live: {{ plugin: echo_socket, inputs: [rows], url: embedded }}
sinks:
  desk:
    plugin: notification_dispatcher
    inputs: [live]
    rules:
      - {{ name: level, crosses_above: {level}, rearm: 0.2%, cooldown: 1m }}
      - {{ name: average, when: "crosses_above(price, sma(price, 20))", cooldown: 30s }}
      - {{ name: held, below: 99.7, for: {hold}s, resolve: true }}
      - {{ name: fall, falls_by: {fall}%, window: 1m, cooldown: 45s }}
      - {{ name: silent, symbols: [{symbols}], silent_for: 20s, resolve: true }}
  kept: {{ plugin: recorder, inputs: [desk], path: alerts.jsonl, append: false }}
"""
USUAL = {"level": "100.30", "hold": 10, "fall": "0.5"}


def recording(seed, count):
    """Trades of four symbols, (milliseconds, symbol, cents, size), in the order of their times; now and then a symbol is silent."""
    chance = random.Random(seed)
    now, rows, prices, quiet = 0, [], dict.fromkeys(SYMBOLS, 10_000), dict.fromkeys(SYMBOLS, 0)
    while len(rows) < count:
        now += chance.randint(50, 1500)
        symbol = chance.choice(SYMBOLS)
        if chance.random() < 0.01:
            quiet[symbol] = now + chance.randint(10_000, 60_000)
        if now < quiet[symbol]:
            continue
        prices[symbol] += chance.randint(-9, 9) + (10_000 - prices[symbol]) // 50
        rows.append((now, symbol, prices[symbol], chance.randint(1, 9) * 100))
    return rows


# MARK: The model

class Rule:
    """A rule for one symbol, as Documentation/use/alerts.md describes it. A subclass says what holds at an event, and when it is armed again."""
    cooldown = 0
    isMoment = False

    def __init__(self, settings):
        self.settings = settings
        self.state, self.last = None, None

    def take(self, now, price):
        """True if the rule fires."""
        holds = self.holds(now, price)
        if self.state is None or holds is None:
            if holds is not None:
                self.state = "passed" if holds else "armed"
            return False
        if not holds:
            if self.state == "waiting" or self.state == "passed" and self.isBack(price):
                self.state = "armed"
            return False
        if self.state == "passed":
            return False
        if self.last is not None and now - self.last < self.cooldown:
            self.state = "passed" if self.isMoment else "waiting"
            return False
        self.state, self.last = "passed", now
        return True

    def isBack(self, price):
        return True


class Level(Rule):
    cooldown, isMoment = 60_000, True

    def holds(self, now, price):
        return price > Fraction(self.settings["level"]) * 100

    def isBack(self, price):
        return price <= Fraction(self.settings["level"]) * 100 * Fraction("0.998")


class Average(Rule):
    cooldown = 30_000

    def __init__(self, settings):
        super().__init__(settings)
        self.prices, self.isAbove = [], True

    def holds(self, now, price):
        self.prices = (self.prices + [price])[-20:]
        if len(self.prices) < 20:
            return None
        before, self.isAbove = self.isAbove, price > Fraction(sum(self.prices), 20)
        # Never where the average has its first value.
        return self.isAbove and not before


class Fall(Rule):
    cooldown = 45_000

    def __init__(self, settings):
        super().__init__(settings)
        self.prices = []

    def holds(self, now, price):
        self.prices.append((now, price))
        # With the last price from before the window.
        while len(self.prices) > 1 and self.prices[1][0] <= now - 60_000:
            self.prices.pop(0)
        highest = max(price for _, price in self.prices)
        return highest - price >= highest * Fraction(self.settings["fall"]) / 100


def model(rows, settings):
    """What should fire: (milliseconds, rule, symbol, status)."""
    found = []
    end = rows[-1][0]
    for symbol in SYMBOLS:
        rules = {"level": Level(settings), "average": Average(settings), "fall": Fall(settings)}
        own = [(now, price) for now, name, price, _ in rows if name == symbol]
        for now, price in own:
            found += [(now, name, symbol, "firing") for name, rule in rules.items() if rule.take(now, price)]
        hold, since, isOpen, isFirst = settings["hold"] * 1000, None, False, True
        # What is true at the first price does not count; the end of the recording only until the last event.
        for now, price in own + [(end, None)]:
            if since is not None and (since + hold <= now if price is not None else since + hold < end):
                if not isOpen:
                    found.append((since + hold, "held", symbol, "firing"))
                    isOpen = True
            if price is None:
                break
            if price < 9970:
                since = now if since is None and not isFirst else since
            else:
                if isOpen:
                    found.append((now, "held", symbol, "resolved"))
                since, isOpen, isFirst = None, False, False
            isFirst = isFirst and price < 9970
        # Silence counts from the moment before the first event of all.
        for (before, _), (now, _) in zip([(rows[0][0] - 1e-6, None)] + own, own + [(end, None)]):
            if before + 20_000 < now:
                found.append((before + 20_000, "silent", symbol, "firing"))
                if now < end or own[-1][0] == end:
                    found.append((now, "silent", symbol, "resolved"))
    return Counter(found)


# MARK: The program

def milliseconds(text):
    return (datetime.fromisoformat(text.replace("Z", "+00:00")) - START) / timedelta(milliseconds=1)


def key(alert):
    return milliseconds(alert["time"]), alert["rule"], alert["symbol"], alert.get("status") or "firing"


class Desk:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def write(self, name, settings, speed="max"):
        with open(os.path.join(self.folder, name), "w") as out:
            out.write(DESK.format(speed=speed, symbols=", ".join(SYMBOLS), **settings))

    def run(self, *arguments):
        result = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if result.returncode != 0:
            sys.exit(f"stockbus {' '.join(arguments)}: status {result.returncode}\n{result.stderr[-3000:]}")
        return result

    def rehearse(self, name, *arguments):
        """The alerts as lines of JSON, as a recorder writes them."""
        said = self.run("rehearse", name, "--format", "json", *arguments).stdout
        return [line.replace('{"component":"desk",', "{", 1) for line in said.splitlines()]

    def live(self, name):
        said = self.run("run", name)
        if "balanced" not in said.stdout + said.stderr:
            sys.exit(f"run {name}: not balanced\n{(said.stdout + said.stderr)[-3000:]}")
        with open(os.path.join(self.folder, "alerts.jsonl")) as file:
            return file.read().splitlines()

    def differences(self, new, old):
        """What --against shows, from each of the formats: the alerts that came, those that are no more, and the pairs that are one at another time;
        in the table without their symbols."""
        arguments = ["rehearse", new, "--over", "rows.csv", "--against", old, "--format"]
        records = {"json": [json.loads(line) for line in self.run(*arguments, "json").stdout.splitlines()],
                   "csv": list(csv.DictReader(io.StringIO(self.run(*arguments, "csv").stdout)))}
        found = {}
        for name, rows in records.items():
            came = Counter(key(row) for row in rows if row["change"] in ["more", "moved"])
            gone = Counter(key(row) for row in rows if row["change"] == "less")
            moves = {((milliseconds(row["was"]), *key(row)[1:]), key(row)) for row in rows if row["change"] == "moved"}
            found[name] = came, gone + Counter(before for before, _ in moves), moves
        said = self.run(*arguments, "table").stdout
        came, gone = Counter(), Counter()
        for sign, time, was, rule in re.findall(r"^([-+~]) (\S+)(?:  was (\S+))?  (\w+)  ", said, re.M):
            (gone if sign == "-" else came)[milliseconds(time), rule] += 1
            if was:
                gone[milliseconds(was), rule] += 1
        counts = re.search(r"^([\d,]+) the same, ([\d,]+) more, ([\d,]+) less, ([\d,]+) at another time$", said, re.M)
        found["table"] = came, gone, moves
        return found, [int(count.replace(",", "")) for count in counts.groups()]


    def test(self, alerts):
        """What `stockbus test` says if it expects these alerts, one on each line from the eighth on."""
        with open(os.path.join(self.folder, "desk.test.yaml"), "w") as out:
            out.write("configuration: desk.yaml\ntests:\n  - name: all\n" f"    start: {START:%Y-%m-%dT%H:%M:%SZ}\n"
                      "    input: { rows: rows.csv }\n    expect:\n      desk:\n")
            for now, rule, symbol, status in alerts:
                out.write(f"        - {{ at: {now:.6f}ms, rule: {rule}, symbol: {symbol}, status: {status} }}\n")
        return subprocess.run([self.program, "test", "desk.test.yaml"], cwd=self.folder, capture_output=True, text=True).stdout


def digest(lines):
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def nearest(came, gone):
    """Pairs of an alert that is no more and one that came, of one rule and symbol, that are nearer to each other than to any other one."""
    pairs = {}
    for before in gone:
        for after in came:
            if before[1:] == after[1:]:
                pairs[before, after] = abs(before[0] - after[0])
    return {(before, after) for (before, after), distance in pairs.items()
            if all(distance < other for (b, a), other in pairs.items() if (b == before) != (a == after))}


def short(alerts):
    return sorted(alerts.elements())[:10]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/debug/stockbus")
    parser.add_argument("--trades", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(os.path.abspath(arguments.program), folder)
        rows = recording(arguments.seed, arguments.trades)
        with open(os.path.join(folder, "rows.csv"), "w") as out:
            out.write("time,symbol,price,size\n")
            for now, symbol, price, size in rows:
                time = (START + timedelta(milliseconds=now)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
                out.write(f"{time}Z,{symbol},{price // 100}.{price % 100:02},{size}\n")
        desk.write("desk.yaml", USUAL)
        # An hour in six seconds.
        desk.write("paced.yaml", USUAL, "600x")
        found = {"rehearsal": desk.rehearse("desk.yaml", "--over", "rows.csv"), "again": desk.rehearse("desk.yaml", "--over", "rows=rows.csv"),
                 "live": desk.live("desk.yaml"), "live, 600x": desk.live("paced.yaml")}
        expected = model(rows, USUAL)
        by_rule = Counter(f"{rule}{'' if status == 'firing' else ' over'}" for _, rule, _, status in expected.elements())
        print(f"{len(rows)} trades in {rows[-1][0] // 60000} minutes: {', '.join(f'{name} {count}' for name, count in sorted(by_rule.items()))}")
        for name, lines in found.items():
            alerts = Counter(key(json.loads(line)) for line in lines)
            fits = alerts == expected and digest(lines) == digest(found["rehearsal"])
            print(f"{name}: {len(lines)} alerts, {digest(lines)}{'' if fits else ': DIFFERS'}", flush=True)
            if not fits:
                wrong.append(name)
                print(f"  not expected {short(alerts - expected)}\n  missing {short(expected - alerts)}")
        # In the order in which they come.
        alerts = [key(json.loads(line)) for line in found["live"]]
        middle = len(alerts) // 2
        other = [*alerts[:middle], (alerts[middle][0] + 1, *alerts[middle][1:]), *alerts[middle + 1:]]
        passes, fails = desk.test(alerts), desk.test(other)
        fits = "1 test, all passed" in passes and re.findall(r"desk\.test\.yaml:(\d+):", fails) == [str(8 + middle)]
        print(f"test: {len(alerts)} alerts as they came, and one of them a millisecond later{'' if fits else ': DIFFERS'}", flush=True)
        if not fits:
            wrong.append("test")
            print(passes[-1000:], fails[-1000:], sep="")
        for change in [{"level": "100.45"}, {"level": "100.20"}, {"hold": 12}, {"fall": "0.6"}, {}]:
            desk.write("new.yaml", USUAL | change)
            after = model(rows, USUAL | change)
            came, gone = after - expected, expected - after
            shown, (same, more, less, moved) = desk.differences("new.yaml", "desk.yaml")
            bare = tuple(Counter((now, rule) for now, rule, *_ in side.elements()) for side in [came, gone])
            # Those that are nearest to each other are one alert at another time.
            fits = shown["json"] == shown["csv"] and shown["json"][:2] == (came, gone) and nearest(came, gone) <= shown["json"][2]
            # The table lists fifty.
            if more + less + moved <= 50:
                fits = fits and shown["table"][:2] == bare
            fits = fits and (same, more + moved, less + moved) == ((after & expected).total(), came.total(), gone.total())
            what = ", ".join(f"{name}: {value}" for name, value in change.items()) or "nothing changed"
            print(f"{what}: {same} the same, {more} more, {less} less, {moved} at another time{'' if fits else ': DIFFERS'}", flush=True)
            if not fits:
                wrong.append(what)
                for name, (a, b, _) in shown.items():
                    expect = bare if name == "table" else (came, gone)
                    print(f"  {name}: not expected {short(a - expect[0] + (b - expect[1]))}, missing {short(expect[0] - a + (expect[1] - b))}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
