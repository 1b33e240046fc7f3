"""Columns beside events: processor time a trade of the components that add and pass them, on one core; results are compared exactly."""
from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..setup import MARKET_BENCH, PEERS, PYTHON
from ..work import US, Contestant, Sample, Work, figure

PEERS_OF = {"polars": "polars, one thread", "duckdb": "DuckDB, one thread"}
# All trades lie in memory before the work begins, as for the peers.
COMPARED = {
    "as_of": "`as_of`: the last quote beside each trade, as many quotes as trades", "derive": "`derive` of three columns: a product, a difference, a quotient",
    "dedupe": "`dedupe` of two lines", "rank": "`sorting_feed`: a ranking by the change, with each of its moves",
}
# What a component adds to a source and a sink, whose rings stay in the caches.
LAPS = {
    "pass": "a filter that passes trades with eight columns", "pass-plain": "the same without columns", "derive": "`derive` of three columns",
    "sample": "`sample` of a second",
}
BOUNDS = {"as_of": 25, "laps-derive": 7, "laps-pass": 6, "laps-sample": 8}


def ours(words, trades):
    done = run([MARKET_BENCH, *words, trades], cores=ONE_CORE)
    return lines_of_json(done.output)[0], done.others


def works(quick):
    trades = 1_000_000 if quick else 5_000_000
    known = {}

    def mine(*words):
        def measure():
            known[words], others = ours(words, trades)
            return Sample(known[words]["cpu"], others)

        return Contestant(US, measure)

    def peer(who, name, work):
        words = ("columns", work)

        def measure():
            wanted = known.get(words) or known.setdefault(words, ours(words, trades)[0])
            done = run([PYTHON, PEERS / "python" / "columns.py", who, work, trades], cores=ONE_CORE, env={"POLARS_MAX_THREADS": "1"})
            line = lines_of_json(done.output)[0]
            wrong = [key for key in line if key != "cpu" and line[key] != wanted[key]]
            if wrong:
                raise Failed("wrong: " + ", ".join(f"{key} {line[key]}, ours {wanted[key]}" for key in wrong))
            return Sample(line["cpu"], done.others)

        return Contestant(name, measure, who)

    def one(name, title, *contestants):
        goals = [figure(f"at most {BOUNDS[name]} ns", BOUNDS[name])] if name in BOUNDS else []
        return Work(f"columns-{name}", title, "CPU ns a trade", list(contestants), goals=goals)

    return [
        *(one(work, title, mine("columns", work), *(peer(*who, work) for who in PEERS_OF.items())) for work, title in COMPARED.items()),
        *(one(f"laps-{work}", f"{title}, in the caches", mine("laps", work)) for work, title in LAPS.items()),
    ]
