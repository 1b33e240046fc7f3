"""The history: bars of many symbols into a database, minute by minute, in processor time; each result is read again and compared."""
from ..machine import ONE_CORE, Failed, lines_of_json, run
from ..rows import OUT
from ..setup import MARKET_BENCH, PEERS, PYTHON
from ..work import US, Contestant, Sample, Work, figure, times

SQLITE, DUCKDB = "plain SQLite, a row each (Python)", "DuckDB, no key (Python, polars)"


def contestant(name, command, peer=""):
    """The difference of a long and a short life, which leaves the start and the first pages out."""
    def measure():
        lives, others = [], 0
        for count in command.counts:
            path = forget()
            done = run(command(count, path), cores=ONE_CORE)
            line = lines_of_json(done.output)[0]
            if line["events"] != count or not line["right"]:
                raise Failed(f"{line['events']} of {count} bars, right: {line['right']}")
            lives.append(line["cpu"])
            others = max(others, done.others)
        return Sample((command.counts[1] - command.counts[0]) / (lives[1] - lives[0]), others)

    return Contestant(name, measure, peer)


class Command:
    def __init__(self, counts, make):
        self.counts, self.make = counts, make

    def __call__(self, count, path):
        return self.make(count, path)


def works(quick):
    counts = (240_000, 840_000) if quick else (240_000, 1_440_000)
    found = []
    for symbols in (500, 12_000):
        def ours(count, path, symbols=symbols):
            return [MARKET_BENCH, "history", count, symbols, path]

        def peer(how):
            return lambda count, path, symbols=symbols: [PYTHON, PEERS / "python" / "history_rows.py", how, count, symbols, path]

        found.append(
            Work(
                f"history-{symbols}", f"History, bars of {symbols:,} symbols minute by minute", "bars a CPU second",
                [
                    contestant(US, Command(counts, ours)), contestant(SQLITE, Command(counts, peer("sqlite"))),
                    contestant(DUCKDB, Command(counts, peer("duckdb")), "duckdb"),
                ],
                higher_is_better=True, goals=[figure("at least 400,000 bars a second", 400_000, at_least=True), times(SQLITE, 3)]))
    for id, title, bars, length, goal in (
        ("year", "History, reading a year of days", 365, 86_400, 2), ("day", "History, reading a day of minutes", 1_440, 60, 5)):
        found.append(
            Work(
                f"history-reads-{id}", f"{title}, one of 200 symbols", "CPU ms", [reading(bars, length)],
                goals=[figure(f"less than {goal} ms", goal, at_least=False)]))
    return found


def reading(bars, length):
    """A symbol's bars by a reader that is opened for them."""
    def measure():
        path = forget()
        done = run([MARKET_BENCH, "history-reads", bars, length * 1_000_000_000, 200, path], cores=ONE_CORE)
        line = lines_of_json(done.output)[0]
        if line["events"] != bars or not line["right"]:
            raise Failed(f"{line['events']} of {bars} bars, right: {line['right']}")
        return Sample(line["cpu"] * 1000, done.others)

    return Contestant(US, measure)


def forget():
    """The path of the history file, which is not there any more."""
    for suffix in ("", "-wal", "-shm", "-lock", ".wal"):
        (OUT / f"history.db{suffix}").unlink(missing_ok=True)
    return OUT / "history.db"
