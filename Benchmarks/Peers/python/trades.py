"""trades.py FOLDER [SECONDS]: made-up trades, always the same, one of each of 25 symbols in every second: 5,000,000 in 200,000 seconds.

Writes trades.csv, and first.csv with the first 2,000 seconds. Prices are random walks in cents, with a jump now and then; sizes are up to 4,900,
and now and then 20,000.
"""
import sys

import numpy as np

folder = sys.argv[1]
seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
FIRST = 2_000
SYMBOLS = (
    "AAPL MSFT NVDA AMZN GOOG META TSLA AVGO JPM LLY V UNH XOM MA COST HD PG NFLX JNJ BAC CRM ABBV KO WMT AMD"
).split()
rng = np.random.default_rng(20261127)

shape = (seconds, len(SYMBOLS))
steps = rng.integers(-4, 5, shape)
# Up to 3 % of 200.
jumps = rng.random(shape) < 4e-4
steps[jumps] = rng.integers(-600, 601, int(jumps.sum()))
# Reflected at 20 and at 600, so that no price leaves its range.
walk = rng.permutation(np.arange(6_000, 31_000, 1_000)) + np.cumsum(steps, axis=0) - 2_000
prices = 60_000 - np.abs(58_000 - walk % 116_000)
sizes = rng.integers(1, 50, shape) * rng.choice([1, 10, 100], shape)
sizes[rng.random(shape) < 1e-4] = 20_000
order = rng.permuted(np.tile(np.arange(len(SYMBOLS)), (seconds, 1)), axis=1)

with open(f"{folder}/trades.csv", "w", buffering=1 << 20) as whole, open(f"{folder}/first.csv", "w") as first:
    for file in (whole, first):
        file.write("symbol,price,size,time\n")
    for second in range(seconds):
        time = (1772461800 + second) * 1_000_000_000
        price, size = prices[second].tolist(), sizes[second].tolist()
        text = "".join(f"{SYMBOLS[i]},{price[i] // 100}.{price[i] % 100:02},{size[i]},{time}\n" for i in order[second].tolist())
        whole.write(text)
        if second < FIRST:
            first.write(text)
