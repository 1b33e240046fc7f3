#!/usr/bin/env python3
"""What can be said about the page's files without a browser: the program has all of them, none has inline code or styles, the first load is small."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3] / "Sources/CLibraries/CDashboardPage"
PAGE = ROOT / "page"
MOST = 200 * 1024  # bytes of the first load, as they are
problems = []
names = sorted(path.name for path in PAGE.iterdir())

source = (ROOT / "page.c").read_text()
embedded = re.findall(r'#embed "page/(.+?)"', source)
listed = re.findall(r'FILE\("(.+?)", "(.+?)", (\w+)\)', source)
types = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
if embedded != names:
    problems.append(f"page.c does not embed: {sorted(set(names) ^ set(embedded))}")
for name, (told, media_type, variable) in zip(names, listed):
    if (told, media_type, variable) != (name, types[pathlib.Path(name).suffix], name.replace(".", "_")):
        problems.append(f"page.c: the entry of {name} is {told}, {media_type}, {variable}")
if len(listed) != len(names):
    problems.append(f"page.c has {len(listed)} entries for {len(names)} files")

loaded, waiting = [], ["app.js"]
while waiting:
    name = waiting.pop()
    if name in loaded:
        continue
    loaded.append(name)
    waiting += re.findall(r"^import (?:[^'\n]* from )?'\./([\w.]+)'", (PAGE / name).read_text(), re.M)
html = (PAGE / "index.html").read_text()
preloaded = re.findall(r'rel="modulepreload" href="/page/([\w.]+)"', html)
if sorted(preloaded) != sorted(set(loaded) - {"app.js"}):
    problems.append(f"index.html preloads too little or too much: {sorted(set(preloaded) ^ (set(loaded) - {'app.js'}))}")
first = sorted(set(loaded) | set(re.findall(r'(?:href|src)="/page/([\w.]+)"', html)) | {"index.html"})
total = sum((PAGE / name).stat().st_size for name in first)
if total > MOST:
    problems.append(f"the first load is {total} bytes; at most {MOST}")

for pattern, what in ((r"\sstyle=", "a style attribute"), (r"\son\w+=", "an inline handler"), (r"<style", "an inline style sheet"), (r"<script(?![^>]*src=)", "an inline script")):
    if re.search(pattern, html):
        problems.append(f"index.html has {what}, which the content policy refuses")
for name in names:
    text = (PAGE / name).read_text()
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        if name.endswith(".js") and word in text:
            problems.append(f"{name} uses {word}")
    if name.endswith(".js") and re.search(r"https?://(?!www\.w3\.org/2000/svg)", text):
        problems.append(f"{name} names another site")

print("\n".join(problems) or f"{len(names)} files; the first load is {total:,} bytes in {len(first)} files")
sys.exit(1 if problems else 0)
