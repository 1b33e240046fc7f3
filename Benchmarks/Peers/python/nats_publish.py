"""nats.py: numbered messages to a JetStream stream: nats_publish.py URL STREAM MESSAGES SIZE WINDOW. Prints a line of JSON."""
import asyncio
import json
import sys
import time

import nats


async def main():
    url, stream, count, size, window = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    connection = await nats.connect(url)
    js = connection.jetstream(publish_async_max_pending=window)
    began, worked = time.perf_counter(), time.process_time()
    for number in range(count):
        await js.publish_async(stream, (b"%012d" % number).ljust(size, b"x"), wait_stall=60)
    await js.publish_async_completed()
    print(json.dumps({"messages": count, "seconds": time.perf_counter() - began, "cpu": time.process_time() - worked}))
    await connection.close()


asyncio.run(main())
