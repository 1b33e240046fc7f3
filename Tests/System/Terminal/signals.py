#!/usr/bin/env python3
"""The built program told to stop while it is still beginning.

Usage: signals.py PROGRAM [ROUNDS]

SIGINT, SIGTERM, SIGHUP and SIGQUIT are sent 0, 1, 2 … 20 ms after the program was executed, and again at the first moment at which it
catches them. Whatever the moment, there are two ways to end: it has drained, printed its ledger and says 0; or it had not begun (the
system was still loading it), has died of the signal and printed nothing. SIGHUP means that only in a process with a terminal; in one
without, it makes the run read its configuration again. Prints a line for each case; exit status 1 where one failed.
"""
import fcntl, os, pty, re, select, signal, subprocess, sys, tempfile, termios, time

# As a terminal leaves them: `nohup` and a script's `&` have the program's children ignore some.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)

PROGRAM = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 4
CONFIG = """
sources: { ticks: { plugin: generator, symbols: 25, interval: 50ms, seed: 42 } }
processors: { ranked: { plugin: sorting_feed, inputs: [ticks] } }
sinks: { end: { plugin: null_sink, inputs: [ranked] } }
"""
PATIENCE = 60
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Failure(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)


TERMINAL, ITS_END = pty.openpty()


def take_terminal():
    """Gives the child a session of its own with a terminal, whatever this script was started from."""
    os.setsid()
    fcntl.ioctl(ITS_END, termios.TIOCSCTTY, 1)


def begin(folder, *arguments, **more):
    environment = {"PATH": os.environ["PATH"], "HOME": folder}
    more.setdefault("preexec_fn", take_terminal)
    return subprocess.Popen(
        [PROGRAM, *arguments], cwd=folder, stdin=more.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment, **more)


def ended(process):
    try:
        output, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failure("the program goes on")
    return process.returncode, output.decode(), errors.decode()


def judge(number, status, output, errors):
    """True where it had begun."""
    if status == -number and output == "" and errors == "":
        return False
    check(status == 0, f"the exit status is {status}: {errors!r}")
    check("total" in errors and "balanced" in errors, f"there is no ledger: {errors!r}")
    check("rash" not in errors, f"it says that it crashed: {errors!r}")
    return True


def catches(process, number):
    """True where the process has a handler for the signal; None where it is gone."""
    try:
        with open(f"/proc/{process.pid}/status") as file:
            lines = [line.split() for line in file]
    except OSError:
        return None
    if ["State:", "Z"] in [line[:2] for line in lines]:
        return None
    caught = [line[1] for line in lines if line[:1] == ["SigCgt:"]]
    return bool(caught) and int(caught[0], 16) >> (number - 1) & 1 == 1


def after(number, folder):
    begun = 0
    for _ in range(ROUNDS):
        for delay in range(21):
            process = begin(folder, "run", "plugins.yaml")
            time.sleep(delay / 1000)
            process.send_signal(number)
            begun += judge(number, *ended(process))
    print(f"    {ROUNDS * 21} runs, {begun} had begun")


def at_once(number, folder):
    for _ in range(ROUNDS * 5):
        process = begin(folder, "run", "plugins.yaml")
        while catches(process, number) is False:
            pass
        process.send_signal(number)
        check(judge(number, *ended(process)), "it has died of a signal that it catches")


def others(number, folder):
    """A command that runs nothing dies of the signal without a word."""
    reading, writing = os.pipe()
    process = begin(folder, "validate", "/dev/stdin", stdin=reading)
    time.sleep(0.3)
    check(process.poll() is None, "it does not wait for its input")
    process.send_signal(number)
    status, output, errors = ended(process)
    os.close(writing)
    os.close(reading)
    check(status == -number, f"the exit status is {status}")
    check(output == "" and errors == "", f"it says {errors!r}")


def nohup(folder):
    process = begin(folder, "run", "plugins.yaml", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    while catches(process, signal.SIGTERM) is False:
        pass
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    check(process.poll() is None, "nohup did not keep it")
    process.send_signal(signal.SIGTERM)
    check(judge(signal.SIGTERM, *ended(process)), "it has died")


def reloads(folder):
    """Without a terminal: a good configuration changes the run, a bad one does not, and nothing is lost."""
    path = os.path.join(folder, "reload.yaml")
    more = CONFIG.replace("sinks: {", "sinks: { more: { plugin: null_sink, inputs: [ticks] },")
    steps = [
        (CONFIG, "reloaded: nothing has changed"),
        (CONFIG.replace("25", "30"), "reloaded: replaced ticks; 2 as before"),
        (more, "reloaded: added more; replaced ticks; 2 as before"),
        (more, "reloaded: nothing has changed"),
        (more.replace("[ranked]", "[rank]"), "not reloaded: 1 problem; the run goes on as before"),
        (more + "runtime: { seed: 7 }\n", "not reloaded: 'runtime', 'calendars', 'instruments' and 'history' are about the whole run"),
        (CONFIG, "reloaded: removed more; 3 as before"),
    ]
    with open(path, "w") as file:
        file.write(CONFIG)
    process = begin(folder, "run", path, preexec_fn=os.setsid)
    while catches(process, signal.SIGHUP) is False:
        pass
    for text, outcome in steps:
        with open(path, "w") as file:
            file.write(text)
        process.send_signal(signal.SIGHUP)
        said, until = b"", time.monotonic() + PATIENCE
        while outcome.encode() not in said:
            check(select.select([process.stderr], [], [], max(0, until - time.monotonic()))[0], f"'{outcome}' is not said, but {said!r}")
            said += os.read(process.stderr.fileno(), 4096)
    process.send_signal(signal.SIGTERM)
    status, _, errors = ended(process)
    check(status == 0 and "balanced: every event is accounted for" in errors, f"{status}: {errors!r}")
    check(re.search(r"ticks → more .*\d", errors), f"the ledger has forgotten an edge: {errors!r}")


def twice(folder):
    """The second signal ends what does not get as far as a run: here a configuration that never comes."""
    reading, writing = os.pipe()
    process = begin(folder, "run", "/dev/stdin", stdin=reading)
    while catches(process, signal.SIGINT) is False:
        pass
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    check(process.poll() is None, "the first signal was not kept")
    process.send_signal(signal.SIGINT)
    status = ended(process)[0]
    os.close(writing)
    os.close(reading)
    check(status == -signal.SIGINT, f"the exit status is {status}")


def main():
    # A shell makes its background jobs ignore SIGINT and SIGQUIT, and that is inherited.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "plugins.yaml"), "w") as file:
            file.write(CONFIG)
        cases = []
        for number in SIGNALS:
            for name, case in (("after 0 to 20 ms", after), ("as soon as it is caught", at_once), ("of a command that runs nothing", others)):
                cases.append((f"{number.name} {name}", lambda case=case, number=number: case(number, folder)))
        cases += [("nohup", lambda: nohup(folder)), ("reloads without a terminal", lambda: reloads(folder)), ("twice before there is a run", lambda: twice(folder))]
        for name, case in cases:
            try:
                case()
                print(f"ok      {name}", flush=True)
            except (Failure, OSError) as failure:
                failed += 1
                print(f"FAILED  {name}: {failure}", flush=True)
    print(f"{failed} failed" if failed else "whenever it was told to stop, it stopped in order")
    sys.exit(1 if failed else 0)


main()
