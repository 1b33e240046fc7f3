#!/usr/bin/env python3
"""Writes the DocC catalogue: docs_pages.py PROGRAM FOLDER.

FOLDER gets the articles of Documentation/extend/StockbusPlugin.docc, with the sections and the code that their comments name; the guides of
Documentation; and a page for each plugin and each event type, made from what PROGRAM says of them.
"""
import fcntl
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARTICLES = ROOT / "Documentation/extend/StockbusPlugin.docc"
# The pages of Documentation that become pages of the catalogue whole. Sections of plugins.md that an article has are not repeated there.
GUIDES = ["plugins", "process-protocol", "alerts", "bars", "combine", "conditions", "control", "expressions", "guard", "history", "instruments",
          "movers", "nats", "partitions", "sockets", "trading", "venues"]
KINDS = ["source", "processor", "sink"]


def wide(*command):
    """What a command prints on a terminal so wide that no sentence is broken."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 4000, 0, 0))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=its, env={**os.environ, "NO_COLOR": "1"})
    os.close(its)
    out = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # Linux: the other end was closed.
            break
        if not piece:
            break
        out += piece
    os.close(ours)
    if process.wait() != 0:
        sys.exit(f"{' '.join(command)}: status {process.returncode}")
    return out.decode().replace("\r\n", "\n")


def escape(text):
    return re.sub(r"([\\*_<\[\]`|])", r"\\\1", text)


def code(text):
    return f"`{text}`".replace("|", "\\|") if text else ""


def table(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *("| " + " | ".join(row) + " |" for row in rows), ""]


def columns(lines):
    """The rows of a table of `describe`: each a list of texts, the sentence last."""
    starts = [m.start() for m in re.finditer(r"\S+", lines[0])]
    rest = lines[1:]
    if not rest:
        return []
    if not lines[0].rstrip().endswith("MEANING"):
        named = [line for line in rest if line[starts[0]:starts[0] + 1].strip()]
        width = max(map(len, rest))
        starts.append(next(p for p in range(starts[-1] + 1, width) if all(line[p:p + 1].strip() for line in named)
                           and all(not line[p - 2:p].strip() for line in rest)))
    rows = []
    for line in rest:
        cells = [line[a:b].strip() for a, b in zip(starts, starts[1:] + [None])]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells)]
    return rows


def parts(text):
    """The head of a description, and the lines under each of its titles, without their margin."""
    head, found, title = [], {}, None
    for line in text.rstrip().split("\n"):
        if found_title := re.fullmatch(r"(Options|Commands|Example|Fields|As JSON|As CSV)(: a whole configuration, .*)?", line):
            title = found_title[1]
            found[title] = []
        elif title is None:
            head.append(line)
        elif line.strip() or title == "Example":
            found[title].append(line[2:])
    return head, found


def heads(lines):
    """`Takes  any event` and the like."""
    return [(m[1].strip(), m[2]) for m in (re.match(r"([A-Z][a-z]+(?: [a-z]+)?)\s{2,}(.*)", line) for line in lines) if m]


def options(program, name, found):
    """A section for the options, and one for each option that has options inside it."""
    lines = found.get("Options", [])
    inner = [line for line in lines if line.startswith("There are options inside ")]
    common = [line for line in lines if line.startswith("Like every component ")]
    rows = columns([line for line in lines if line not in inner + common])
    # What the sentence refers to is another page here.
    after = [f"{re.sub(r': see .*', '', line)}." for line in common] + [""] * len(common)
    if not rows:
        return ["None.", "", *after]
    meanings = []
    for row in rows:
        cells = dict(zip(lines[0].split(), row))
        kind, default, span, sentence = cells.get("TYPE", ""), cells.get("DEFAULT", ""), cells.get("RANGE", ""), row[-1]
        unless = "required" if default == "required" else "optional" if default in ("", "none") else f"default {code(default)}"
        meanings.append(f"{escape(sentence)} *{escape('; '.join(filter(None, [kind, span])))}; {unless}*")
    out = table(["Option", "Meaning"], [[code(row[0]), meaning] for row, meaning in zip(rows, meanings)]) + after
    names = re.match(r"There are options inside (.*?): see", inner[0])[1].split(", ") if inner else []
    for option in names:
        head, deeper = parts(wide(program, "describe", name, option))
        out += [f"### {option}", "", escape(head[2]), ""]
        out += [f"- {a}: {escape(b)}" for a, b in heads(head[3:])] + [""]
        out += options(program, name, deeper)
    return out


class Pages:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        listed = wide(program, "describe")
        # A title, and under it the names with a margin of two.
        groups = {block.split("\n", 1)[0]: re.findall(r"^  (\w+)", block, re.M) for block in listed.strip().split("\n\n")}
        self.plugins = {name: kind for kind in KINDS for name in groups[f"{kind.capitalize()}s"]}
        self.events = groups["Event types"]
        for name in sum(GUIDE_OF.values(), []):
            if name not in self.plugins:
                sys.exit(f"there is no plugin {name}, of which a guide is named here")
        self.paths = {name: next(ROOT.glob(f"Documentation/*/{name}.md")).relative_to(ROOT) for name in GUIDES}
        self.texts = {name: (ROOT / path).read_text() for name, path in self.paths.items()}
        self.taken = {}
        for article in sorted(ARTICLES.glob("*.md")):
            heading = None
            for line in article.read_text().split("\n"):
                heading = line[3:] if line.startswith("## ") else heading
                if found := re.fullmatch(r"<!-- section (\S+)\.md: (.+) -->", line):
                    self.taken[found[1], found[2]] = (article.stem, heading)
        # Where the headings of the guides are, by the anchors that Markdown's readers make of them.
        self.anchors = {}
        for name, text in self.texts.items():
            own = (name, None)
            for level, title in headings(text):
                if level == 2:
                    own = self.taken.get((name, title), (name, title))
                self.anchors[name, slug(title)] = own if level == 2 else (own[0], title)

    def write(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for article in ARTICLES.glob("*.md"):
            self.put(article.stem, self.expanded(article.read_text()))
        for name, text in self.texts.items():
            self.put(name, self.linked(self.without_taken(name, text), name))
        for name in self.plugins:
            self.put(f"plugin-{name}", "\n".join(self.plugin(name)))
        for name in self.events:
            self.put(f"event-{name}", "\n".join(self.event(name)))

    def put(self, name, text):
        (self.folder / f"{name}.md").write_text(text.rstrip() + "\n")

    # What comments of articles name.

    def expanded(self, text):
        def section(match):
            page, title = match[1], match[2]
            found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", outside(self.texts[page]), re.M | re.S)
            if not found:
                sys.exit(f"{self.paths[page]} has no section '{title}'")
            return self.linked(self.texts[page][found.start(1):found.end(1)].strip(), page)

        def listing(match):
            path, _, start = match[1].partition(": ")
            kind = {".swift": "swift", ".yaml": "yaml", ".csv": "csv"}.get(pathlib.Path(path).suffix, "json")
            return f"```{kind}\n{declaration((ROOT / path).read_text(), start, path)}\n```"

        text = re.sub(r"^<!-- section (\S+)\.md: (.+) -->$", section, text, flags=re.M)
        text = re.sub(r"^<!-- code (.+) -->$", listing, text, flags=re.M)
        text = re.sub(r"^<!-- surface (.+) -->$", lambda m: "\n".join(surface(m[1])), text, flags=re.M)
        text = re.sub(r"^<!-- function (\w+)/(\w+) -->$", lambda m: f"- ``{m[1]}/{function(m[1], m[2])}``", text, flags=re.M)
        lists = {kind + "s": [f"plugin-{n}" for n, k in self.plugins.items() if k == kind] for kind in KINDS}
        lists["event types"] = [f"event-{n}" for n in self.events]
        lists["guides"] = [n for n in GUIDES if n not in ("plugins", "process-protocol")]
        return re.sub(r"^<!-- (sources|processors|sinks|event types|guides) -->$", lambda m: "\n".join(f"- <doc:{n}>" for n in lists[m[1]]), text,
                      flags=re.M)

    def without_taken(self, name, text):
        for page, title in self.taken:
            if page == name:
                found = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", outside(text), re.M | re.S)
                text = text[:found.start()] + text[found.end():]
        return text

    def linked(self, text, name):
        """The links of a guide, as those of the catalogue. What is no page of it is named by its path."""
        def link(match):
            words, target = match[1], match[2]
            if re.match(r"https?:", target):
                return match[0]
            path, _, anchor = target.partition("#")
            page = pathlib.PurePosixPath(path).stem if path else name
            where = os.path.normpath(self.paths[name].parent / path) if path else str(self.paths[name])
            if page in self.texts and where == str(self.paths[page]):
                own, heading = self.anchors.get((page, anchor), (page, None)) if anchor else (page, None)
                return f"[{words}](doc:{own}" + (f"#{fragment(heading)}" if heading else "") + ")"
            return words if words.strip("`") in where else f"{words} (`{where}`)"

        def prose(piece):
            return re.sub(r"(?<!!)\[((?:[^\[\]]|`[^`]*`)+)\]\(([^()\s]+)\)", link, piece)

        text = re.sub(r"^!\[.*\]\(.*\)$", "", text, flags=re.M)
        pieces = re.split(r"(^```.*?^```$|<!--.*?-->)", text, flags=re.M | re.S)
        return "".join(piece if piece.startswith(("```", "<!--")) else prose(piece) for piece in pieces)

    # Declarations.

    def typed(self, names):
        """The event types of a list, as links."""
        return ", ".join(f"<doc:event-{n}>" if n in self.events else escape(n) for n in names.split(", "))

    def plugin(self, name):
        head, found = parts(wide(self.program, "describe", name))
        out = [f"# {name}", "", escape(head[2]), "", "## Overview", ""]
        out += [f"- Kind: {self.plugins[name]}"]
        out += [f"- {key}: {self.typed(value)}" for key, value in heads(head[3:])] + [""]
        for guide, names in GUIDE_OF.items():
            if name in names:
                out += [f"See <doc:{guide}>.", ""]
        if "Options" in found:
            out += ["## Options", "", *options(self.program, name, found)]
        if "Commands" in found:
            rows = []
            for line in found["Commands"]:
                # A long usage stands on a line of its own, and the sentence below it.
                if line.startswith(" ") and len(rows[-1]) == 1:
                    rows[-1].append(line.strip())
                else:
                    rows.append(re.split(r"\s{2,}", line.strip(), maxsplit=1))
            out += ["## Commands", "", *table(["Command", "What it does"], [[code(a), escape(b)] for a, b in rows])]
        example = "\n".join(found["Example"]).rstrip()
        return out + ["## Example", "", "<!-- yaml: files that it names are not here -->", "```yaml", example, "```"]

    def event(self, name):
        head, found = parts(wide(self.program, "describe", name))
        out = [f"# {name}", "", escape(head[2]), "", "## Overview", ""]
        for key, value in heads(head[3:]):
            linked = [f"<doc:plugin-{n}>" if n in self.plugins else escape(n) for n in value.split(", ")]
            out.append(f"- {key}: {', '.join(linked)}")
        out += ["", "## Fields", "", *table(["Field", "Type", "Meaning"], [[code(a), b, escape(c)] for a, b, c in columns(found["Fields"])])]
        for title, language in [("As JSON", "json"), ("As CSV", "csv")]:
            if title in found:
                out += [f"## {title}", "", f"```{language}", *found[title], "```", ""]
        return out


# The guide that says more of a plugin than its declaration.
GUIDE_OF = {
    "alerts": ["notification_dispatcher"], "bars": ["bars"], "combine": ["combine"], "guard": ["guard"], "movers": ["movers"],
    "history": ["history"], "sockets": ["echo_socket"],
    "venues": ["websocket", "http_poll", "file_replay", "recorder"], "expressions": ["filter"],
    "nats": ["nats_in", "nats_out"], "trading": ["paper_broker", "demo_momentum", "demo_reversion"],
    "process-protocol": ["program_source", "program_processor", "program_sink"],
}


def surface(title):
    """The types that a table of Documentation/extend/surface.md lists, as links."""
    text = (ROOT / "Documentation/extend/surface.md").read_text()
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S) or sys.exit(f"surface.md has no '{title}'")
    declared = {}
    for module in ["MarketData", "StockbusTestKit", "StockbusOptions", "StockbusPlugin", "EventBus"]:
        for file in ROOT.glob(f"Sources/*/{module}/**/*.swift"):
            for name in re.findall(r"^public (?:final )?(?:struct|class|enum|actor|protocol|typealias) (\w+)", file.read_text(), re.M):
                declared[name] = module
    cells = [line.split("|")[1] for line in section[1].split("\n") if line.startswith("| `")]
    names = [name for cell in cells for name in re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", cell))]
    return [f"- ``{declared[name]}/{name}``" for name in names if name in declared]


def function(module, name):
    """A public function by its full name, `name(_:other:)`."""
    for file in ROOT.glob(f"Sources/*/{module}/**/*.swift"):
        found = re.search(rf"^public func {name}\((.*?)\)(?: async| throws|\s*->|\s*\{{)", file.read_text(), re.M | re.S)
        if found:
            labels = re.findall(r"(?:^|,)\s*(\w+)(?: \w+)?:", found[1])
            return f"{name}({''.join(label + ':' for label in labels)})"
    sys.exit(f"{module} has no function {name}")


def outside(text):
    """The text with as many blanks in place of what stands in code blocks."""
    return re.sub(r"^```.*?^```$", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.M | re.S)


def headings(text):
    return [(len(m[1]), m[2].strip()) for m in re.finditer(r"^(#+) (.+)$", outside(text), re.M)]


def slug(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def fragment(title):
    return re.sub(r"[`'\"“”]", "", title).replace(" ", "-")


def declaration(text, start, path):
    """The lines of a declaration that begins with these words, with the comment above it; the whole text without words."""
    lines = text.rstrip().split("\n")
    if not start:
        return "\n".join(lines)
    first = next((i for i, line in enumerate(lines) if line.strip().startswith(start)), None)
    if first is None:
        sys.exit(f"{path} has no '{start}'")
    margin = len(lines[first]) - len(lines[first].lstrip())
    last = first
    if not lines[first].rstrip().endswith("}") or lines[first].count("{") != lines[first].count("}"):
        while last + 1 < len(lines) and lines[last] != " " * margin + "}":
            last += 1
    while first > 0 and lines[first - 1].strip().startswith("///"):
        first -= 1
    return "\n".join(line[margin:] for line in lines[first:last + 1])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pages = Pages(sys.argv[1], sys.argv[2])
    pages.write()
    print(f"{len(list(pages.folder.glob('*.md')))} pages in {sys.argv[2]}")
