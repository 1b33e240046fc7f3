"""What the tests from outside share: the real program with a page on a port of its own, its people, and clients that may be rude."""
import base64
import contextlib
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import struct
import subprocess
import time

PASSWORD = "four plain words"
DAY = 86_400 * 10**9


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, [(name.lower(), value) for name, value in fields], body

    def field(self, name):
        return next((value for key, value in self.fields if key == name), None)

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        try:
            return self.json["error"]["code"]
        except (ValueError, KeyError, TypeError):
            return None

    @property
    def secret(self):
        """The session's secret in `Set-Cookie`, if there is one."""
        found = re.match(r"[^=]+=([^;]*)", self.field("set-cookie") or "")
        return found and found.group(1)

    def __repr__(self):
        return f"{self.status} {self.text[:300]}"


class Program:
    """A run that serves a page; it may be killed and started again on the same files."""

    def __init__(self, program, folder, config):
        self.program, self.folder, self.run, self.port = program, folder, None, None
        self.config = os.path.join(folder, "run.yaml")
        self.log_path = os.path.join(folder, "run.log")
        with open(self.config, "w") as out:
            out.write(config)

    def start(self, limit=60):
        with open(self.log_path, "ab") as log:
            begin = log.tell()
            self.run = subprocess.Popen([self.program, "run", self.config], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        end = time.monotonic() + limit
        while True:
            said = self.log_after(begin)
            found = re.search(r"the page is at https?://[^/\s]*:(\d+)", said)
            if found:
                self.port = int(found.group(1))
                return self
            if self.run.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"no page: {said[-2000:]}")
            time.sleep(0.01)

    def log_after(self, begin):
        """What it has said from this byte on."""
        with open(self.log_path, "rb") as log:
            log.seek(begin)
            return log.read().decode("utf-8", "replace")

    @property
    def log(self):
        return self.log_after(0)

    @property
    def lives(self):
        return self.run.poll() is None

    def kill(self):
        self.run.send_signal(signal.SIGKILL)
        self.run.wait()

    def stop(self):
        """Ends the run as Ctrl-C does; returns its status."""
        if self.lives:
            self.run.send_signal(signal.SIGINT)
        return self.run.wait(timeout=60)

    def end(self):
        if self.run and self.lives:
            self.kill()


class Client:
    """One kept connection of somebody: a cookie or a token, the page's own origin, an address behind the proxy."""

    def __init__(self, port, cookie=None, token=None, address=None, limit=60):
        self.port, self.cookie, self.token, self.address, self.limit = port, cookie, token, address, limit
        self.connection = None

    def ask(self, method, path, body=None, fields=None, cookie_name="stockbus"):
        """`fields` take the place of the usual ones; None leaves one out. `body` is sent as JSON unless it is bytes."""
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        sent = {"Host": f"127.0.0.1:{self.port}", "Origin": f"http://127.0.0.1:{self.port}"}
        if raw is not None:
            sent["Content-Type"] = "application/json"
        if self.cookie:
            sent["Cookie"] = f"{cookie_name}={self.cookie}"
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if self.address:
            sent["X-Forwarded-For"] = self.address
        sent.update(fields or {})
        for attempt in (0, 1):
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.limit)
            try:
                self.connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
                for name, value in sent.items():
                    if value is not None:
                        self.connection.putheader(name, value)
                if raw is not None:
                    self.connection.putheader("Content-Length", str(len(raw)))
                self.connection.endheaders(raw)
                response = self.connection.getresponse()
                answer = Answer(response.status, response.getheaders(), response.read())
                if response.will_close:
                    self.close()
                return answer
            except (ConnectionError, http.client.BadStatusLine):
                # A kept connection may have ended meanwhile; a new one may not. Only what changes nothing is repeated.
                self.close()
                if attempt or method not in ("GET", "HEAD"):
                    raise

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


def connect(port, limit=20):
    return socket.create_connection(("127.0.0.1", port), timeout=limit)


def send_raw(port, data, limit=20):
    """All that the server says to these bytes until it closes, or nothing more comes within the limit."""
    with connect(port, limit) as stream:
        try:
            stream.sendall(data)
        except ConnectionError:
            pass
        return read_all(stream)


def read_all(stream):
    said = b""
    try:
        while True:
            part = stream.recv(65_536)
            if not part:
                return said
            said += part
    except (ConnectionError, TimeoutError):
        return said


def answers(said):
    """The answers in what a server has said, each with its whole body."""
    found = []
    while said.startswith(b"HTTP/1.1 "):
        head, _, rest = said.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:]]
        length = int(next((value for name, value in fields if name.lower() == "content-length"), "0"))
        found.append(Answer(int(lines[0].split()[1]), fields, rest[:length]))
        said = rest[length:]
    return found


class Live:
    """A page's WebSocket, by hand, so that it can say what no browser says."""

    def __init__(self, port, cookie=None, fields=None, limit=20):
        self.stream = connect(port, limit)
        sent = {
            "Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(), "Sec-WebSocket-Protocol": "stockbus.v1",
        }
        if cookie:
            sent["Cookie"] = f"stockbus={cookie}"
        sent.update(fields or {})
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value is not None)
        self.stream.sendall(f"GET /live HTTP/1.1\r\n{head}\r\n".encode("latin-1"))
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            part = self.stream.recv(65_536)
            if not part:
                break
            self.rest += part
        self.status = int(self.rest.split(b" ", 2)[1]) if self.rest else 0
        self.refusal = None
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        if self.status != 101:
            length = int((re.search(rb"content-length: (\d+)", head) or [0, 0])[1])
            while len(self.rest) < length:
                self.rest += self.stream.recv(65_536)
            self.refusal = answers(head + b"\r\n\r\n" + self.rest)[0]

    def frame(self, payload, opcode=1, fin=True, masked=True, bits=0):
        length = len(payload)
        head = bytes([(128 if fin else 0) | bits | opcode])
        mark = 128 if masked else 0
        if length < 126:
            head += bytes([mark | length])
        elif length < 65_536:
            head += bytes([mark | 126]) + struct.pack(">H", length)
        else:
            head += bytes([mark | 127]) + struct.pack(">Q", length)
        return head + (b"\0\0\0\0" if masked else b"") + payload

    def say(self, *frames):
        try:
            self.stream.sendall(b"".join(frames))
        except ConnectionError:
            pass

    def hello(self):
        self.say(self.frame(b'{"op":"hello","epoch":null,"cursor":0}'))
        assert "welcome" in self.text(), "no welcome"
        return self

    def read(self):
        """The next message as (opcode, bytes); None at the end."""
        while True:
            if len(self.rest) >= 2:
                opcode, length, begin = self.rest[0] & 15, self.rest[1] & 127, 2
                if length == 126 and len(self.rest) >= 4:
                    length, begin = struct.unpack(">H", self.rest[2:4])[0], 4
                elif length == 127 and len(self.rest) >= 10:
                    length, begin = struct.unpack(">Q", self.rest[2:10])[0], 10
                elif length >= 126:
                    begin = 1 << 60
                if len(self.rest) >= begin + length:
                    payload, self.rest = self.rest[begin:begin + length], self.rest[begin + length:]
                    return opcode, payload
            try:
                part = self.stream.recv(65_536)
            except ConnectionError:
                return None
            if not part:
                return None
            self.rest += part

    def text(self):
        """The next text message; empty at the end."""
        while True:
            message = self.read()
            if message is None or message[0] == 8:
                return ""
            if message[0] == 1:
                return message[1].decode()

    def closing(self):
        """The code of the server's close frame; None if it only ended."""
        while True:
            message = self.read()
            if message is None:
                return None
            if message[0] == 8:
                return struct.unpack(">H", message[1][:2])[0] if len(message[1]) >= 2 else None

    def close(self):
        self.stream.close()


# MARK: People in the file


def cheap_hash(password):
    """A stored password that costs nothing to check; the program takes each hash with the cost that is written in it."""
    salt = hashlib.sha256(password.encode()).digest()[:16]
    made = hashlib.scrypt(password.encode(), salt=salt, n=16, r=1, p=1, dklen=32)
    return f"scrypt$16$1$1${base64.b64encode(salt).decode()}${base64.b64encode(made).decode()}"


def open_file(path):
    return contextlib.closing(sqlite3.connect(path, timeout=30, isolation_level=None))


def add_person(path, name, scopes="read,trade", password=PASSWORD):
    now = time.time_ns()
    with open_file(path) as db:
        db.execute("INSERT INTO people (name, password, scopes, created, changed) VALUES (?, ?, ?, ?, ?)",
                   (name, cheap_hash(password), scopes, now, now))


def add_session(path, name, age=0, unseen=0, address="127.0.0.1"):
    """A session that was begun `age` and seen last `unseen` nanoseconds ago; returns its secret."""
    secret = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
    now = time.time_ns()
    with open_file(path) as db:
        db.execute("INSERT INTO people_sessions (hash, person, address, created, seen) VALUES (?, (SELECT id FROM people WHERE name = ?), ?, ?, ?)",
                   (hashlib.sha256(secret.encode()).digest(), name, address, now - age, now - unseen))
    return secret
