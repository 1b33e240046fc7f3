#!/usr/bin/env python3
"""Tables that are written while the program is killed: kills.py PROGRAM [KILLS] [SEED]

A generator with a fixed seed writes a Parquet file that rotates, an Arrow stream and lines of JSON. The run is killed (kill -9) at random moments, also
while it turns streams into Parquet files. After each kill every file has to be sound for `check` up to its last whole batch, and each
run's rows have to be the first ones that the generator makes, without a hole. Then the next run goes on. At the end nothing but Parquet
files is left, and the rows are those that were there after each kill, and the last run's. Needs pyarrow to look into the rows; without it
only `check` looks, and that is said.
"""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None

COUNT = 60000
CONFIG = """
sources:
  trades: {{ plugin: generator, symbols: 40, rate: max, count: {count}, seed: 3, start: 2024-07-01T13:30:00Z }}
sinks:
  table: {{ plugin: file_writer, inputs: [trades], path: ticks.parquet, rotate: 400KiB, keep: 10000, flush: {flush} }}
  stream: {{ plugin: file_writer, inputs: [trades], path: feed.arrows, flush: {flush} }}
"""


def rows(folder, name):
    """The sizes, prices and times of a table, of a stream as far as it is whole."""
    path = os.path.join(folder, name)
    if name.endswith(".parquet"):
        batches = pyarrow.parquet.read_table(path, page_checksum_verification=True).to_batches()
    else:
        batches = []
        with open(path, "rb") as stream:
            try:
                for batch in pyarrow.ipc.open_stream(stream):
                    batches.append(batch)
            except (pyarrow.ArrowInvalid, OSError):  # a torn end
                pass
    found = []
    for batch in batches:
        columns = [batch.column(batch.schema.get_field_index(field)) for field in ("symbol", "price", "size", "time")]
        columns = [c.cast("string") if str(c.type).startswith("decimal") else c.cast("int64") if "timestamp" in str(c.type) else c for c in columns]
        found += zip(*(column.to_pylist() for column in columns))
    return found


def number(name):
    part = name.split(".")[1]
    return int(part) if part.isdigit() else 1 << 60


def tables(folder, stem):
    """The files whose rows count, oldest first: not a stream of which the whole Parquet file is there, nor one that is being made."""
    names = [name for name in os.listdir(folder) if name.startswith(stem + ".") and not name.endswith(".part")]
    done = [name for name in names if name.endswith(".arrows.done")]
    names = [name for name in names if not name.endswith(".done")]
    for name in done:
        if name.replace(".arrows.done", ".parquet") not in names:
            names.append(name)
    return sorted(names, key=lambda name: (number(name), name.endswith(".arrows")))


def check(program, folder, name):
    """The rows that `check` finds, which may end within a message only where a stream is still written."""
    if os.path.getsize(os.path.join(folder, name)) == 0:
        return 0
    done = subprocess.run([program, "check", name], cwd=folder, capture_output=True, text=True, timeout=300)
    found = re.search(r": (\d+) rows? in ", done.stdout + done.stderr)
    if done.returncode == 0 or "but it has no end" in done.stdout + done.stderr:
        return int(found.group(1))
    assert ".arrows" in name and "ends within a message" in done.stderr, (name, done)
    return None


def look(program, folder, stem, model):
    """Checks all files of a stem, and returns the rows of each run."""
    names = tables(folder, stem)
    counts = [check(program, folder, name) for name in names]
    if pyarrow is None:
        return None if None in counts else sum(counts)
    runs = []
    for name, count in zip(names, counts):
        if os.path.getsize(os.path.join(folder, name)) == 0:
            continue
        found = rows(folder, name)
        assert count is None or len(found) == count, (name, len(found), count)
        for row in found:
            if row == model[0]:
                runs.append(0)
            assert runs and row == model[runs[-1]], (name, runs, row)
            runs[-1] += 1
    return runs


def main():
    program = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 11)
    if pyarrow is None:
        print("SKIPPED: looking into rows needs pyarrow", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="stockbus-kills-") as folder:
        def configure(flush):
            with open(os.path.join(folder, "kills.yaml"), "w") as out:
                out.write(CONFIG.format(count=COUNT, flush=flush))

        configure("1s")
        begin = time.monotonic()
        subprocess.run([program, "run", "kills.yaml"], cwd=folder, check=True, capture_output=True, timeout=300)
        took = time.monotonic() - begin
        model = [] if pyarrow is None else [row for name in tables(folder, "ticks") for row in rows(folder, name)]
        assert pyarrow is None or len(model) == COUNT and len(set(model)) == COUNT, len(model)
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        before = {"ticks": [], "feed": []} if pyarrow else {"ticks": 0, "feed": 0}
        killed, torn, states, total = 0, 0, {}, 0
        for kill in range(kills):
            configure(rng.choice(["0s", "5ms", "1s"]))
            run = subprocess.Popen([program, "run", "kills.yaml"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # A moment, not a wait for something: where it comes is the seed's and the machine's choice.
            time.sleep(rng.random() * took * 1.1)
            run.send_signal(signal.SIGKILL)
            status = run.wait()
            assert status in (0, -signal.SIGKILL), status
            killed += status != 0
            for name in os.listdir(folder):
                ending = name[name.index("."):].lstrip(".0123456789")
                states[ending] = states.get(ending, 0) + 1
            for stem in before:
                now = look(program, folder, stem, model)
                if pyarrow is None:
                    torn += now is None
                    assert now is None or now >= before[stem], (kill, stem, now, before[stem])
                    before[stem] = before[stem] if now is None else now
                else:
                    # What was there after the kill before is there, and at most one run more.
                    assert now[:len(before[stem])] == before[stem] and len(now) <= len(before[stem]) + 1, (kill, stem, before[stem][-3:], now[-3:])
                    before[stem] = now
            # A folder of some hundred files would be read again and again.
            if pyarrow and kill % 20 == 19:
                total += sum(map(sum, before.values()))
                finish(program, folder, configure, before, model)
                for name in os.listdir(folder):
                    os.remove(os.path.join(folder, name))
                before = {"ticks": [], "feed": []}
        total += sum(before.values()) if pyarrow is None else sum(map(sum, before.values()))
        finish(program, folder, configure, before, model)
        what = "none lost, doubled or split" if pyarrow else "all files sound"
        print(f"{kills} runs, {killed} killed while they ran; {total} rows of killed runs, {what}; files seen: {states}")


def finish(program, folder, configure, before, model):
    """A last run without a kill."""
    configure("1s")
    done = subprocess.run([program, "run", "kills.yaml"], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "balanced" in done.stderr, done.stderr
    names = sorted(os.listdir(folder))
    left = [name for name in names if name not in ("kills.yaml", "feed.arrows") and not name.endswith(".parquet")]
    assert not left, left
    for stem in before:
        after = look(program, folder, stem, model)
        if isinstance(after, list):
            assert after == before[stem] + [COUNT], (stem, before[stem], after)
    sound = subprocess.run([program, "check", *[n for n in names if n != "kills.yaml"]], cwd=folder, capture_output=True, text=True, timeout=600)
    assert sound.returncode == 0, sound


main()
