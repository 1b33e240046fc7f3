#!/usr/bin/env python3
"""A rehearsal does not depend on how fast its components are: where a component has several inputs, or an input that leaves events out when it
falls behind, it has the alerts of the same configuration with `merge: received` and inputs that block, each time.

    python3 Tests/System/Rehearsing/order.py [PROGRAM] [--rounds N]
"""
import argparse
import os
import subprocess
import sys
import tempfile

DESK = """
sources:
  one: {{ plugin: generator, symbols: [A] }}
  two: {{ plugin: generator, symbols: [A] }}
processors:
  dear: {{ plugin: filter, inputs: [one], where: price > 100 }}
  cheap: {{ plugin: filter, inputs: [one], where: price <= 100 }}
sinks:
  desk: {{ plugin: notification_dispatcher, {inputs}, rules: [{{ name: high, crosses_above: 100 }}] }}
  rest: {{ plugin: null_sink, inputs: [two, dear, cheap] }}
"""
# As it is written, and as it is meant.
CASES = {
    "two sources": ("inputs: [dear, two]", "inputs: [dear, two], merge: received"),
    "two ways from one source": ("inputs: [dear, cheap]", "inputs: [dear, cheap], merge: received"),
    "the newest events": ("inputs: [{ from: one, overflow: drop_oldest, capacity: 64 }]", "inputs: [one]"),
    "the oldest events": ("inputs: [{ from: one, overflow: drop_newest, capacity: 64 }]", "inputs: [one]"),
    "the last event of each symbol": ("inputs: [{ from: one, overflow: conflate }]", "inputs: [one]"),
}


def rehearse(program, folder, inputs):
    with open(os.path.join(folder, "desk.yaml"), "w") as out:
        out.write(DESK.format(inputs=inputs))
    result = subprocess.run([program, "rehearse", "desk.yaml", "--over", "one=one.csv", "--over", "two=two.csv", "--format", "csv"], cwd=folder,
                            capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"rehearse: status {result.returncode}\n{result.stderr}")
    return result.stdout.splitlines()[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/debug/stockbus")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    program, wrong = os.path.abspath(arguments.program), False
    with tempfile.TemporaryDirectory() as folder:
        # One goes up and down every second, two is low half a second later.
        for name, prices, part in [("one", [99, 101], "000"), ("two", [98], "500")]:
            with open(os.path.join(folder, f"{name}.csv"), "w") as out:
                out.write("time,symbol,price,size\n")
                for k in range(20_000):
                    out.write(f"2026-01-05T{k // 3600:02}:{k // 60 % 60:02}:{k % 60:02}.{part}Z,A,{prices[k % len(prices)]},1\n")
        for name, (written, meant) in CASES.items():
            expected = rehearse(program, folder, meant)
            found = [rehearse(program, folder, written) for _ in range(arguments.rounds)]
            fits = all(alerts == expected for alerts in found) and len(expected) == 10_000
            print(f"{name}: {len(expected)} alerts{'' if fits else f', DIFFERS: {[len(alerts) for alerts in found]}'}", flush=True)
            wrong = wrong or not fits
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
