#!/usr/bin/env python3
"""The same rules here and in Prometheus, over seeded random prices: `stockbus rehearse`, `promtool test rules` and a slow model in Python
have to agree at each moment which rule has fired for which symbol and is not over.

    python3 Tests/System/Rehearsing/promtool.py [PROGRAM] [--rounds N] [--seed N]

promtool is in Debian's package prometheus; where it is absent, the script says so and ends with 77. A rule is written for both sides so
that it means the same. Where they mean different things:

- Prometheus looks at rules every evaluation_interval. Here each event is judged. So the interval is that of the samples.
- Ranges [5m] of Prometheus 2 hold both of their ends; from version 3 on, and here, not the earlier one. With samples at whole steps [4m59s]
  is the window of `sma(price, 5m)` in all of them.
- A range gives a value from its first sample on. Here a window is ready when the first event is as long ago as it is long:
  `and count_over_time(price[1d] offset 5m) > 0`.
- Prometheus forgets a price 5 minutes after its sample. Here the last price stays, however old: `last_over_time(price[1d])`.
- A range moves on while no sample comes. Here a function has the value that it got at the symbol's last event: a recording rule keeps it,
  `avg_over_time(price[4m59s]) and timestamp(price) == time()`, and the alert reads `last_over_time(average[1d])`.
- `for: 3m` of Prometheus fires if the condition is still true at the evaluation 3 minutes later. Here an event 3 minutes later shows that
  it was true until then, also if it is not any more. With 3m1ms both ask for the next event; the alert then is 1 ms later.
- A condition that is true at first fires in Prometheus; here with `initial: true`.
- `absent_over_time` counts from before the first sample. Here the silence of a symbol that has not come counts from the moment before the
  first event of the recording, 1 ns earlier.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from datetime import datetime, timedelta, timezone
from fractions import Fraction

START = datetime(2026, 1, 5, tzinfo=timezone.utc)
SYMBOLS = ["A", "B", "C", "D"]

# `ours` is a condition, with {w} for the window; `value` what Prometheus records of it at each sample (None: the last price); `test` the
# comparison with that; `model` the same of the event and the events of the window; `steps` those of `for`.
Rule = namedtuple("Rule", "name ours value test model steps isReady", defaults=(0, False))
RULES = [
    Rule("high", "above: 101", None, "> 101", lambda now, _: now[0] > 101),
    Rule("low for", "below: 99.5", None, "< 99.5", lambda now, _: now[0] < Fraction("99.5"), 3),
    Rule("average", 'when: "sma(price, {w}) > 100.0037"', "avg_over_time(price[{r}])", "> 100.0037",
         lambda _, window: sum(p for p, _ in window) / len(window) > Fraction("100.0037"), 0, True),
    Rule("average for", 'when: "sma(price, {w}) < 99.9937"', "avg_over_time(price[{r}])", "< 99.9937",
         lambda _, window: sum(p for p, _ in window) / len(window) < Fraction("99.9937"), 2, True),
    Rule("top", 'when: "highest(price, {w}) >= 101.5"', "max_over_time(price[{r}])", ">= 101.5",
         lambda _, window: max(p for p, _ in window) >= Fraction("101.5"), 0, True),
    Rule("volume", 'when: "sum(size, {w}) > 150"', "sum_over_time(size[{r}])", "> 150", lambda _, window: sum(s for _, s in window) > 150, 0, True),
    # No price of two decimals is on the border, where binary numbers and decimals may differ.
    Rule("rise", 'when: "price > 100.4013% * lowest(price, {w})"', "price / min_over_time(price[{r}])", "> 1.004013",
         lambda now, window: now[0] > Fraction("1.004013") * min(p for p, _ in window), 0, True),
]
SILENT = "silent"
# A step in seconds, the window and the silence in steps.
SHAPES = [(60, 5, 4), (15, 8, 6), (60, 12, 7), (15, 20, 10)]


def promtool(folder, rules, series, step, count):
    """What Prometheus has firing: a set of (step, rule, symbol)."""
    with open(os.path.join(folder, "rules.yml"), "w") as out:
        json.dump({"groups": [{"name": "rules", "rules": rules}]}, out)
    # It lists what it did not expect, so it expects nothing.
    asked = [{"expr": 'ALERTS{alertstate="firing"}', "eval_time": f"{k * step}s", "exp_samples": []} for k in range(count)]
    test = {"rule_files": ["rules.yml"], "evaluation_interval": f"{step}s",
            "tests": [{"interval": f"{step}s", "input_series": series, "promql_expr_test": asked}]}
    with open(os.path.join(folder, "test.yml"), "w") as out:
        json.dump(test, out)
    result = subprocess.run(["promtool", "test", "rules", "test.yml"], cwd=folder, capture_output=True, text=True)
    said = result.stdout + result.stderr
    if "FAILED:" not in said and "SUCCESS" not in said or "error" in said.lower():
        sys.exit(f"promtool could not do it:\n{said[-3000:]}")
    found, at = set(), None
    for line in said.splitlines():
        moment = re.search(r'expr: "ALERTS.*time: ([0-9hms]+),', line)
        if moment:
            units = {"h": 3600, "m": 60, "s": 1}
            at = sum(int(number) * units[unit] for number, unit in re.findall(r"(\d+)([hms])", moment[1])) // step
        for name, symbol in re.findall(r'alertname="([^"]*)", alertstate="firing", symbol="([^"]*)"', line.split("got:")[-1]):
            found.add((at, name, symbol))
    return found


def rehearse(program, folder, rules, rows, step, count):
    """What is firing here."""
    with open(os.path.join(folder, "desk.yaml"), "w") as out:
        out.write(f"sources:\n  live: {{ plugin: generator, symbols: [{', '.join(SYMBOLS)}, END] }}\nsinks:\n  desk:\n"
                  "    plugin: notification_dispatcher\n    inputs: [live]\n    rules:\n")
        out.writelines(f"      - {{ {rule} }}\n" for rule in rules)
    with open(os.path.join(folder, "rows.csv"), "w") as out:
        out.write("time,symbol,price,size\n")
        for k, symbol, price, size in rows:
            out.write(f"{(START + timedelta(seconds=k * step)).strftime('%Y-%m-%dT%H:%M:%SZ')},{symbol},{price},{size}\n")
    result = subprocess.run([program, "rehearse", "desk.yaml", "--over", "rows.csv", "--format", "json"], cwd=folder, capture_output=True,
                            text=True)
    if result.returncode != 0 or result.stderr:
        sys.exit(f"rehearse: status {result.returncode}\n{result.stderr[-3000:]}")
    changes = {}
    for line in result.stdout.splitlines():
        alert = json.loads(line)
        # Python reads microseconds. The silence of a symbol that has not come ends a nanosecond before a step: one more is that step.
        time = datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", alert["time"]).replace("Z", "+00:00")) + timedelta(microseconds=1)
        change = (int((time - START).total_seconds() // step), alert.get("status", "firing"))
        changes.setdefault((alert["rule"], alert["symbol"]), []).append(change)
    found = set()
    for (rule, symbol), moments in changes.items():
        for (begin, status), (end, _) in zip(moments, moments[1:] + [(count, "")]):
            if status == "firing":
                found.update((k, rule, symbol) for k in range(begin, min(end, count)))
    return found


def model(rules, samples, window, silence, count):
    """What should be firing: each step of each rule and symbol by itself."""
    found = set()
    for symbol, values in samples.items():
        for rule in rules:
            since = None
            for k in range(count):
                if k in values:
                    recent = [values[i] for i in range(k - window + 1, k + 1) if i in values]
                    isTrue = (not rule.isReady or k - min(values) >= window) and rule.model(values[k], recent)
                    since = (k if since is None else since) if isTrue else None
                if since is not None and k - since >= rule.steps:
                    found.add((k, rule.name, symbol))
        for k in range(silence, count):
            if not any(i in values for i in range(k - silence + 1, k + 1)):
                found.add((k, SILENT, symbol))
    return found


def written(rule, step, window):
    """A rule here, and in Prometheus."""
    (w, r) = (f"{window * step}s", f"{window * step - 1}s")
    ours = [f"name: {rule.name}", rule.ours.format(w=w), "initial: true", "resolve: true", f"symbols: [{', '.join(SYMBOLS)}]"]
    if rule.steps:
        ours.append(f"for: {rule.steps * step * 1000 + 1}ms")
    theirs, last = [], "price"
    if rule.value:
        last = rule.name.replace(" ", "_")
        ready = f" and count_over_time(price[1d] offset {w}) > 0" if rule.isReady else ""
        theirs.append({"record": last, "expr": f"{rule.value.format(r=r)} and timestamp(price) == time(){ready}"})
    theirs.append({"alert": rule.name, "expr": f"last_over_time({last}[1d]) {rule.test}", "for": f"{rule.steps * step}s"})
    return ", ".join(ours), theirs


def samples_of(chance, count):
    """A random walk in cents with holes, for each symbol; the first begins at once."""
    samples = {}
    for symbol in SYMBOLS:
        price, values = 10_000 + chance.randint(-60, 60), {}
        hole = 0 if symbol == SYMBOLS[0] else chance.randint(0, 12)
        for k in range(count):
            price += chance.randint(-35, 35) + (chance.randint(-150, 150) if chance.random() < 0.05 else 0) + (10_000 - price) // 20
            if hole > 0:
                hole -= 1
                continue
            if chance.random() < 0.04:
                hole = chance.randint(0, 15)
            values[k] = (Fraction(price, 100), chance.choice([1, 5, 10, 40, 60]))
        samples[symbol] = values
    return samples


def text(price):
    return f"{float(price):.2f}"


def firings(active):
    return {(k, rule, symbol) for k, rule, symbol in active if (k - 1, rule, symbol) not in active}


def compare(what, step, found):
    """Prints what differs; true if nothing does."""
    names = list(found)
    same = all(found[name] == found[names[0]] for name in names)
    fired = firings(found[names[0]])
    by_rule = {rule: sum(1 for _, name, _ in fired if name == rule) for rule in sorted({name for _, name, _ in fired})}
    print(f"{what}: {len(fired)} alerts ({', '.join(f'{name} {number}' for name, number in by_rule.items())}), "
          f"{len(found[names[0]])} steps firing: {'the same in ' + ', '.join(names) if same else 'DIFFERS'}", flush=True)
    for moment in sorted(set().union(*found.values())):
        where = [name for name in names if moment in found[name]]
        if len(where) < len(names):
            print(f"  {moment[0] * step}s {moment[1]} {moment[2]}: only {' and '.join(where)}")
    return same and len(fired) > 0


def seeded(program, folder, number, seed):
    step, window, silence = SHAPES[number % len(SHAPES)]
    count = 240
    samples = samples_of(random.Random(f"{seed}.{number}"), count)
    ours, theirs = [], []
    for rule in RULES:
        one, other = written(rule, step, window)
        ours.append(one)
        theirs += other
    ours.append(f"name: {SILENT}, silent_for: {silence * step}s, resolve: true, symbols: [{', '.join(SYMBOLS)}]")
    theirs += [{"alert": SILENT, "expr": f'absent_over_time(price{{symbol="{symbol}"}}[{silence * step - 1}s]) '
                f"and on() (vector(time()) >= {silence * step})"} for symbol in SYMBOLS]
    rows = [(k, symbol, text(samples[symbol][k][0]), samples[symbol][k][1]) for k in range(count) for symbol in SYMBOLS if k in samples[symbol]]
    # Shows that time went on after the last step.
    rows.append((count, "END", "1", 1))
    series = []
    for place, name in enumerate(["price", "size"]):
        for symbol in SYMBOLS:
            values = [samples[symbol].get(k) for k in range(count)]
            words = ["_" if value is None else text(value[0]) if place == 0 else str(value[1]) for value in values]
            series.append({"series": f'{name}{{symbol="{symbol}"}}', "values": " ".join(words)})
    found = {"rehearse": rehearse(program, folder, ours, rows, step, count), "promtool": promtool(folder, theirs, series, step, count),
             "model": model(RULES, samples, window, silence, count)}
    return compare(f"round {number}, {len(rows)} trades, one each {step}s, windows of {window}", step, found)


def golden_cross(program, folder):
    """By hand, averages of the last 2 and the last 3 prices:

    minute   0   1   2    3     4    5     6     7    8     9
    price   10   9   8    9     10   12    6     6    13    14
    of 2         9.5 8.5  8.5   9.5  11    9     6    9.5   13.5
    of 3             9    8.67  9    10.33 9.33  8    8.33  11
    above            no   no    yes  yes   no    no   yes   yes
    fires                       *                     *
    """
    prices = [10, 9, 8, 9, 10, 12, 6, 6, 13, 14]
    count = len(prices)
    ours = ['name: golden cross, when: "crosses_above(sma(price, 2), sma(price, 3))", resolve: true, symbols: [A]']
    fast, slow = "avg_over_time(price[119s]{0})", "avg_over_time(price[179s]{0})"
    before = f"{fast} <= {slow} and count_over_time(price[179s]{{0}}) == 3".format(" offset 1m")
    theirs = [{"alert": "golden cross", "expr": f"{fast} > {slow} and ".format("") + before}]
    found = {"rehearse": rehearse(program, folder, ours, [(k, "A", price, 1) for k, price in enumerate(prices)], 60, count),
             "promtool": promtool(folder, theirs, [{"series": 'price{symbol="A"}', "values": " ".join(map(str, prices))}], 60, count),
             "by hand": {(4, "golden cross", "A"), (8, "golden cross", "A")}}
    return compare("golden cross", 60, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/debug/stockbus")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if shutil.which("promtool") is None:
        print("SKIPPED: rules beside Prometheus: there is no promtool (Debian's package prometheus)")
        sys.exit(77)
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        right = golden_cross(program, folder)
        for number in range(arguments.rounds):
            right = seeded(program, folder, number, arguments.seed) and right
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
