#!/usr/bin/env python3
"""Alert programs end with stockbus, also when it is killed: children.py PROGRAM

The program of an alert, and a child of it, hold a pipe. After kill -9 of stockbus the pipe has to break; nothing here goes by time.
"""
import os, signal, subprocess, sys, tempfile

# As a terminal leaves them: `nohup` and a script's `&` have the program's children ignore some.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)

PROGRAM = os.path.abspath(sys.argv[1])

CONFIG = """
sources: {{ ticks: {{ plugin: generator, symbols: [A], interval: 10ms, seed: 1 }} }}
sinks:
  alerts:
    plugin: notification_dispatcher
    inputs: [ticks]
    rules: [{{ name: any, above: 0, initial: true, once: true }}]
    channels: [{{ command: {{ run: [{script}], timeout: 1h }} }}]
"""


def main():
    # The only clock: the whole test, should everything hang.
    signal.alarm(300)
    with tempfile.TemporaryDirectory() as folder:
        pipe, script, config = (os.path.join(folder, name) for name in ("pipe", "program", "config.yaml"))
        os.mkfifo(pipe)
        with open(script, "w") as out:
            out.write(f"#!/bin/sh\nexec 9>'{pipe}'\necho begun >&9\nsleep 100000 &\nwait\n")
        os.chmod(script, 0o755)
        with open(config, "w") as out:
            out.write(CONFIG.format(script=script))
        process = subprocess.Popen([PROGRAM, "run", config], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with open(pipe) as living:
            assert living.readline() == "begun\n"
            process.send_signal(signal.SIGKILL)
            # The end of the pipe: none of them lives who could write into it.
            assert living.read() == ""
        assert process.wait() == -signal.SIGKILL
    print("children.py: alert programs end with a program that is killed")


main()
