"""Start-up and size: how long until something happens, and what it takes to be there."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from ..machine import TICK, Failed, run
from ..rows import OUT
from ..setup import PROJECT, STOCKBUS
from ..work import US, Contestant, Sample, Work, figure


def own(id, title, unit, measure, goals=(), **options):
    return Work(id, title, unit, [Contestant(US, measure)], goals=list(goals), **options)


def milliseconds(command, first_byte=False):
    def measure():
        done = run(command, cores="all")
        if first_byte and done.first_byte < 0:
            raise Failed("nothing was written")
        return Sample((done.first_byte if first_byte else done.wall) * 1000, done.others, {"cpu": done.cpu, "peak_mib": done.peak_kib / 1024})

    return measure


def written(name, text):
    path = OUT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def first_event():
    config = written(
        "first.yaml",
        """sources:
  ticks: { plugin: generator, symbols: 25, interval: 10ms, count: 1, seed: 42 }
processors:
  mine: { plugin: watchlist_filter, inputs: [ticks], symbols: ["*"] }
  ranked: { plugin: sorting_feed, inputs: [mine], by: price }
sinks:
  out: { plugin: file_writer, inputs: [ranked], path: "-", format: jsonl, flush: 1ms }
""",
    )
    return milliseconds([STOCKBUS, "run", "--quiet", config], first_byte=True)


class Idle:
    """A pipeline that waits for an hour: memory, and processor time over some seconds."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.config = written(
            "idle.yaml",
            """sources:
  ticks: { plugin: generator, symbols: 25, interval: 1h, seed: 42 }
processors:
  mine: { plugin: watchlist_filter, inputs: [ticks], symbols: [AAPL] }
  ranked: { plugin: sorting_feed, inputs: [mine], by: price }
sinks:
  end: { plugin: null_sink, inputs: [ranked] }
""",
        )

    def memory(self):
        return Sample(self._watch()[0])

    def processor(self):
        return Sample(self._watch()[1])

    def _watch(self):
        process = subprocess.Popen([str(STOCKBUS), "run", "--quiet", str(self.config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(1)
            before = self._ticks(process.pid)
            time.sleep(self.seconds)
            used = self._ticks(process.pid) - before
            status = Path(f"/proc/{process.pid}/status").read_text()
            kib = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
        except (OSError, StopIteration) as error:
            raise Failed(f"it did not go on running: {error}") from None
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        return kib / 1024, used / TICK / self.seconds * 100

    def _ticks(self, pid):
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])


def full_load_memory():
    config = written(
        "full.yaml",
        """sources:
  ticks: { plugin: generator, symbols: 25, rate: max, count: 20000000, seed: 42 }
processors:
  mine: { plugin: watchlist_filter, inputs: [ticks], symbols: ["*"] }
  ranked: { plugin: sorting_feed, inputs: [mine], by: price }
sinks:
  end: { plugin: null_sink, inputs: [ranked] }
""",
    )

    def measure():
        done = run([STOCKBUS, "run", "--quiet", config])
        return Sample(done.peak_kib / 1024, done.others)

    return measure


def binary_size():
    return Sample(STOCKBUS.stat().st_size / 2**20)


def stripped_size():
    with tempfile.NamedTemporaryFile() as copy:
        shutil.copy(STOCKBUS, copy.name)
        subprocess.run(["strip", copy.name], check=False, capture_output=True)
        return Sample(os.stat(copy.name).st_size / 2**20)


def works(quick):
    idle = Idle(2 if quick else 10)
    return [
        own("validate", "stockbus validate plugins.yaml", "ms", milliseconds([STOCKBUS, "validate", PROJECT / "plugins.yaml"])),
        own(
            "first-event", "Start to the first event, through filter and feed into a file", "ms", first_event(),
            [figure("at most 30 ms", 30)]),
        own("idle-memory", "Resident memory, idle", "MiB", idle.memory, [figure("at most 20 MiB", 20)], most_rounds=2),
        own("idle-cpu", "Processor, idle", "% of a core", idle.processor, [figure("0", 0)], most_rounds=2),
        own("full-memory", "Peak memory at full load (generator → filter → feed → null sink)", "MiB", full_load_memory(), most_rounds=3),
        own("binary", "Program", "MiB", binary_size, most_rounds=1),
        own("binary-stripped", "Program, stripped", "MiB", stripped_size, most_rounds=1),
    ]
