"""The machine: who else uses it, and how a program is run and measured."""
import json
import os
import platform
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
MEASURED = CACHE / "bin" / "measured"
TICK = os.sysconf("SC_CLK_TCK")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
# The core for what runs on one: the last, because the first tends to serve the machine's interrupts.
ONE_CORE = str(max(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else "all"


class Failed(Exception):
    """A program did not end well, or what it answered is wrong: its figure does not count."""


@dataclass
class Run:
    """One run of a program."""

    output: str
    errors: str
    wall: float
    cpu: float
    peak_kib: int
    first_byte: float
    others: float  # Processor time that others took meanwhile, as a part of all there was.


def busy_seconds():
    """Processor time the whole machine has spent so far; None where that is not told."""
    try:
        with open("/proc/stat") as file:
            fields = [int(n) for n in file.readline().split()[1:]]
    except OSError:
        return None
    idle, iowait = fields[3], fields[4]
    return (sum(fields[:8]) - idle - iowait) / TICK


def run(command, cores="all", timeout=600, env=None, cwd=None):
    """Runs a program to its end; raises `Failed` where its status is not 0."""
    command = [str(part) for part in command]
    with tempfile.NamedTemporaryFile("r", prefix="stockbus-bench-") as report:
        before, began = busy_seconds(), time.monotonic()
        try:
            done = subprocess.run(
                [str(MEASURED), report.name, str(cores), *command], capture_output=True, text=True, timeout=timeout, cwd=cwd,
                env={**os.environ, **(env or {})},
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"no end after {timeout} s: {' '.join(command)}") from None
        elapsed = time.monotonic() - began
        text = report.read()
    if done.returncode != 0 or not text:
        raise Failed(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
    told = json.loads(text)
    if told["status"] != 0:
        raise Failed(f"status {told['status']}: {' '.join(command)}: {(done.stderr or done.stdout).strip()[-400:]}")
    cpu = told["user"] + told["system"]
    others = 0.0
    if before is not None:
        others = max(0.0, busy_seconds() - before - cpu) / (elapsed * (os.cpu_count() or 1))
    return Run(done.stdout, done.stderr, told["wall"], cpu, told["peak_kib"], told["first_byte"], others)


def lines_of_json(text):
    """What the measuring programs print."""
    found = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    if not found:
        raise Failed(f"no figures in {text[:200]!r}")
    return found


def wait_until_quiet(patience):
    """Waits until others leave the machine alone, at most `patience` seconds."""
    end = time.monotonic() + patience
    while patience > 0 and time.monotonic() < end:
        before = busy_seconds()
        if before is None:
            return
        time.sleep(0.25)
        if (busy_seconds() - before) / 0.25 < 0.1:
            return


def description():
    """What the figures were taken on."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {"processor": model, "cores": CORES, "memory_gib": round(memory, 1), "system": f"{platform.system()} {platform.release()}"}
