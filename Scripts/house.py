#!/usr/bin/env python3
"""Draws the floors of Package.swift into Documentation/maintain/architecture.md, between the comments <!-- house --> and <!-- /house -->.

An arrow means: a module of this floor imports one of that floor. What follows from other arrows is left out.
`--check` writes nothing, and fails if the page has another picture.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "Documentation/maintain/architecture.md"


def floors(targets):
    """The modules of each floor, and the floors that it imports, from the top down."""
    home = {}
    for target in targets:
        parts = pathlib.PurePath(target.get("path") or "").parts
        if parts and parts[0] in ("Sources", "Plugins"):
            home[target["name"]] = "Plugins" if parts[0] == "Plugins" else parts[1]
    rooms, below = {}, {}
    for target in targets:
        floor = home.get(target["name"])
        if floor:
            rooms.setdefault(floor, []).append(target["name"])
            used = [d[kind][0] for d in target["dependencies"] for kind in ("byName", "target") if kind in d]
            below.setdefault(floor, set()).update(home[name] for name in used if home.get(name, floor) != floor)
    height = lambda floor: 1 + max(map(height, below[floor]), default=0)
    return sorted(rooms, key=lambda floor: -height(floor)), rooms, below


def picture(targets):
    order, rooms, below = floors(targets)
    reach = lambda floor: set().union(*({f} | reach(f) for f in below[floor]))
    lines = ["```mermaid", "flowchart TB"]
    for floor in order:
        names = sorted(rooms[floor]) if floor == "Plugins" else rooms[floor]
        rows = [" · ".join(names[i:i + 6]) for i in range(0, len(names), 6)]
        lines.append(f'  {floor}["<b>{floor}</b><br/>{"<br/>".join(rows)}"]')
    for floor in order:
        direct = below[floor] - set().union(*(reach(f) for f in below[floor]))
        lines += [f"  {floor} --> {other}" for other in order if other in direct]
    return "\n".join(lines + ["```"])


def main():
    swift = os.environ.get("SWIFT", "swift")
    dump = subprocess.run([swift, "package", "dump-package"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    old = PAGE.read_text()
    block = f"<!-- house -->\n{picture(json.loads(dump.stdout)['targets'])}\n<!-- /house -->"
    new, found = re.subn(r"<!-- house -->\n.*?<!-- /house -->", lambda _: block, old, flags=re.S)
    if found != 1:
        sys.exit(f"{PAGE.relative_to(ROOT)} has no place for the picture: <!-- house --> and <!-- /house -->")
    if new != old and "--check" in sys.argv:
        sys.exit(f"{PAGE.relative_to(ROOT)} shows another house than Package.swift: run make map")
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
