#!/usr/bin/env python3
"""The built program on real terminals: whatever happens to it, the terminal is left as it was found.

Usage: terminal.py PROGRAM [CASE...]

Python's pty is the terminal; a small shell of our own does job control. Every case ends with the same questions: are the terminal's modes
those it was found with, has the last thing that was sent left the other screen, shown the cursor and switched the mouse off, is no child of
the program left? Prints a line for each case; exit status 1 where one failed.
"""
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, tempfile, termios, time

# As a terminal leaves them: `nohup` and a script's `&` have the program's children ignore some.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)

PROGRAM = os.path.abspath(sys.argv[1])
CONFIG = """
sources: { ticks: { plugin: generator, symbols: 25, interval: 200ms, seed: 42 } }
processors: { ranked: { plugin: sorting_feed, inputs: [ticks] } }
sinks:
  screen: { plugin: console_viewer, inputs: [ranked] }
  flashes: { plugin: flash_logger, inputs: [ticks] }
"""
END = b"\x1b[?1049l"
# What must come is waited for; a machine that is busy with other tests takes its time.
PATIENCE = 60


class Failure(Exception):
    pass


class Terminal:
    """A pseudo-terminal with the program on it, in a session and a foreground group of its own."""

    def __init__(self, arguments=(), environment=None, size=(24, 80), config=CONFIG, stdin=True):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "plugins.yaml")
        with open(path, "w") as file:
            file.write(config)
        self.master, self.slave = os.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[0], size[1], 0, 0))
        self.found = termios.tcgetattr(self.slave)
        self.output = b""
        variables = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": self.folder.name}
        variables.update(environment or {})
        name = os.ttyname(self.slave)

        def begin():
            os.setsid()
            # The first terminal that a session's leader opens is its own.
            os.close(os.open(name, os.O_RDWR))

        self.process = subprocess.Popen(
            [PROGRAM, "run", path, *arguments], stdin=self.slave, stdout=self.slave, stderr=self.slave, env=variables, preexec_fn=begin,
            cwd=self.folder.name)

    def read(self, seconds=0.1):
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                return
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                return
            if not piece:
                return
            self.output += piece

    def wait(self, what, text, since=0):
        end = time.monotonic() + PATIENCE
        while text not in self.output[since:]:
            if time.monotonic() > end:
                raise Failure(f"{what}: {text!r} never came; the end of the output is {self.output[-300:]!r}")
            self.read()

    def started(self):
        self.wait("start", b"\x1b[?1049h")
        self.wait("start", b"GOOGL")

    def send(self, keys):
        os.write(self.master, keys)

    def ended(self):
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            if time.monotonic() > end:
                self.process.kill()
                raise Failure("the program does not end")
            self.read()
        self.silent(0.3)
        return self.process.returncode

    def silent(self, seconds):
        """Reads until nothing has come for so long."""
        end = time.monotonic() + PATIENCE
        while True:
            mark = len(self.output)
            self.read(seconds)
            if len(self.output) == mark:
                return
            if time.monotonic() > end:
                raise Failure(f"{seconds} s of silence never came")

    def restored(self, after=0):
        end = time.monotonic() + PATIENCE
        while True:
            self.read()
            wrong = self.wrong(after)
            if not wrong:
                return
            if time.monotonic() > end:
                raise Failure(wrong)

    def wrong(self, after):
        if termios.tcgetattr(self.slave) != self.found:
            return "the terminal's modes are not those it was found with"
        sent = self.output[after:]
        for on, off, name in [
            (b"\x1b[?1049h", b"\x1b[?1049l", "the other screen is still on"),
            (b"\x1b[?25l", b"\x1b[?25h", "the cursor is hidden"),
            (b"\x1b[?7l", b"\x1b[?7h", "lines do not wrap"),
            (b"\x1b[?1000h", b"\x1b[?1000l", "the mouse is still listened to"),
            (b"\x1b[?2026h", b"\x1b[?2026l", "a synchronized frame is open"),
        ]:
            if on in sent and sent.rfind(on) > sent.rfind(off):
                return name
        if re.search(rb"\x1b\[[0-9;]*[1-9][0-9;]*m(?!.*\x1b\[0?m)", sent, re.S):
            return "text has a look"
        return None

    def children(self):
        """Guardians that are left: shells that say so, of our folder's program."""
        left = []
        for pid in os.listdir("/proc"):
            if pid.isdigit():
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as file:
                        line = file.read()
                    if b"stockbus: gives the terminal back" in line and os.readlink(f"/proc/{pid}/fd/4") == os.ttyname(self.slave):
                        left.append(int(pid))
                except OSError:
                    pass
        return left

    def alone(self):
        end = time.monotonic() + PATIENCE
        while self.children():
            if time.monotonic() > end:
                raise Failure("a guardian is left over")
            time.sleep(0.05)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.master, self.slave):
            try:
                os.close(descriptor)
            except OSError:
                pass
        self.folder.cleanup()


def check(condition, text):
    if not condition:
        raise Failure(text)


def quit_key():
    terminal = Terminal()
    try:
        terminal.started()
        check(len(terminal.children()) == 1, "there is no guardian")
        terminal.send(b"q")
        check(terminal.ended() == 0, "the exit status is not 0")
        terminal.restored()
        terminal.alone()
        check(b"balanced" in terminal.output.split(END)[-1], "the ledger was not printed")
    finally:
        terminal.close()


def by_signal(number, status):
    def case():
        terminal = Terminal()
        try:
            terminal.started()
            os.kill(terminal.process.pid, number)
            got = terminal.ended()
            check(got == status, f"the exit status is {got}, not {status}")
            terminal.restored()
            terminal.alone()
        finally:
            terminal.close()

    return case


def interrupt_key():
    terminal = Terminal()
    try:
        terminal.started()
        terminal.send(b"\x03")
        check(terminal.ended() == 0, "the exit status is not 0")
        terminal.restored()
        terminal.alone()
    finally:
        terminal.close()


def killed_group():
    terminal = Terminal()
    try:
        terminal.started()
        os.killpg(terminal.process.pid, signal.SIGKILL)
        terminal.ended()
        terminal.restored()
        terminal.alone()
    finally:
        terminal.close()


def suspended():
    # A shell is what lets a program stop: without one its group would be an orphan, which the kernel does not stop.
    terminal = Terminal.__new__(Terminal)
    terminal.folder = tempfile.TemporaryDirectory()
    path = os.path.join(terminal.folder.name, "plugins.yaml")
    with open(path, "w") as file:
        file.write(CONFIG)
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(terminal.folder.name)
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": terminal.folder.name, "PS1": "prompt> "}
        os.execvpe("bash", ["bash", "--norc", "--noediting", "-i"], environment)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    terminal.master, terminal.output = master, b""
    number = struct.unpack("I", fcntl.ioctl(master, 0x80045430, bytes(4)))[0]  # TIOCGPTN, which is `ptsname`
    terminal.slave = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY)

    class Shell:
        returncode = None

        def poll(self):
            done, _ = os.waitpid(pid, os.WNOHANG)
            return 0 if done else None

        def kill(self):
            os.kill(pid, signal.SIGKILL)

        def wait(self):
            os.waitpid(pid, 0)

    terminal.process = Shell()
    try:
        terminal.wait("the shell", b"prompt> ")
        terminal.found = termios.tcgetattr(terminal.slave)
        for round in range(2):
            mark = len(terminal.output)
            terminal.send(f"{PROGRAM} run --quiet plugins.yaml\n".encode())
            terminal.wait("start", b"\x1b[?1049h", mark)
            terminal.wait("start", b"GOOGL", mark)
            mark = len(terminal.output)
            terminal.send(b"\x1a")
            terminal.wait("Ctrl-Z", b"Stopped", mark)
            terminal.restored(0)
            mark = len(terminal.output)
            terminal.send(b"echo typed-$((6*7))\n")
            terminal.wait("the shell in between", b"typed-42", mark)
            if round == 1:
                # In the background the bus goes on and the screen does not come back.
                mark = len(terminal.output)
                terminal.send(b"bg\n")
                terminal.read(1.0)
                check(b"\x1b[?1049h" not in terminal.output[mark:], "it took the screen in the background")
                terminal.send(b"echo typed-$((6*8))\n")
                terminal.wait("the shell beside the background", b"typed-48", mark)
            mark = len(terminal.output)
            terminal.send(b"fg\n")
            terminal.wait("fg", b"\x1b[?1049h", mark)
            terminal.wait("fg", b"GOOGL", mark)
            mark = len(terminal.output)
            terminal.send(b"q")
            terminal.wait("the end", b"prompt> ", mark)
            terminal.restored(0)
            terminal.alone()
    finally:
        terminal.send(b"\x03\nexit\n")
        terminal.read(0.5)
        terminal.close()


def closed():
    terminal = Terminal()
    try:
        terminal.started()
        # The window goes: the last one to have it open closes it.
        guardians = terminal.children()
        os.close(terminal.slave)
        os.close(terminal.master)
        end = time.monotonic() + PATIENCE
        while terminal.process.poll() is None:
            check(time.monotonic() < end, "the program does not end")
            time.sleep(0.05)
        end = time.monotonic() + PATIENCE
        while any(os.path.exists(f"/proc/{pid}") for pid in guardians):
            check(time.monotonic() < end, "a guardian is left over")
            time.sleep(0.05)
    finally:
        terminal.close()


def resized():
    terminal = Terminal()
    try:
        terminal.started()
        for rows, columns in [(6, 20), (1, 1), (2, 200), (60, 200), (24, 80)]:
            mark = len(terminal.output)
            fcntl.ioctl(terminal.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            terminal.wait(f"{columns}x{rows}", b"\x1b[2J", mark)
        terminal.send(b"q")
        check(terminal.ended() == 0, "the exit status is not 0")
        terminal.restored()
    finally:
        terminal.close()


def dumb():
    terminal = Terminal(environment={"TERM": "dumb"})
    try:
        terminal.wait("lines", b"GOOGL")
        check(b"\x1b" not in terminal.output, "an escape sequence was sent to a dumb terminal")
        os.kill(terminal.process.pid, signal.SIGTERM)
        check(terminal.ended() == 0, "the exit status is not 0")
        check(b"\x1b" not in terminal.output, "an escape sequence was sent to a dumb terminal")
        terminal.restored()
    finally:
        terminal.close()


def colourless():
    terminal = Terminal(environment={"NO_COLOR": "1"})
    try:
        terminal.started()
        terminal.read(1)
        terminal.send(b"q")
        terminal.ended()
        check(not re.search(rb"\x1b\[[0-9;]*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m", terminal.output), "a colour was sent")
        terminal.restored()
    finally:
        terminal.close()


def synchronized():
    terminal = Terminal()
    try:
        terminal.wait("the question", b"\x1b[?2026$p")
        check(b"\x1b[?2026h" not in terminal.output, "synchronized frames before the answer")
        terminal.send(b"\x1b[?2026;2$y")
        terminal.wait("synchronized frames", b"\x1b[?2026h")
        terminal.send(b"q")
        terminal.ended()
        terminal.restored()
    finally:
        terminal.close()


def quiet_when_idle():
    """No events, no change: not a byte, and next to no time of the processor."""
    config = CONFIG.replace("interval: 200ms", "interval: 1h").replace("  flashes: { plugin: flash_logger, inputs: [ticks] }\n", "")
    terminal = Terminal(config=config)
    try:
        terminal.started()
        # The rate falls to nothing some seconds after the last price.
        terminal.silent(3)

        def used():
            with open(f"/proc/{terminal.process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])

        # A minute that changes, or a cold cache on a busy machine, spoils one stretch and not the next.
        for attempt in range(3):
            mark, before, began = len(terminal.output), used(), time.monotonic()
            # What is sent does not end the stretch.
            while time.monotonic() < began + 10:
                terminal.read(began + 10 - time.monotonic())
            ticks, seconds = used() - before, time.monotonic() - began
            sent = len(terminal.output) - mark
            if sent < 400 and ticks <= 2:
                break
        check(sent < 400, f"{sent} bytes were sent while nothing changed")
        check(ticks <= 2, f"{ticks} ticks of the processor in {seconds:.0f} s")
        print(f"    idle: {sent} bytes and {ticks} ticks (10 ms) in {seconds:.0f} s")
    finally:
        terminal.close()


def last_picture():
    """What a file at full speed leaves on the screen has all of its symbols, however short the run was."""
    names = ["ACME", "GLOBEX", "INITECH", "UMBRELLA"]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("time,symbol,price,size\n")
        for row in range(400):
            file.write(f"2024-01-02T14:{row // 60:02}:{row % 60:02}Z,{names[row % 4]},{10 + row % 7},1\n")
        file.flush()
        config = f"""
sources:
  prices: {{ plugin: file_replay, path: {file.name} }}
sinks:
  screen: {{ plugin: console_viewer, inputs: [prices] }}
"""
        terminal = Terminal(config=config, arguments=["--quiet"])
        try:
            check(terminal.ended() == 0, "the exit status is not 0")
            terminal.restored()
            left = terminal.output.split(b"\x1b[?1049l")[-1].decode()
            missing = [name for name in names if name not in left]
            check(not missing, f"{missing} are not in the last picture")
        finally:
            terminal.close()


CASES = {
    "q": quit_key,
    "last picture": last_picture,
    "Ctrl-C": interrupt_key,
    "SIGTERM": by_signal(signal.SIGTERM, 0),
    "SIGHUP": by_signal(signal.SIGHUP, 0),
    "SIGQUIT": by_signal(signal.SIGQUIT, 0),
    "trap": by_signal(signal.SIGTRAP, -signal.SIGTRAP),
    "SIGSEGV": by_signal(signal.SIGSEGV, -signal.SIGSEGV),
    "SIGABRT": by_signal(signal.SIGABRT, -signal.SIGABRT),
    "kill -9": by_signal(signal.SIGKILL, -signal.SIGKILL),
    "kill -9 of the group": killed_group,
    "Ctrl-Z, bg, fg": suspended,
    "closed window": closed,
    "resize": resized,
    "TERM=dumb": dumb,
    "NO_COLOR": colourless,
    "synchronized output": synchronized,
    "idle": quiet_when_idle,
}


def main():
    failed = 0
    for name in sys.argv[2:] or CASES:
        try:
            CASES[name]()
            print(f"ok      {name}", flush=True)
        except (Failure, OSError) as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}", flush=True)
    print(f"{failed} failed" if failed else "the terminal was always left as it was found")
    sys.exit(1 if failed else 0)


main()
