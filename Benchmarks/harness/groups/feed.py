"""The feed: processor time an update, ranks included, beside structures that others would take."""
from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..setup import BIN, FEED_BENCH, HOT_PATHS, PEERS, PYTHON
from ..work import US, Contestant, Sample, Work, figure

PLUGIN = "sorting_feed whole (trade in, ranked out)"
SIZES = [25, 1_000, 10_000, 100_000, 1_000_000]
STRUCTURES = {
    "set": "std::set, no rank", "btree": "absl btree, no rank", "index": "sorted array with an index", "walk": "the same, walking",
    "buckets": "buckets with a Fenwick tree, rank",
}


def order(command, peer_name):
    def measure():
        done = run(command, cores=ONE_CORE)
        line = lines_of_json(done.output)[0]
        if not line["in_order"]:
            raise Failed("the order is wrong")
        return Sample(line["ns"], done.others)

    return Contestant(peer_name[0], measure, peer_name[1])


def plugin(symbols, jumps):
    """The whole plugin through its resident loop: the difference of a long and a short life, which leaves the first round out."""
    short = symbols + 100_000
    events = short + (400_000 if symbols < 1_000_000 else 300_000)

    def measure():
        lives = []
        for count in (short, events):
            done = run([HOT_PATHS, "feed", count, symbols, jumps], cores=ONE_CORE)
            line = lines_of_json(done.output)[0]
            if line["events"] != count:
                raise Failed(f"{line['events']} of {count} events")
            lives.append(line["cpu"])
        return Sample((lives[1] - lives[0]) / (events - short) * 1e9, done.others)

    return Contestant(PLUGIN, measure)


def works(quick):
    seconds = 0.2 if quick else 0.5
    found = []
    for jumps in ("small", "random"):
        for symbols in SIZES:
            contestants = [order([FEED_BENCH, symbols, jumps, seconds], (US, "")), plugin(symbols, jumps)]
            for structure, name in STRUCTURES.items():
                # Moving an array by jumps among very many takes milliseconds: known, and not worth the waiting.
                if structure in ("walk", "index") and jumps == "random" and symbols >= 100_000:
                    continue
                contestants.append(order([BIN / "orderfeed", structure, symbols, jumps, seconds], (name, "orderfeed")))
            if not quick:
                contestants.append(order([PYTHON, PEERS / "python" / "sorted_containers.py", symbols, jumps], ("sortedcontainers", "sortedcontainers")))
            goals = []
            if jumps == "small" and symbols <= 1000:
                goals = [figure("at most 15 ns with rank", 15)]
            if jumps == "random" and symbols >= 100_000:
                goals = [figure("at most 600 ns", 600)] if symbols == 100_000 else [figure("at most 1.2 µs", 1200)]
            how = "small steps" if jumps == "small" else "random jumps"
            found.append(Work(f"feed-{jumps}-{symbols}", f"Feed, {symbols:,} symbols, {how}", "CPU ns an update", contestants, goals=goals))
    return found
