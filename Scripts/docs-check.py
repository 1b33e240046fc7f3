#!/usr/bin/env python3
"""Checks the documentation against a built program and the modules beside it: docs-check.py PROGRAM [CATALOGUE].

Writes the catalogue (into .build/docs unless told), and then: Swift in it, in README and in all pages of Documentation type-checks, configurations
are valid and pass their tests, commands and options that are named exist, the tutorials' plugins are built, checked and run and give what the pages
show, and so do the commands of the pages of Documentation/tasks, and of others with a comment `run` (docs_tasks.py).
`--symbols FOLDER` writes the public symbols of the modules instead.

Above a code block that is not whole, a comment says what of:

  <!-- swift: REASON -->             not compiled, and why
  <!-- swift                         compiled with these lines around it, which stand for what the page has elsewhere;
  import StockbusTestKit             '…' is where the block goes
  …
  -->
  <!-- yaml: REASON -->              not validated, and why

Below a block or a table, a comment tests what the page says of it:

  <!-- test                          the configuration, in which '…' stands for the block above: without it there is only what is written here,
  …                                  and with nothing at all the configuration is the block. Each condition in it is on the page, and all code
  sinks: { … }                       of a table above is in the test
  tests:                             a file of tests without 'configuration', as Documentation/use/testing.md describes it
    - { name: …, input: …, expect: … }
  -->

A configuration without sources or without sinks gets a generator 'ticks', or a sink for what it has.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import docs_pages
import docs_tasks
from docs_pages import ROOT

MODULES = ["MarketData", "EventBus", "StockbusOptions", "StockbusPlugin", "StockbusTestKit"]
TUTORIALS = ROOT / "Examples/plugins/tutorials"
CHECK_OPTIONS = {"wave": "symbol: ACME", "extremes": "path: extremes.csv"}
FAILS_ITS_CHECK = {"offender"}


class Build:
    """A built program, and the modules beside it."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        if not os.access(self.program, os.X_OK):
            sys.exit(f"there is no program {program}: make build, or swift build --product stockbus")
        self.folder = os.path.dirname(self.program)
        # Beside the swift that built it.
        beside = os.path.join(os.path.dirname(shutil.which(os.environ.get("SWIFT", "swift")) or ""), "swiftc")
        self.swiftc = shutil.which(beside) or shutil.which("swiftc") or sys.exit("there is no swiftc")
        maps = [os.path.normpath(f"{self.folder}/../checkouts/swift-system/Sources/CSystem/include/module.modulemap")]
        for module in sorted(p.name for p in (ROOT / "Sources/CLibraries").iterdir()):
            maps += [f"{self.folder}/{module}.build/module.modulemap", f"{ROOT}/Sources/CLibraries/{module}/module.modulemap"]
        self.flags = ["-I", f"{self.folder}/Modules"] + [f for m in maps if os.path.exists(m) for f in ("-Xcc", f"-fmodule-map-file={m}")]

    def says(self, *words, folder=None, check=False, variables=()):
        return subprocess.run([self.program, *words], capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL, check=check,
                              env={**{name: "a value" for name in variables}, **os.environ})

    def symbols(self, folder):
        target = json.loads(subprocess.run([self.swiftc, "-print-target-info"], capture_output=True, text=True, check=True).stdout)
        extract = [os.path.join(os.path.dirname(os.path.realpath(self.swiftc)), "swift-symbolgraph-extract")]
        if not os.path.exists(extract[0]):
            extract = ["swift-symbolgraph-extract"]
        for old in pathlib.Path(folder).glob("*.symbols.json"):
            old.unlink()
        for module in MODULES:
            subprocess.run([*extract, "-module-name", module, *self.flags, "-target", target["target"]["triple"], "-minimum-access-level", "public",
                            "-skip-inherited-docs", "-output-dir", folder], check=True)


def blocks(path):
    """The code blocks of a page: language, text, line, and the comment above."""
    text = path.read_text()
    for m in re.finditer(r"^(?:<!-- ?((?:(?!-->).)*?)-->\n)?( *)```(\w*)\n(.*?)^\2```$", text, re.M | re.S):
        margin = len(m[2])
        body = "\n".join(line[margin:] for line in m[4].split("\n"))
        yield m[3], body, text.count("\n", 0, m.start(4)), (m[1] or "").strip()


def tests(path):
    """The tests of a page: what they test, configuration, tests, line."""
    text = path.read_text()
    for m in re.finditer(r"^<!-- test\n((?:(?!-->).)*?)^(tests:\n.*?)^-->$", text, re.M | re.S):
        above = re.search(r"(?:^( *)```\w*\n(?P<block>(?:(?!```).)*)^\1```|(?P<table>(?:^\|[^\n]*\n)+))\n*\Z", text[:m.start()], re.M | re.S)
        yield above, m[1], m[2], text.count("\n", 0, m.start(2))


class Check:
    def __init__(self, build, pages):
        self.build, self.pages, self.faults, self.counts = build, pages, [], {}
        # Guides are pages of the catalogue too, except for the sections of plugins.md that its articles have.
        self.files = sorted(pages.folder.glob("*.md")) + [ROOT / "README.md", ROOT / "Documentation/extend/plugins.md"]
        self.files += sorted(p for p in ROOT.glob("Documentation/**/*.md") if p.parent.name not in ("extend", "StockbusPlugin.docc", "decisions")
                             and p.relative_to(ROOT) not in pages.paths.values())
        self.scratch = tempfile.TemporaryDirectory()
        help = json.loads(build.says("--experimental-dump-help", check=True).stdout)["command"]
        self.commands = {(): help}
        self.add(help, ())
        self.targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))

    def add(self, command, path):
        for sub in command.get("subcommands", []):
            for name in [sub["commandName"], *sub.get("aliases", [])]:
                self.commands[path + (name,)] = sub
                self.add(sub, path + (name,))

    def fault(self, path, line, text):
        self.faults.append(f"{os.path.relpath(path, ROOT)}:{line}: {text}")

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def run(self):
        jobs, seen = [], set()
        for path in self.files:
            for language, body, line, comment in blocks(path):
                if (language, body) in seen:
                    continue
                seen.add((language, body))
                if language == "swift" and not self.is_source(body) and not comment.startswith("swift:"):
                    jobs.append((self.swift, path, line, body, comment))
                elif language == "yaml" and not comment.startswith(("yaml:", "file:")):
                    jobs.append((self.yaml, path, line, body, comment))
                elif language == "sh":
                    self.shell(path, line, body)
            jobs += [(self.test, path, *test) for test in tests(path)]
            self.named(path)
        jobs += [(self.tutorial, folder) for folder in sorted(TUTORIALS.iterdir()) if folder.is_dir()]
        jobs += [(self.task, page) for page in sorted(docs_tasks.TASKS.glob("*.md"))]
        jobs += [(self.task, page) for page in self.files if page.parent != docs_tasks.TASKS and "\n<!-- run\n" in page.read_text()]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in [pool.submit(*job) for job in jobs]:
                done.result()
        self.table()
        self.sentences()
        return sorted(self.faults)

    # Swift.

    def is_source(self, body):
        """True for what is quoted from a file that is compiled as a whole."""
        flat = re.sub(r"\s+", " ", body).strip()
        return any(flat in text for text in self.sources())

    def sources(self):
        if not hasattr(self, "texts"):
            self.texts = [re.sub(r"\s+", " ", p.read_text()) for folder in ("Sources", "Tests") for p in
                          ROOT.glob(f"Examples/plugins/**/{folder}/**/*.swift") if ".build" not in p.parts]
        return self.texts

    def swift(self, path, line, body, comment):
        self.count("Swift blocks")
        around = comment[len("swift"):].strip("\n") if comment.startswith("swift") else "…"
        before, _, after = around.partition("…") if re.search(r"^\s*…$", around, re.M) else (around + "\n", "", "")
        body = re.sub(r"…(?=\s|$)", "fatalError()", re.sub(r"^\s*…$", "", body, flags=re.M))
        text = f'{before}\n#sourceLocation(file: "{os.path.relpath(path, ROOT)}", line: {line + 1})\n{body}\n#sourceLocation()\n{after}\n'
        if not re.search(r"^(public )?import ", text, re.M):
            text = "import StockbusPlugin\n" + text
        library = ["-parse-as-library"] if re.search(r"@main|@Test|@Suite|^public import", text, re.M) else []
        file = os.path.join(self.scratch.name, f"{path.stem}-{line}.swift")
        pathlib.Path(file).write_text(text)
        self.typecheck(path, line, [*library, file])

    def typecheck(self, path, line, arguments):
        done = subprocess.run([self.build.swiftc, "-typecheck", "-swift-version", "6", "-suppress-warnings", *self.build.flags, *arguments],
                              capture_output=True, text=True, cwd=ROOT)
        if done.returncode != 0:
            self.fault(path, line, "does not compile:\n" + done.stderr.rstrip())

    # Configurations.

    def yaml(self, path, line, body, _):
        keys = re.findall(r"^(\w+):", body, re.M)
        if not set(keys) & {"sources", "processors", "sinks"}:
            return  # Another kind of file: the page says which.
        if any(body.strip() == config.read_text().strip() for config in TUTORIALS.glob("*/plugins.yaml")):
            return  # It is run.
        inputs = set(re.findall(r"[\w.]+", " ".join(re.findall(r"inputs: \[([^\[\]{}]*)\]", body))))
        if not inputs <= set(re.findall(r"(\w+):", body)) | {"ticks", "dead_letters", "connections", "gaps", "health"}:
            return  # A part of one, and what it reads is elsewhere.
        self.count("configurations")
        text = body
        if "sources" not in keys:
            text += "\nsources: { ticks: { plugin: generator } }\n"
        if "sinks" not in keys:
            names = re.findall(r"^  (\w+):", body, re.M) or re.findall(r"^\w+: \{ (\w+):", body, re.M) or ["ticks"]
            text += "\nsinks:\n" + "".join(f"  for_{n}: {{ plugin: null_sink, inputs: [{n}] }}\n" for n in names)
        file = os.path.join(self.scratch.name, f"{path.stem}-{line}.yaml")
        pathlib.Path(file).write_text(text)
        done = self.build.says("validate", file, folder=ROOT, variables=re.findall(r"\$\{(\w+)\}", body))
        problems = [p for p in done.stderr.replace(file, "in it").split("\n") if p and not re.search("no such file|there is no (file|program)", p) and not re.match(r"\d+ problem", p)]
        if done.returncode not in (0, 78) or problems and done.returncode != 0:
            self.fault(path, line, "\n".join(problems))

    def test(self, path, above, around, body, line):
        block, table = (above["block"], above["table"]) if above else (None, None)
        if block:
            lines = [row[len(above[1]):] for row in block.split("\n")]
            around = re.sub(r"^( *)…$", lambda m: "\n".join(m[1] + row for row in lines), around or "…", flags=re.M)
        visible = re.sub(r"<!--.*?-->", "", path.read_text(), flags=re.S)
        for condition in re.findall(r"""\b(?:when|where|by): (".*?"|'.*?')""", around):
            if condition[1:-1] not in visible:
                self.fault(path, line, f"the page does not have the condition {condition}")
        for code in re.findall(r"`([^`]+)`", table or ""):
            if code not in around + body:
                self.fault(path, line, f"the test of the table leaves out '{code}'")
        name = os.path.join(self.scratch.name, f"{path.stem}-{line}")
        pathlib.Path(f"{name}.yaml").write_text(around)
        # With the page's own lines, so that failures name them.
        pathlib.Path(f"{name}.test.yaml").write_text(f"configuration: {path.stem}-{line}.yaml" + "\n" * line + body)
        done = self.build.says("test", f"{name}.test.yaml", folder=ROOT)
        passed = re.search(r"^(\d+) tests?, all passed", done.stdout, re.M)
        self.count("tests", int(passed[1]) if passed else 0)
        if not passed:
            said = (done.stdout + done.stderr).replace(f"{name}.test.yaml", os.path.relpath(path, ROOT)).replace(f"{name}.yaml", "in it")
            self.fault(path, line, re.sub(r"^ok .*\n", "", said, flags=re.M).rstrip())

    # Commands.

    def shell(self, path, line, body):
        for text in body.split("\n"):
            for command in re.split(r"\s+\|\s+|\s+&&\s+", text.split("  #")[0]):
                self.command(path, line, command.strip())

    def named(self, path):
        text = docs_pages.outside(path.read_text())
        for m in re.finditer(r"`((?:stockbus|make) [^`]+)`", text):
            self.command(path, text.count("\n", 0, m.start()) + 1, m[1])

    def command(self, path, line, text):
        words = text.replace("…", "").split()
        if len(words) < 2 or words[0] not in ("stockbus", "make"):
            return
        self.count("commands")
        if words[0] == "make":
            for word in words[1:]:
                if "=" not in word and not word.startswith("-") and word not in self.targets:
                    self.fault(path, line, f"make has no target '{word}'")
            return
        if not re.match(r"[a-z]", words[1]) and not words[1].startswith("--"):
            return
        at = ()
        for word in words[1:]:
            if at + (word.strip(",.;"),) not in self.commands:
                break
            at += (word.strip(",.;"),)
        if not at and not words[1].startswith("-"):
            return self.fault(path, line, f"there is no command '{text}'")
        usual = self.commands[at].get("defaultSubcommand")
        if usual and at + (usual,) in self.commands:
            at += (usual,)
        options = {o["name"] for a in self.commands[at].get("arguments", []) for o in a.get("names", [])}
        for option in re.findall(r"(?<=\s)--([a-z][a-z-]+)", text):
            if option not in options | {"help", "generate-completion-script"}:
                self.fault(path, line, f"'stockbus {' '.join(at)}' has no option '--{option}'")

    # The plugins of the tutorials.

    def tutorial(self, folder):
        self.count("tutorials' plugins")
        here = pathlib.Path(self.scratch.name) / folder.name
        shutil.copytree(folder, here, ignore=shutil.ignore_patterns("build", ".build"))
        built = self.build.says("plugin", "build", folder=here)
        if built.returncode != 0:
            return self.fault(folder, 1, built.stderr.rstrip())
        options = ["--options", CHECK_OPTIONS[folder.name]] if folder.name in CHECK_OPTIONS else []
        checked = self.build.says("plugin", "check", *options, folder=here)
        if (checked.returncode != 0) != (folder.name in FAILS_ITS_CHECK):
            self.fault(folder, 1, f"plugin check: {checked.stdout}{checked.stderr}".rstrip())
        results = {"check": checked.stdout + checked.stderr}
        if (here / "plugins.yaml").exists():
            results["stdout"] = self.build.says("run", "--quiet", "--log-level", "error", folder=here).stdout
        for file in sorted((folder / "expected").iterdir()):
            result = results[file.name] if file.name in results else (here / file.name).read_text() if (here / file.name).exists() else ""
            if result != file.read_text():
                self.fault(file, 1, f"is not what there is now:\n{result}")
        sources, tests = sorted(map(str, here.glob("Sources/*.swift"))), sorted(map(str, here.glob("Tests/*.swift")))
        if tests:
            module = re.search(r"^(?:@testable )?import (\w+Plugin)$", pathlib.Path(tests[0]).read_text(), re.M)[1]
            made = subprocess.run([self.build.swiftc, "-emit-module", "-enable-testing", "-swift-version", "6", "-parse-as-library", "-module-name",
                                   module, "-o", str(here / f"{module}.swiftmodule"), *self.build.flags, *sources],
                                  capture_output=True, text=True)
            if made.returncode != 0:
                return self.fault(folder, 1, made.stderr.rstrip())
            self.typecheck(folder, 1, ["-I", str(here), *tests])

    # The pages of tasks.

    def task(self, page):
        found = docs_tasks.Page(page, self.build.program).run()
        if found and found[1].startswith("SKIPPED"):
            return print(f"{page.relative_to(ROOT)}: {found[1]}")
        self.count("tasks")
        if found:
            self.fault(page, *found)

    # What is said in two places.

    def table(self):
        rows = set(re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in (ROOT / "Documentation/use/built-in.md").read_text().split("\n")
                                                  if line.startswith("| `") and line.count("|") > 4)))
        for name in self.pages.plugins:
            if name not in rows:
                self.fault(ROOT / "Documentation/use/built-in.md", 1, f"the table of plugins has no '{name}'")

    def sentences(self):
        for path in self.files:
            text = path.read_text()
            for m in re.finditer(r"<!-- sentences of (\S+) -->\n((?:\|.*\n)+)", text):
                known = "".join(p.read_text() for p in (ROOT / m[1]).rglob("*.swift"))
                for sentence in re.findall(r"^\| `(.*?)` ", m[2], re.M):
                    for piece in filter(None, map(str.strip, sentence.split("…"))):
                        words = piece.removesuffix(":").removesuffix(".")
                        # The time and what happened then are told by two texts.
                        halves = [(words[:m.start()], words[m.end():]) for m in re.finditer(" ", words)]
                        if words not in known and not any(a in known and f" {b}" in known for a, b in halves):
                            self.fault(path, 1, f"nothing says '{piece}'")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[2] == "--symbols":
        Build(sys.argv[1]).symbols(sys.argv[3])
        sys.exit(0)
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    pages = docs_pages.Pages(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else ROOT / ".build/docs/StockbusPlugin.docc")
    pages.write()
    check = Check(Build(sys.argv[1]), pages)
    faults = check.run()
    for fault in faults:
        print(fault, file=sys.stderr)
    print("documentation: " + ", ".join(f"{n} {what}" for what, n in sorted(check.counts.items())) + (f"; {len(faults)} faults" if faults else ""))
    sys.exit(1 if faults else 0)
