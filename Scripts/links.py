#!/usr/bin/env python3
"""Checks the pages of this repository by themselves: links, anchors and names.

- A relative link leads to a file, and to a heading of it.
- A type, a function's name in mixed case, or a path in `backticks` is somewhere in the code.
- Every page of Documentation is reached by links from Documentation/README.md.
- Pages that are read from the first line to the last stay short.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Pages about what was: names of that time stay.
PAST = {"CHANGELOG.md", "Benchmarks/NOTES.md", "Benchmarks/RESULTS.md"}
# Names of others that pages mention and no code of ours does.
OTHERS = {"FlushProcessWriteBuffers", "LoadCredential", "NIOTypedHTTPServerUpgradeHandler", "handleHTTP"}

# The most words of a page, as `wc -w` counts them.
WORDS = {"README.md": 1200, "Documentation/maintain/architecture.md": 2500}


def outside(text):
    """The text with its code blocks and comments blank, line by line."""
    blank = lambda m: "\n" * m[0].count("\n")
    return re.sub(r"^( *)(```+).*?^\1\2$|<!--.*?-->", blank, text, flags=re.M | re.S)


def slugs(text):
    """The anchors that GitHub makes of the headings."""
    seen = {}
    for title in re.findall(r"^#+ +(.*?) *$", outside(text), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        yield slug if not seen[slug] else f"{slug}-{seen[slug]}"
    yield from re.findall(r'<a (?:id|name)="([^"]+)"', text)


def main():
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    files = [f for f in tracked if f and (ROOT / f).is_file()]
    places = set(files) | {str(p) for f in files for p in pathlib.PurePath(f).parents}
    words = set()
    for file in files:
        if not file.endswith((".md", ".png", ".svg")):
            code = re.sub(r"^\s*(///?|#) .*$", "", (ROOT / file).read_text(errors="replace"), flags=re.M)
            words.update(re.findall(r"\w+", code))
    words |= {piece for file in files for piece in re.split(r"[/.+]", file)} | OTHERS
    faults, pages, linked = [], [f for f in files if f.endswith(".md")], {}
    for page in pages:
        text = outside((ROOT / page).read_text())
        line = lambda at: text.count("\n", 0, at) + 1
        for m in re.finditer(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = m[1].partition("#")
            if re.match(r"\w+:", path) or path.startswith("<"):
                continue
            here = pathlib.PurePath(page)
            target = (ROOT / here.parent / path).resolve() if path else ROOT / here
            name = str(target.relative_to(ROOT)) if target.is_relative_to(ROOT) else None
            linked.setdefault(page, set()).add(name)
            if name not in places:
                faults.append(f"{page}:{line(m.start())}: no file '{path}'")
            elif anchor and anchor not in slugs(target.read_text()):
                faults.append(f"{page}:{line(m.start())}: '{path}' has no heading '#{anchor}'")
        if page in PAST or page.startswith("Documentation/extend/StockbusPlugin.docc"):
            continue
        for m in re.finditer(r"(?<!`)`([^`\n]+)`(?!`)", text):
            if re.search("NAME|FLOOR", m[1]):
                continue
            for name in re.findall(r"(?<![-\w])(?:[a-z]+[A-Z]\w*|[A-Z]\w*[a-z]\w*)", re.sub(r'"[^"]*"|\$\{?\w+', "", m[1])):
                if name not in words:
                    faults.append(f"{page}:{line(m.start())}: nothing is called `{name}`")
            path = m[1].rstrip("/")
            if re.fullmatch(r"[A-Z][\w+.-]+/[\w./+-]+", path) and not any(f"/{p}".endswith((f"/{path}", f"/{path}.swift")) for p in places):
                faults.append(f"{page}:{line(m.start())}: there is no `{path}`")
    reached, next = set(), ["Documentation/README.md"]
    while next:
        page = next.pop()
        if page not in reached:
            reached.add(page)
            next += [p for p in linked.get(page, ()) if p and p.endswith(".md") and p.startswith("Documentation/")]
    faults += [f"{p}:1: no link from Documentation/README.md leads here" for p in pages
               if p.startswith("Documentation/") and ".docc" not in p and p not in reached]
    faults += [f"{page}:1: {words} words; at most {most}" for page, most in WORDS.items()
               if (words := len((ROOT / page).read_text().split())) > most]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(pages)} pages, {sum(map(len, linked.values()))} links" + (f", {len(faults)} faults" if faults else ""))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
