#!/usr/bin/env python3
"""Compares the real program with Documentation/use/openapi.yaml by Schemathesis: contract.py PROGRAM SCHEMATHESIS [--examples N] [--seed N].

A run with accounts, a paper broker and a dispatcher is asked with the token of a person who may do everything. The requests are those of the
document's examples, of the edges of its schemas, and made up by seed, some proper and some not. schemathesis.toml names the deviations that
are meant, each with its reason. At the end the program lives, and its ledger is balanced.
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Doors"))

from doors import ROOT, Doors, finish  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("schemathesis")
    parser.add_argument("--examples", type=int, default=20, help="made-up requests of each operation")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        doors = Doors(os.path.abspath(arguments.program), folder, "accounts: open\n    proxy: true")
        try:
            # Its name is that of a paper account, so that orders are taken.
            doors.person("hannah", "read,trade,control")
            _, token = doors.token("hannah", "read", "trade", "control")
            status = subprocess.run([
                os.path.abspath(arguments.schemathesis), "--config-file", os.path.join(HERE, "schemathesis.toml"), "run",
                os.path.join(ROOT, "Documentation/use/openapi.yaml"), "--url", doors.origin, "-H", f"Authorization: Bearer {token}",
                "--phases", "examples,coverage,fuzzing", "--max-examples", str(arguments.examples), "--seed", str(arguments.seed),
                # A password takes its time.
                "--request-timeout", "120",
            ], cwd=folder).returncode
            finish(doors)
        finally:
            doors.program.end()
    sys.exit(status)


if __name__ == "__main__":
    main()
