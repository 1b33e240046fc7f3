"""sorted_containers.py SYMBOLS small|random: sortedcontainers.SortedList with ranks, processor time an update. Prints a line of JSON."""
import json
import random
import sys
import time

from sortedcontainers import SortedList

symbols, jumps = int(sys.argv[1]), sys.argv[2] == "random"
rng = random.Random(7)
prices = [rng.randrange(50_000, 9_000_000) for _ in range(symbols)]
order = SortedList((price, symbol) for symbol, price in enumerate(prices))
moves = [(rng.randrange(symbols), rng.randrange(50_000, 9_000_000), 1 + rng.gauss(0, 0.0004)) for _ in range(60_000)]
ranks = 0
began = time.process_time()
for symbol, target, step in moves:
    price = target if jumps else max(10_000, int(prices[symbol] * step))
    order.remove((prices[symbol], symbol))
    prices[symbol] = price
    order.add((price, symbol))
    ranks += order.bisect_left((price, symbol))
seconds = time.process_time() - began
in_order = list(order) == sorted((price, symbol) for symbol, price in enumerate(prices))
print(json.dumps({"ns": seconds / len(moves) * 1e9, "updates": len(moves), "ranks": ranks, "in_order": in_order}))
