"""Movers: processor time an update, with all three lists; the lists are compared with a sort of all symbols at the end."""
from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..setup import BIN, MARKET_BENCH
from ..work import US, Contestant, Sample, Work, figure

TREE = "std::set, one order only"
# Random jumps are beyond any limit that has a use, and would not be ranked.
USUAL = "reference: first_price, jump_limit: 1000000%"
PERIODS = {"day": USUAL, "24h": USUAL + ", period: 24h"}


def movers(updates, symbols, options, jumps):
    def measure():
        done = run([MARKET_BENCH, "movers", updates, symbols, f"{{ {options} }}", *(["random"] if jumps == "random" else [])], cores=ONE_CORE)
        line = lines_of_json(done.output)[0]
        if line["events"] != updates or not line["right"]:
            raise Failed("the lists are wrong")
        return Sample(line["cpu"] / updates * 1e9, done.others)

    return Contestant(US, measure)


def tree(symbols, jumps, seconds):
    def measure():
        done = run([BIN / "orderfeed", "set", symbols, jumps, seconds], cores=ONE_CORE)
        return Sample(lines_of_json(done.output)[0]["ns"], done.others)

    return Contestant(TREE, measure, "orderfeed")


def works(quick):
    updates = 500_000 if quick else 2_000_000
    found = []
    for period, jumps, symbols in (
        ("day", "small", 1_000), ("day", "small", 12_000), ("day", "small", 1_000_000), ("day", "random", 12_000),
        ("day", "random", 1_000_000), ("24h", "small", 12_000), ("24h", "random", 1_000_000)):
        contestants = [movers(updates, symbols, PERIODS[period], jumps)]
        if period == "day":
            contestants.append(tree(symbols, jumps, 0.2 if quick else 0.5))
        goals = [figure("at most 1.5 µs", 1500)] if symbols == 1_000_000 else []
        how = "small steps" if jumps == "small" else "random jumps"
        over = "a day" if period == "day" else "24 hours"
        found.append(
            Work(f"movers-{period}-{jumps}-{symbols}", f"Movers of {over}, {symbols:,} symbols, {how}", "CPU ns an update", contestants, goals=goals))
    return found
