"""Perspective without sockets: a table of SYMBOLS prices that all change RATE times a second, and VIEWS of it: perspective_windows.py HOW RATE VIEWS ROWS SYMBOLS SECONDS.

HOW is `rows`: each view is told the changed rows, all of them; or `window`: each view's first ROWS rows are made as Arrow after each change. RATE 0: as
fast as it goes. A frame is one view's answer; its latency runs from when the change was due. At the end every view must show the table's last prices.
Prints a line of JSON.
"""
import json
import random
import sys
import time

from perspective import Server

HOW = sys.argv[1]
RATE = float(sys.argv[2])
VIEWS, ROWS, SYMBOLS = map(int, sys.argv[3:6])
SECONDS = float(sys.argv[6])


def rounds(count=8):
    rng = random.Random(42)
    return [[{"symbol": f"S{i:05d}", "price": rng.randrange(50_00, 500_00) / 100} for i in range(SYMBOLS)] for _ in range(count)]


def main():
    made = rounds()
    table = Server().new_local_client().table({"symbol": "string", "price": "float"}, index="symbol")
    table.update(made[0])
    views, told = [], []
    for _ in range(VIEWS):
        view = table.view()
        if HOW == "rows":
            view.on_update(lambda port_id=None, delta=None, *_: told.append((time.perf_counter(), len(delta))), mode="row")
        views.append(view)
    latencies, frames, sent, number = [], 0, 0, 0
    cpu, began = time.process_time(), time.perf_counter()
    due = began
    while time.perf_counter() - began < SECONDS:
        now = time.perf_counter()
        if RATE and now < due:
            time.sleep(due - now)
        start = due if RATE else now
        number += 1
        told.clear()
        table.update(made[number % len(made)])
        if HOW == "window":
            for view in views:
                sent += len(view.to_arrow(start_row=0, end_row=ROWS))
                told.append((time.perf_counter(), 0))
        else:
            table.size()
            sent += sum(size for _, size in told)
        latencies += [at - start for at, _ in told]
        frames += len(told)
        due += 1 / RATE if RATE else 0
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    last = [row["price"] for row in made[number % len(made)]]
    right = frames == number * VIEWS and all(view.to_columns()["price"] == last for view in views[:: max(1, VIEWS // 10)])
    latencies.sort()
    print(json.dumps({
        "right": right, "frames": frames, "rate": frames / took, "seconds": took, "bytes": sent / max(1, frames), "server_cpu": cpu,
        "latency_p50": latencies[len(latencies) // 2] * 1e3, "latency_p99": latencies[int(len(latencies) * 0.99)] * 1e3}))


main()
