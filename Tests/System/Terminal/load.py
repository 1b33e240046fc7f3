#!/usr/bin/env python3
"""What the screen costs: a million trades a second into console_viewer on a pseudo-terminal, beside the same into null_sink.

Usage: load.py PROGRAM [SECONDS]      (a release build)

Prints events delivered a second, frames a second, bytes a second to the terminal, and the processor's time of the whole program in per cent of
one core; the viewer's part is the difference to null_sink. Runs alternate, so that a busy machine is busy for both.
"""
import fcntl, os, re, select, signal, struct, subprocess, sys, tempfile, termios, time

PROGRAM, SECONDS = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 10
HERTZ = os.sysconf("SC_CLK_TCK")


def run(sink, symbols, size=(40, 120)):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plugins.yaml")
        with open(path, "w") as file:
            file.write(
                f"sources: {{ ticks: {{ plugin: generator, symbols: {symbols}, rate: 1000000/s, seed: 42 }} }}\n"
                f"sinks: {{ end: {{ plugin: {sink}, inputs: [ticks] }} }}\n")
        master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "HOME": folder}
        name = os.ttyname(slave)

        def begin():
            os.setsid()
            os.close(os.open(name, os.O_RDWR))

        process = subprocess.Popen(
            [PROGRAM, "run", path], stdin=slave, stdout=slave, stderr=slave, env=environment, preexec_fn=begin, cwd=folder)

        def used():
            with open(f"/proc/{process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / HERTZ

        def read(seconds):
            count, text, end = 0, b"", time.monotonic() + seconds
            while (left := end - time.monotonic()) > 0:
                if select.select([master], [], [], left)[0]:
                    piece = os.read(master, 1 << 20)
                    count += len(piece)
                    text = (text + piece)[-20_000:]
            return count, text

        read(2)
        before, began = used(), time.monotonic()
        count, _ = read(SECONDS)
        busy, elapsed = used() - before, time.monotonic() - began
        os.kill(process.pid, signal.SIGTERM)
        text = read(1.5)[1].decode(errors="replace")
        process.wait()
        os.close(master)
        os.close(slave)
    total = elapsed + 2
    delivered = re.search(r"ticks → end\s+[\d,]+\s+([\d,]+)", text)
    frames = re.search(r"frames ([\d,]+)", text)
    number = lambda match: int(match.group(1).replace(",", "")) if match else 0
    return number(delivered) / total, number(frames) / total, count / elapsed, 100 * busy / elapsed


for symbols in (25, 500, 5000):
    results = {"null_sink": [], "console_viewer": []}
    for _ in range(3):
        for sink in results:
            results[sink].append(run(sink, symbols))
    print(f"{symbols} symbols")
    for sink, runs in results.items():
        middle = [sorted(values)[len(values) // 2] for values in zip(*runs)]
        print(f"  {sink:15} {middle[0] / 1e6:.3f}M events/s  {middle[1]:5.1f} frames/s  {middle[2] / 1024:6.1f} KiB/s  {middle[3]:5.1f} % of a core")
