#!/usr/bin/env python3
"""Does what the pages in Documentation/tasks tell a reader to do: docs_tasks.py PROGRAM [PAGE…]. docs-check.py does it with all pages.

The commands of a page run in its order, in one empty folder, which is the home too. What they print, on standard output and error, has to be the block
`text` behind them, if there is one; '…' stands for anything within a line, and alone for any lines. Comments on the page:

  <!-- file: NAME -->       above a block: it is the text of this file
  <!-- until: TEXT -->      above commands: they are stopped, as by Ctrl-C, once they have printed TEXT
  <!-- not run: REASON -->  above commands: they are not run
  <!-- run                  commands that only the test needs, such as a look at what came of it
  …
  -->
  <!-- needs: PROGRAM -->   the page is skipped where this program is not

Requests to the address in NTFY_SERVER are written into the file `received`. NATS is the address of a server that the page may start. A page of
Documentation/tasks is one screen: it shows at most 60 lines, and it names its files.
"""
import http.server
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TASKS = ROOT / "Documentation/tasks"
# For one block; what hangs is ended.
DEADLINE = 120
LINES = 60


def steps(text):
    """The comments and code blocks of a page in order: line, language (None: a comment), body, the comment right above."""
    above = None
    for m in re.finditer(r"^<!-- ?(.*?)-->\n|^( *)```(\w*)\n(.*?)^\2```$", text, re.M | re.S):
        line = text.count("\n", 0, m.start()) + 1
        if m[3] is None:
            if text[m.end():].lstrip(" ").startswith("```") and not m[1].startswith(("run\n", "needs:")):
                above = m[1].strip()
            else:
                yield line, None, m[1].strip(), ""
        else:
            yield line, m[3], "\n".join(row[len(m[2]):] for row in m[4].split("\n")), above or ""
            above = None


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def pattern(expected):
    rows = [r"(?:.*\n)*?" if row.strip() == "…" else "[^\n]*?".join(map(re.escape, row.rstrip().split("…"))) + " *\n"
            for row in expected.rstrip("\n").split("\n")]
    return re.compile("".join(rows) + r"\s*\Z")


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes each request, and writes down what was sent."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        with open(self.server.file, "a") as file:
            file.write(f"{self.command} {self.path}\n{body}\n")
        self.send_response(200)
        self.end_headers()

    do_PUT = do_POST

    def log_message(self, *_):
        pass


class Page:
    def __init__(self, path, program):
        self.path, self.program = path, os.path.abspath(program)

    def run(self):
        """The first fault, as line and text; 'SKIPPED' begins that of a page which cannot be tried here."""
        with tempfile.TemporaryDirectory(prefix="task-") as name:
            self.folder, self.groups = pathlib.Path(name), []
            tools = self.folder / ".tools"
            tools.mkdir()
            (tools / "stockbus").symlink_to(self.program)
            servers = sorted(ROOT.glob(".build/nats/*/nats-server"))
            if servers and not shutil.which("nats-server"):
                (tools / "nats-server").symlink_to(servers[-1])
            receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
            receiver.file = self.folder / "received"
            threading.Thread(target=receiver.serve_forever, daemon=True).start()
            self.environment = {"HOME": name, "PATH": f"{tools}:{os.environ['PATH']}", "TZ": "UTC", "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": name,
                                "NTFY_SERVER": f"http://127.0.0.1:{receiver.server_port}", "NATS": f"nats://127.0.0.1:{free_port()}"}
            try:
                return self.steps()
            finally:
                receiver.shutdown()
                for group in self.groups:
                    self.end(group)

    def steps(self):
        text = self.path.read_text()
        seen = re.sub(r"^<!--.*?-->\n", "", text, flags=re.M | re.S)
        if (lines := len(seen.splitlines())) > LINES and self.path.parent == TASKS:
            return 1, f"shows {lines} lines; a page is one screen of at most {LINES}"
        shown = None
        for line, language, body, comment in steps(text):
            if language is None:
                if missing := re.match(r"needs: (\S+)", body):
                    if not shutil.which(missing[1], path=self.environment["PATH"]):
                        return line, f"SKIPPED: there is no {missing[1]}"
                elif body.startswith("run\n"):
                    _, fault = self.shell(body[4:], None)
                    if fault:
                        return line, fault
            elif comment.startswith("file: "):
                file = self.folder / comment[6:]
                if self.path.parent == TASKS and f"`{file.name}`" not in seen:
                    return line, f"does not say that this is `{file.name}`"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(body)
            elif language == "sh":
                shown = None
                if not comment.startswith("not run:"):
                    shown, fault = self.shell(body, comment[7:] if comment.startswith("until: ") else None)
                    if fault:
                        return line, fault
            elif language == "text" and shown is not None:
                if not pattern(body).match(shown.rstrip("\n") + "\n"):
                    return line, f"the commands above print something else:\n{shown}"
                shown = None
        return None

    def shell(self, text, until):
        """Runs commands; what they print, and what is wrong."""
        with open(self.folder / ".printed", "w+") as printed:
            process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=printed, stderr=subprocess.STDOUT, start_new_session=True)
            self.groups.append(process.pid)
            shown = lambda: pathlib.Path(printed.name).read_text(errors="replace")
            latest = time.monotonic() + DEADLINE
            if until:
                while until not in shown() and process.poll() is None and time.monotonic() < latest:
                    time.sleep(0.02)
                if until not in shown():
                    return shown(), f"nothing has printed '{until}':\n{shown()}"
                os.killpg(process.pid, signal.SIGINT)
            try:
                status = process.wait(max(0, latest - time.monotonic()))
            except subprocess.TimeoutExpired:
                return shown(), f"the commands have not ended after {DEADLINE} s:\n{shown()}"
            return shown(), None if status == 0 else f"the commands end with status {status}:\n{shown()}"

    def end(self, group):
        """What a block has left running, with all that it started."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(group, sign)
            except ProcessLookupError:
                return
            for _ in range(100):
                try:
                    os.killpg(group, 0)
                except ProcessLookupError:
                    return
                time.sleep(0.05)


def main(program, names):
    faults = 0
    for path in sorted(TASKS.glob("*.md")):
        if names and path.stem not in names:
            continue
        found = Page(path, program).run()
        if found:
            faults += not found[1].startswith("SKIPPED")
            print(f"{path.relative_to(ROOT)}:{found[0]}: {found[1]}", file=sys.stderr)
        else:
            print(f"{path.relative_to(ROOT)}: done")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
