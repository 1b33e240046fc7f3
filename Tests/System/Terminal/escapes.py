#!/usr/bin/env python3
"""What a venue sends never reaches a terminal as a command: escapes.py PROGRAM

Rows that hold ESC, DEL and C1 go through everything that writes them to standard output or error, on a real pseudo-terminal. Colours and the
like are the program's own: what is looked for are the strings of the rows.
"""
import os, pty, select, signal, subprocess, sys, tempfile

# As a terminal leaves them: `nohup` and a script's `&` have the program's children ignore some.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)

PROGRAM = os.path.abspath(sys.argv[1])
# Sets a window's title in 7 and in 8 bits, and DEL; a row that is none, so it becomes a dead letter with all of it.
HOSTILE = "\x1b]0;owned\x07|\u009b31m|\x7f"
ROWS = f"symbol,price,size,time\nAAPL,1.00,1,2024-01-02T10:00:00Z\n{HOSTILE},x,1,2024-01-02T10:00:01Z\n"
CONFIG = """
sources: {{ rows: {{ plugin: file_replay, path: '{folder}/rows.csv' }} }}
sinks:
  out: {{ plugin: file_writer, inputs: [dead_letters], path: '{path}' }}
  null: {{ plugin: null_sink, inputs: [rows] }}
"""


def on_terminal(arguments, folder):
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=folder, env={"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8"})
    os.close(slave)
    output = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
    os.close(master)
    process.wait()
    return output


def main():
    # The only clock: the whole test, should everything hang.
    signal.alarm(300)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/rows.csv", "w") as out:
            out.write(ROWS)
        configs = {}
        for name, path in [("json", "-"), ("csv", "-"), ("file", f"{folder}/out.csv")]:
            configs[name] = f"{folder}/{name}.yaml"
            with open(configs[name], "w") as out:
                text = CONFIG.format(folder=folder, path=path)
                out.write(text.replace("path: '-'", "path: '-', format: csv") if name == "csv" else text)
        cases = [["print", configs["file"], "--from", "dead_letters", "--format", form] for form in ("table", "json", "csv")]
        cases += [["run", configs["json"]], ["run", configs["csv"]], ["validate", configs["file"], "\x1b]0;owned\x07"]]
        cases += [["describe", "\x1b]0;owned\x07"], ["print", configs["file"], "--where", "symbol == \x1b]0;owned\x07"]]
        for case in cases:
            output = on_terminal(case, folder)
            bad = [what for what in (b"\x1b]", b"\xc2\x9b", b"\x7f", b"\x07") if what in output]
            # A test that sees nothing proves nothing.
            if b"owned" not in output:
                bad.append(b"nothing of the row")
            print(("ok     " if not bad else "FAILED ") + " ".join(case[:1] + case[2:]).replace("\x1b", "ESC").replace("\x07", "BEL"), bad or "")
            failures += bool(bad)
        # To a pipe: JSON without a single control character, CSV as it came.
        pipe = lambda form: subprocess.run(
            [PROGRAM, "print", configs["file"], "--from", "dead_letters", "--format", form], capture_output=True, cwd=folder).stdout
        if any(byte < 32 and byte != 10 or byte == 127 for byte in pipe("json")) or b"\xc2\x9b" in pipe("json"):
            print("FAILED print --format json into a pipe")
            failures += 1
        if HOSTILE.encode() not in pipe("csv"):
            print("FAILED print --format csv into a pipe keeps what came")
            failures += 1
    sys.exit(1 if failures else 0)


main()
