"""Python's websockets: one loop that broadcasts prices to everybody who is connected: websockets_fanout.py RATE ROWS SYMBOLS FRAMES RECORD.

All SYMBOLS prices change RATE times a second, and everybody gets the first ROWS of them: f64 ms, u32 frame, u32 rows, rows × (u32 row, i64 price
in 1e-9). After FRAMES frames it is silent until it is ended; RECORD gets the last prices. Prints its port.
"""
import asyncio
import random
import signal
import struct
import sys
import time

from websockets.asyncio.server import broadcast, serve

RATE, ROWS, SYMBOLS, FRAMES = float(sys.argv[1]), *map(int, sys.argv[2:5])
RECORD = sys.argv[5]
HEAD = struct.Struct("<dII")
BODY = struct.Struct("<" + "Iq" * ROWS)
connections = set()


def rounds(count=16):
    """Prices made before, so that making them costs nothing in the run."""
    rng = random.Random(42)
    return [[rng.randrange(50_00, 500_00) * 10_000_000 for _ in range(SYMBOLS)] for _ in range(count)]


async def handler(connection):
    connections.add(connection)
    try:
        await connection.wait_closed()
    finally:
        connections.discard(connection)


async def main():
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, ended.set)
    made, prices = rounds(), []
    async with serve(handler, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        due = time.perf_counter()
        for frame in range(1, FRAMES + 1):
            prices = made[frame % len(made)]
            fields = [field for row in range(ROWS) for field in (row, prices[row])]
            broadcast(connections, HEAD.pack(time.time() * 1e3, frame, ROWS) + BODY.pack(*fields))
            due = max(due + 1 / RATE, time.perf_counter())
            await asyncio.sleep(due - time.perf_counter())
        with open(RECORD, "w") as record:
            record.writelines(f"{row},{prices[row]},{FRAMES}\n" for row in range(ROWS))
        await ended.wait()


asyncio.run(main())
