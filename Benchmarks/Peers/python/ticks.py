"""ticks.py FOLDER [ROWS]: made-up ticks, always the same: 5,000,000 of 500 symbols with random-walk prices.

Writes ticks.csv and ticks.jsonl, the same as JSON lines with the keys in another order (other.jsonl), in an order that changes
from row to row (mixed.jsonl) and with escapes (escaped.jsonl); watch20.txt, of whose symbols 4 % of the rows are, and all.txt.
"""
import json
import sys

import numpy as np

folder = sys.argv[1]
rows = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000_000
SYMBOLS = 500
rng = np.random.default_rng(20240701)

symbols = ["AAPL", "MSFT", "NVDA", "AMZN", "GOOG", "META", "TSLA", "AVGO", "JPM", "LLY"]
seen = set(symbols)
while len(symbols) < SYMBOLS:
    length = int(rng.integers(2, 6))
    name = "".join(chr(65 + int(c)) for c in rng.integers(0, 26, length))
    if name not in seen:
        seen.add(name)
        symbols.append(name)

which = rng.integers(0, SYMBOLS, rows)
decimals = rng.integers(2, 5, SYMBOLS).tolist()
price = rng.uniform(5, 900, SYMBOLS).tolist()
times = 1719850000123456789 + np.cumsum(rng.integers(1_000, 400_000, rows))
sizes = rng.integers(1, 50, rows) * rng.choice([1, 10, 100], rows)
steps = rng.normal(0, 0.0004, rows)
watched = [symbols[i] for i in sorted(rng.choice(SYMBOLS, 20, replace=False))]

for name, listed in (("watch20", watched), ("all", symbols)):
    with open(f"{folder}/{name}.txt", "w") as file:
        file.write("\n".join(listed) + "\n")

ORDERS = [
    '{"ts":%(ts)d,"size":%(size)d,"price":%(price)s,"symbol":"%(symbol)s"}\n',
    '{"price":%(price)s,"symbol":"%(symbol)s","ts":%(ts)d,"size":%(size)d}\n',
    '{"symbol":"%(symbol)s","ts":%(ts)d,"price":%(price)s,"size":%(size)d}\n',
    '{"size":%(size)d,"symbol":"%(symbol)s","price":%(price)s,"ts":%(ts)d}\n',
    '{"symbol":"%(symbol)s","price":%(price)s,"size":%(size)d,"ts":%(ts)d}\n',
]


def escaped(symbol):
    """The first letter as \\u0041."""
    return "\\u%04x" % ord(symbol[0]) + symbol[1:]


def opened(name):
    return open(f"{folder}/{name}", "w", buffering=1 << 20)


with opened("ticks.csv") as csv, opened("ticks.jsonl") as jsonl, opened("other.jsonl") as other, opened(
    "mixed.jsonl"
) as mixed, opened("escaped.jsonl") as escapes:
    csv.write("symbol,price,size,ts\n")
    for n, (i, size, ts, step) in enumerate(zip(which.tolist(), sizes.tolist(), times.tolist(), steps.tolist())):
        price[i] = max(1.0, price[i] * (1.0 + step))
        text = f"{price[i]:.{decimals[i]}f}"
        symbol = symbols[i]
        csv.write(f"{symbol},{text},{size},{ts}\n")
        # As JSON the shortest form, so that programs that read it as a double write the same.
        text = text.rstrip("0")
        if text[-1] == ".":
            text += "0"
        jsonl.write('{"symbol":"%s","price":%s,"size":%d,"ts":%d}\n' % (symbol, text, size, ts))
        row = {"symbol": symbol, "price": text, "size": size, "ts": ts}
        other.write(ORDERS[0] % row)
        mixed.write(ORDERS[n * 7 % 5 if n & 64 else n % 5] % row)
        # Every fourth symbol escaped, and a text full of escapes that nobody asks for.
        escapes.write(
            '{"note":"\\"%d\\" \\\\ \\u20ac\\n","symbol":"%s","price":%s,"size":%d,"ts":%d}\n'
            % (n & 1023, escaped(symbol) if n & 3 == 0 else symbol, text, size, ts)
        )
