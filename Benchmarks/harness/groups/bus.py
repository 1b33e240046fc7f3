"""The bus: one reader, three readers, three stages; events one by one and 64 together; round trips."""
import statistics

from ..machine import Failed, lines_of_json, run
from ..setup import BUS_BENCH, CACHE, DISRUPTOR, RUST_PEERS, SWIFT_PEERS
from ..work import US, Contestant, Goal, Sample, Work, figure, times

# Contestant, what sets it up, how many events a repetition has, whether it can send batches.
PEERS = [
    ("Disruptor Yielding", "disruptor", 8_000_000, True),
    ("Disruptor Blocking", "disruptor", 1_000_000, True),
    ("crossbeam", "rust", 2_000_000, False),
    ("tokio mpsc", "rust", 1_000_000, False),
    ("tokio broadcast (loses)", "rust", 1_000_000, False),
    ("AsyncStream", "swift-peers", 200_000, False),
    ("AsyncChannel", "swift-peers", 40_000, False),
    ("OpenCombine (one thread)", "swift-peers", 1_000_000, False),
]
OWN_EVENTS = 8_000_000


def command(name):
    java = ["java", "-cp", f"{DISRUPTOR}:{CACHE / 'java'}", "DisruptorBench"]
    return {
        US: [BUS_BENCH],
        "Disruptor Yielding": [*java, "yielding"], "Disruptor Blocking": [*java, "blocking"], "Disruptor busy-spin": [*java, "busyspin"],
        "crossbeam": [RUST_PEERS, "crossbeam"], "tokio mpsc": [RUST_PEERS, "tokio"], "tokio broadcast (loses)": [RUST_PEERS, "broadcast"],
        "AsyncStream": [SWIFT_PEERS, "asyncstream"], "AsyncChannel": [SWIFT_PEERS, "asyncchannel"],
        "OpenCombine (one thread)": [SWIFT_PEERS, "opencombine"],
    }[name]


def expected_sum(shape, events):
    """Over (i + added) ^ 100 for every event; the exclusive or only permutes each 128 numbers."""
    added = 3 if shape == "stages3" else 0

    def below(n):
        whole = n - n % 128
        return whole * (whole - 1) // 2 + sum(i ^ 100 for i in range(whole, n))

    return below(events + added) - below(added)


def check(line, shape, events, lossy):
    if lossy:
        lost = line.get("lost", 0)
        if line["differing"] == 0 and line["events"] * line["readers"] + lost != events * line["readers"]:
            raise Failed(f"{line['events']} events and {lost} lost are not {events} for each of {line['readers']}")
        return
    readers = 3 if shape == "fanout3" else 1
    wanted = {"events": events, "sum": expected_sum(shape, events), "readers": readers, "differing": 0, "misplaced": 0, "misplaced_anywhere": 0}
    for key, value in wanted.items():
        if line[key] != value:
            raise Failed(f"{key} is {line[key]}, not {value}")


def throughput(name, shape, batch, events, repetitions):
    lossy = "broadcast" in name

    def measure():
        done = run([*command(name), shape, batch, events, repetitions])
        lines = lines_of_json(done.output)
        for line in lines:
            check(line, shape, events, lossy)
        sample = Sample(statistics.median(line["seconds"] / events * 1e9 for line in lines), done.others)
        if lossy:
            sample.extra["lost"] = statistics.median(line["lost"] / (events * line["readers"]) for line in lines)
        return sample

    return measure


def round_trip(name, pause, trips, repetitions):
    def measure():
        done = run([*command(name), "roundtrip", pause, trips, repetitions])
        lines = lines_of_json(done.output)
        if any(line["trips"] != trips for line in lines):
            raise Failed("not all trips were made")
        tails = {key: statistics.median(line[key] for line in lines) for key in ("p99", "p999")}
        return Sample(statistics.median(line["p50"] for line in lines), done.others, tails)

    return measure


def works(quick):
    scale, repetitions = (0.5, 3) if quick else (1, 5)
    goals = {
        ("fanout1", 1): [times("Disruptor Yielding", 2.5), times("Disruptor Blocking", 15)],
        ("fanout1", 64): [times("Disruptor Yielding", 4), figure("at most 2 ns an event", 2)],
        ("fanout3", 1): [times("Disruptor Yielding", 4), times("Disruptor Blocking", 15)],
        ("fanout3", 64): [times("Disruptor Yielding", 4)],
        ("stages3", 1): [times("Disruptor Yielding", 4), times("Disruptor Blocking", 15)],
        ("stages3", 64): [times("Disruptor Yielding", 4)],
    }
    words = {"fanout1": "one reader", "fanout3": "three readers", "stages3": "three stages"}
    found = []
    for (shape, batch), wanted in goals.items():
        contestants = [Contestant(US, throughput(US, shape, batch, int(OWN_EVENTS * scale), repetitions))]
        if shape == "fanout1":
            # Components that keep up run by turns on one thread: so does the ring that they are measured against.
            by_turns = "the raw ring, by turns"
            for raw, ring in (("the raw ring, two threads", "raw"), (by_turns, "rawturns")):
                contestants.append(Contestant(raw, throughput_raw(ring, batch, int(OWN_EVENTS * scale), repetitions)))
            overhead = Goal("at most 1.3 × the raw ring's time", lambda work: inverse(work.ratio(by_turns)), 1.3, at_least=False)
            wanted = [*wanted, overhead]
        for name, peer, events, batches in PEERS:
            # What sends one by one does so whatever the batch: once is enough.
            if (batch > 1 and not batches) or ("broadcast" in name and shape == "stages3"):
                continue
            contestants.append(Contestant(name, throughput(name, shape, batch, int(events * scale), repetitions), peer))
        how = "one by one" if batch == 1 else f"{batch} together"
        found.append(Work(f"bus-{shape}-{batch}", f"Bus, {words[shape]}, {how}", "ns an event", contestants, goals=wanted))
    trips = 50_000 if quick else 200_000
    awake = [(US, ""), ("Disruptor busy-spin", "disruptor"), ("Disruptor Yielding", "disruptor"), ("crossbeam", "rust"), ("tokio mpsc", "rust"), ("AsyncStream", "swift-peers"), ("AsyncChannel", "swift-peers")]
    found.append(
        Work(
            "bus-roundtrip", "Bus, round trip, both ends awake", "p50 ns",
            [Contestant(name, round_trip(name, 0, trips, repetitions), peer) for name, peer in awake],
            goals=[Goal("at most 0.8 × Disruptor busy-spin's time", lambda work: inverse(work.ratio("Disruptor busy-spin")), 0.8, at_least=False)]))
    asleep = [(US, ""), ("Disruptor Blocking", "disruptor"), ("crossbeam", "rust"), ("tokio mpsc", "rust"), ("AsyncStream", "swift-peers")]
    found.append(
        Work(
            "bus-roundtrip-asleep", "Bus, round trip, both ends asleep before (50 µs pause)", "p50 ns",
            [Contestant(name, round_trip(name, 50_000, trips // 20, repetitions), peer) for name, peer in asleep],
            goals=[figure("under 2 µs where the wake-up allows", 2000)]))
    return found


def inverse(ratio):
    return 1 / ratio if ratio else None


def throughput_raw(ring, batch, events, repetitions):
    def measure():
        done = run([BUS_BENCH, ring, batch, events, repetitions])
        lines = lines_of_json(done.output)
        for line in lines:
            check(line, "fanout1", events, False)
        return Sample(statistics.median(line["seconds"] / events * 1e9 for line in lines), done.others)

    return measure
