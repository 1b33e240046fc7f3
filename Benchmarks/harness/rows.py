"""The input data, and whether a filtered output is what it has to be."""
import hashlib
import json
import subprocess

from .machine import CACHE, Failed, lines_of_json
from .setup import BIN, PEERS, PYTHON

DATA = CACHE / "data"
OUT = CACHE / "out"
ROWS = 5_000_000
PASSING = 199_771
# What `digest` answers for the rows that pass.
WATCHED_DIGEST = "5daa74b8ca769974"


def make(say):
    """Makes the input once; always the same, which its size and the digests show."""
    if (DATA / "escaped.jsonl").exists() and (DATA / "ticks.csv").stat().st_size == 181_778_285:
        return
    say("making the input data (once, about a minute)")
    done = subprocess.run([str(PYTHON), str(PEERS / "python" / "ticks.py"), str(DATA)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"no input data: {done.stderr[-300:]}")


def in_memory(path):
    """Reads a file once, so that everybody finds it in the page cache: whoever came first paid for the disk."""
    with open(path, "rb", buffering=0) as file:
        block = bytearray(1 << 20)
        while file.readinto(block):
            pass


def rows_of(path):
    """(symbol, price, size, time) of every row; the time is called `ts` or `time`."""
    with open(path) as file:
        for line in file:
            if line.startswith("{"):
                row = json.loads(line)
                yield row["symbol"], float(row["price"]), int(row["size"]), int(row["ts"] if "ts" in row else row["time"])
            elif not line.startswith('symbol,'):
                symbol, price, size, time = line.rstrip("\n").split(",")
                yield symbol.strip('"'), float(price), int(size), int(time)


def digest(path):
    """How many rows, a digest that does not depend on how they are written, and whether their times rise."""
    sha, count, last, ordered = hashlib.sha256(b"["), 0, -1, True
    for row in rows_of(path):
        sha.update(((", " if count else "") + repr(row)).encode())
        ordered = ordered and row[3] > last
        last = row[3]
        count += 1
    if not ordered:
        sha = hashlib.sha256(repr(sorted(rows_of(path), key=lambda r: r[3])).encode())
    else:
        sha.update(b"]")
    return count, sha.hexdigest()[:16], ordered


def digest_of_many(path):
    """The same for millions of rows: a digest in their order."""
    done = subprocess.run([str(BIN / "rowdigest"), str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(done.stderr.strip()[-200:])
    line = lines_of_json(done.stdout)[0]
    return line["rows"], line["digest"], line["ordered"]


class Outputs:
    """Checks outputs; one whose bytes were found right before is right."""

    def __init__(self):
        self.right = set()
        self.everything = None

    def check(self, path, everything=False):
        """Raises where rows are missing, wrong or out of order."""
        sha = hashlib.sha256()
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                sha.update(block)
        key = (everything, sha.hexdigest())
        if key in self.right:
            return
        if everything:
            if self.everything is None:
                self.everything = digest_of_many(DATA / "ticks.csv")
            got, wanted = digest_of_many(path), self.everything
        else:
            got, wanted = digest(path), (PASSING, WATCHED_DIGEST, True)
        if got[:2] != wanted[:2]:
            raise Failed(f"wrong rows: {got[0]} with digest {got[1]}, not {wanted[0]} with {wanted[1]}")
        if not got[2]:
            raise Failed("the rows are right but not in the input's order")
        self.right.add(key)
