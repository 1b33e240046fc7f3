"""The program itself, for tests in a browser: a run in a folder of its own, told what to do by its standard input; and a network that fails."""
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

PATIENCE = 30  # seconds; a test that waits longer has failed


def until(condition, what, patience=PATIENCE):
    """The first true answer of `condition`."""
    end = time.monotonic() + patience
    while not (answer := condition()):
        assert time.monotonic() < end, f"not within {patience} s: {what}"
        time.sleep(0.02)
    return answer


class Program:
    """`stockbus run` of a configuration; {folder} and {port} in it are filled in. It can be stopped and started again on the same port."""

    def __init__(self, path, config):
        self.path, self.config = path, config
        self.folder = tempfile.mkdtemp()
        self.port, self.run, self.out = 0, None, ""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def file(self, name):
        return os.path.join(self.folder, name)

    def environment(self):
        return {**os.environ, "HOME": self.folder, "XDG_STATE_HOME": self.folder}

    def write(self):
        with open(self.file("run.yaml"), "w") as out:
            out.write(self.config.replace("{folder}", self.folder).replace("{port}", str(self.port)))
        return self.file("run.yaml")

    def start(self):
        self.out, log = "", open(self.file("log"), "w")
        self.run = subprocess.Popen(
            [self.path, "run", "--quiet", "--commands", "-", self.write()], env=self.environment(), cwd=self.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
            # Under nohup it would be ignored, also by the run.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        threading.Thread(target=self.listen, args=(self.run,), daemon=True).start()
        self.port = until(self.announced, "the page's address in the log")
        return self

    def listen(self, run):
        for line in run.stdout:
            self.out += line

    def log(self):
        with open(self.file("log")) as log:
            return log.read()

    def announced(self):
        if self.run and self.run.poll() is not None:
            raise AssertionError(f"the run ended by itself with status {self.run.returncode}:\n{self.log()}")
        found = re.search(r"the page is at http://127\.0\.0\.1:(\d+)/", self.log())
        return found and int(found.group(1))

    def tell(self, line):
        self.run.stdin.write(line + "\n")
        self.run.stdin.flush()

    def account(self, name, password, *rights):
        """A person made by who runs the program."""
        more = [word for right in rights for word in ("--can", right)]
        made = subprocess.run([self.path, "account", "add", name, "--file", self.file("people.db"), *more], input=password + "\n", capture_output=True, text=True, env=self.environment())
        assert made.returncode == 0, made.stderr

    def records(self, name):
        """What a recorder has written so far, without a line that is not whole yet."""
        with open(self.file(name)) as file:
            return [json.loads(line, parse_float=str) for line in file.read().rpartition("\n")[0].splitlines()]

    def lines(self, name):
        with open(self.file(name), "rb") as file:
            return file.read().count(b"\n")

    def stop(self):
        if not self.run:
            return
        if self.run.poll() is None:
            self.run.terminate()
        try:
            self.run.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.run.kill()
            raise AssertionError("the run does not stop")
        finally:
            status, self.run = self.run.wait(), None
        assert status == 0, f"status {status}:\n{self.log()}"

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Terminal(Program):
    """The same with a screen: the run has a window of tmux."""

    def start(self):
        open(self.file("log"), "w").close()  # the shell makes it later than somebody reads it
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30",
                  f"cd {self.folder}; env -u TMUX HOME={self.folder} LANG=C.UTF-8 COLORTERM=truecolor TZ=UTC {self.path} run --quiet {self.write()} 2>log; sleep 5")
        self.tmux("set", "-g", "status", "off")
        self.tmux("resize-window", "-x", "100", "-y", "30")
        self.port = until(self.announced, "the page's address in the log")
        return self

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.file("tmux"), *arguments], capture_output=True, text=True, check=True).stdout

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def stop(self):
        subprocess.run(["tmux", "-S", self.file("tmux"), "kill-server"], capture_output=True)


class Network:
    """A way to the program that can be cut: what is under way then arrives nowhere, and nobody is told."""

    def __init__(self, port):
        self.target, self.up, self.closed = port, True, False
        self.ways = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if not self.up:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.target))
            self.ways.append((near, far))
            threading.Thread(target=self.carry, args=(near, far), daemon=True).start()

    def carry(self, near, far):
        while self.up:
            for side in select.select([near, far], [], [], 0.05)[0]:
                try:
                    data = side.recv(65536)
                    if not self.up:
                        return
                    (far if side is near else near).sendall(data)
                except OSError:
                    data = b""
                if not data:
                    near.close()
                    far.close()
                    return

    def cut(self):
        """Both sides keep an open socket in which nothing moves."""
        self.up = False

    def reset(self):
        """The sockets of before the cut are refused, as by a router that has forgotten them."""
        for pair in self.ways:
            for side in pair:
                side.close()
        self.ways = []

    def mend(self):
        self.up = True

    def close(self):
        self.cut()
        self.reset()
        self.listener.close()
