#!/usr/bin/env python3
"""Finds every test that Documentation/maintain/asvs.md names: `FILE: NAME` in the last column, or `FILE` of a test that is one program."""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def sources():
    """The texts of all files of Tests, by the file's name; several may have one name."""
    found = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "Tests")):
        for name in names:
            if name.endswith((".py", ".swift")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found.setdefault(name, []).append(file.read())
    return found


def main():
    files, problems, count, last = sources(), [], 0, {}
    with open(os.path.join(ROOT, "Documentation/maintain/asvs.md"), encoding="utf-8") as page:
        lines = [line.rstrip("\n") for line in page]
    end = lines.index("## What is not met")
    for number, line in enumerate(lines[:end], 1):
        cells = [cell.strip() for cell in line.split("|")]
        if not re.match(r"\| \d", line):
            continue
        if len(cells) != 6:
            problems.append(f"{number}: {len(cells) - 2} columns instead of 4")
            continue
        numbers = [tuple(map(int, text.split("."))) for text in re.findall(r"\d+\.\d+\.\d+", cells[1])]
        for each in numbers:
            if each <= last.get(each[0], (0,)):
                problems.append(f"{number}: {'.'.join(map(str, each))} comes twice, or too late")
            last[each[0]] = each
        if re.match("met", cells[3]) and not cells[4]:
            print(f"asvs.md:{number}: note: {cells[1]} is met by what no test shows", file=sys.stderr)
        for reference in re.findall(r"`([^`]+)`", cells[4]):
            count += 1
            name, _, test = reference.partition(": ")
            wanted = "def test_" + test.replace(" ", "_") + "(" if name.endswith(".py") else f"func `{test}`"
            if name not in files or test and not any(wanted in text for text in files[name]):
                problems.append(f"{number}: there is no test `{reference}`")
    for problem in problems:
        print(f"Documentation/maintain/asvs.md:{problem}", file=sys.stderr)
    print(f"asvs.md: {count} tests named" + (f", {len(problems)} problems" if problems else ", all there"))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
