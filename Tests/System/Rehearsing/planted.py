#!/usr/bin/env python3
"""Five configurations with a mistake each, and a short test that finds it: it passes without the mistake, and with it fails at the line that
says what should have come.

    python3 Tests/System/Rehearsing/planted.py [PROGRAM]
"""
import os
import re
import subprocess
import sys
import tempfile

# What is right, what is written, the configuration with @ for it, the test, and the places and texts of the failure.
CASES = {
    "a window that is too short": ("window: 10m", "window: 10s", """
sources: { live: { plugin: websocket, preset: coinbase_exchange, symbols: [BTC-USD] } }
sinks:
  desk:
    plugin: notification_dispatcher
    inputs: [live]
    rules: [{ name: quick rise, rises_by: 2%, @ }]
    channels: [{ desktop: {} }]
""", """configuration: desk.yaml
tests:
  - name: two per cent in four minutes are a quick rise
    # 100, 100.50, 101, 101.50, 102: two per cent above the first price.
    input: { live: { BTC-USD: "100 +0.50x4", every: 1m } }
    expect:
      desk: [{ at: 4m, rule: quick rise, price: 102 }]
""", [(7, "desk did not give { at: 4m, rule: quick rise, price: 102 }")]),
    "a symbol that is missing in a watchlist": ("[BTC-USD, ETH-USD]", "[BTC-USD, ETC-USD]", """
sources: { live: { plugin: websocket, preset: coinbase_exchange, symbols: ["*-USD"] } }
processors:
  mine: { plugin: watchlist_filter, inputs: [live], symbols: @ }
  minutes: { plugin: bars, inputs: [mine], lengths: 1m }
sinks: { kept: { plugin: file_writer, inputs: [minutes], path: bars.csv } }
""", """configuration: desk.yaml
tests:
  - name: both have bars
    input: { live: { BTC-USD: "100 101", ETH-USD: "10 11", every: 2m } }
    expect:
      minutes:
        contains:
          - { at: 0s, symbol: BTC-USD, close: 100 }
          - { at: 0s, symbol: ETH-USD, close: 10 }
""", [(9, "minutes did not give { at: 0s, symbol: ETH-USD, close: 10 }")]),
    "a file that gives up on a full disk": ("patience: 1m", "patience: 2s", """
sources: { live: { plugin: websocket, preset: coinbase_exchange, symbols: [BTC-USD] } }
sinks: { kept: { plugin: file_writer, inputs: [live], path: kept.jsonl, @ } }
""", """configuration: desk.yaml
tests:
  - name: ten seconds without room cost nothing
    input: { live: { BTC-USD: "100 +1x30", every: 1s } }
    faults: [{ at: 10s, disk: full, for: 10s }]
    expect: { ledger: { lost: 0, kept: { records: 31 } } }
""", [(6, "lost is 2, not 0"), (6, "kept's records is 10, not 31")]),
    "a rule that is never armed again": ("rearm: 0.5%", "rearm: 50%", """
sources: { live: { plugin: websocket, preset: coinbase_exchange, symbols: [BTC-USD] } }
sinks:
  desk:
    plugin: notification_dispatcher
    inputs: [live]
    rules: [{ name: high, crosses_above: 100, @ }]
    channels: [{ desktop: {} }]
""", """configuration: desk.yaml
tests:
  - name: above 100, and again after it was back at 99.50
    input: { live: { BTC-USD: "99 101 99.60 101 99.50 101", every: 1m } }
    expect:
      desk:
        - { at: 1m, rule: high }
        - { at: 5m, rule: high }
""", [(8, "desk did not give { at: 5m, rule: high }")]),
    "a rule for the wrong symbol": ("symbol: BTC-USD", "symbol: BTC-USDT", """
sources: { live: { plugin: websocket, decoding: { url: "wss://example.org", time: iso8601,
  messages: { print: { when: { type: print }, event: trade, fields: { symbol: s, price: p, size: q, time: t } } } } } }
sinks:
  desk:
    plugin: notification_dispatcher
    inputs: [live]
    rules:
      - { name: low, @, below: 90, for: 2m, resolve: true }
      - { name: high, symbol: ETH-USD, above: 10 }
    channels: [{ desktop: {} }]
""", """configuration: desk.yaml
tests:
  - name: two minutes below 90, and then it is over
    # Below 90 from minute 1 on; ether is above 10 in minute 2.
    input: { live: { BTC-USD: "91 89 88 87 91", ETH-USD: "10 10 11", every: 1m } }
    expect:
      desk:
        - { at: 2m, rule: high, symbol: ETH-USD }
        - { at: 3m, rule: low, symbol: BTC-USD, status: firing }
        - { at: 4m, rule: low, symbol: BTC-USD, status: resolved }
""", [(9, "desk did not give { at: 3m, rule: low, symbol: BTC-USD, status: firing }"),
      (10, "desk did not give { at: 4m, rule: low, symbol: BTC-USD, status: resolved }")]),
}


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".build/debug/stockbus")
    wrong = False
    for name, (right, mistake, desk, test, expected) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            results = []
            for written in [right, mistake]:
                for path, text in [("desk.yaml", desk.lstrip().replace("@", written)), ("desk.test.yaml", test)]:
                    with open(os.path.join(folder, path), "w") as out:
                        out.write(text)
                results.append(subprocess.run([program, "test", "desk.test.yaml"], cwd=folder, capture_output=True, text=True))
        good, bad = results
        print(f"{name}: {mistake} for {right}\n{bad.stdout}{bad.stderr}", flush=True)
        found = [(int(line), text) for line, text in re.findall(r"^ +desk\.test\.yaml:(\d+):\d+: (.*)$", bad.stdout, re.M)]
        # A failure may say more at its end.
        fits = len(found) == len(expected) and all(a[0] == b[0] and a[1].startswith(b[1]) for a, b in zip(found, expected))
        if good.returncode != 0 or "1 test, all passed" not in good.stdout:
            wrong = True
            print(f"  without the mistake: status {good.returncode}\n{good.stdout}{good.stderr}")
        if bad.returncode != 1 or not fits:
            wrong = True
            print(f"  status {bad.returncode}, expected {expected}")
    print("not all found" if wrong else f"all {len(CASES)} found")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
