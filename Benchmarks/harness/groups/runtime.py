"""The whole runtime by a plugins.yaml, beside NautilusTrader."""
import re

from ..machine import Failed, lines_of_json, run
from ..rows import DATA, OUT, PASSING
from ..setup import BIN, PEERS, PYTHON, STOCKBUS
from ..work import US, Contestant, Sample, Work, figure, times

REPLAYED = f"{US}, the same ticks from a CSV file"
LOOPS = 25
BUS, ENGINE = "NautilusTrader message bus", "NautilusTrader backtest engine"


def config(name, source):
    path = OUT / f"{name}.yaml"
    path.write_text(
        f"""sources:
  ticks: {source}
processors:
  mine: {{ plugin: watchlist_filter, inputs: [ticks], symbols: ["*"] }}
  ranked: {{ plugin: sorting_feed, inputs: [mine], by: price }}
sinks:
  end: {{ plugin: null_sink, inputs: [ranked] }}
"""
    )
    return path


def pipeline(path, events):
    def measure():
        done = run([STOCKBUS, "run", path], cores="all")
        ledger = done.errors + done.output
        # Every edge has all events, and the sink has counted them.
        if "balanced: every event is accounted for" not in ledger or not re.search(rf"end: events {events:,}\b", ledger):
            raise Failed(f"the ledger is wrong: {ledger[-400:]}")
        return Sample(events / done.wall / 1e6, done.others, {"cpu": done.cpu, "peak_mib": done.peak_kib / 1024})

    return measure


def nautilus(mode, count):
    def measure():
        done = run([PYTHON, PEERS / "python" / "nautilus.py", mode, DATA / "watch20.txt", watched_ticks(), count])
        line = lines_of_json(done.output)[0]
        if line["events"] != count:
            raise Failed(f"{line['events']} of {count} events arrived")
        return Sample(count / line["seconds"] / 1e6, done.others)

    return measure


def watched_ticks():
    """The ticks that NautilusTrader gets: those of the watchlist."""
    path = OUT / "watched.csv"
    if not path.exists():
        run([BIN / "rowfilter", DATA / "watch20.txt", DATA / "ticks.csv", path, "csv"])
    return path


def works(quick):
    events = 20_000_000 if quick else 50_000_000
    generated = config("runtime", f"{{ plugin: generator, symbols: 25, rate: max, count: {events}, seed: 42 }}")
    replayed = config(
        "runtime-replayed", f'{{ plugin: file_replay, path: "{OUT / "watched.csv"}", speed: max, time: ns, columns: {{ time: ts }}, loops: {LOOPS} }}')

    def replay():
        watched_ticks()
        return pipeline(replayed, PASSING * LOOPS)()

    return [
        Work(
            "runtime", "Runtime: generator → filter → feed → null sink", "million events/s",
            [
                Contestant(US, pipeline(generated, events)), Contestant(REPLAYED, replay, "rowfilter"),
                Contestant(BUS, nautilus("bus", 500_000), "nautilus"), Contestant(ENGINE, nautilus("engine", 200_000), "nautilus"),
            ],
            higher_is_better=True,
            goals=[figure("at least 20 million events a second", 20, at_least=True), times(BUS, 15)])
    ]
