#!/usr/bin/env python3
"""The packages of `make deb` and `make tarball` on a minimal Debian 12 without Swift: installed, used, removed without a trace.

    python3 Tests/System/Packages/bare.py [FOLDER]

FOLDER has the packages (.build/packages). debootstrap makes the system in .build/bare, once, with what the package depends on and nothing else. A
library built here, against the modules in the package, is loaded there. Exit status 77 where root, debootstrap or the mirror is missing.
"""
import ctypes
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
BARE = os.path.join(ROOT, ".build/bare")
# What dpkg writes about every package, and its caches.
OWN_OF_DPKG = re.compile(r"var/(lib/dpkg|log|cache/debconf|cache/ldconfig)/|etc/ld\.so\.cache$")
MADE = """
sources: { ticks: { plugin: generator, symbols: 25, rate: max, count: 1000, seed: 1, start: "2024-01-02T14:30:00Z" } }
sinks: { out: { plugin: file_writer, inputs: [ticks], path: ticks.csv, format: csv } }
"""


def skip(reason):
    print(f"SKIPPED: the packages on a bare machine: {reason}", file=sys.stderr)
    sys.exit(77)


def only(folder, pattern, target):
    found = sorted(glob.glob(os.path.join(folder, pattern)), key=os.path.getmtime)
    return os.path.abspath(found[-1]) if found else sys.exit(f"there is no package in {folder}: make {target}")


def has_namespace():
    """True in a mount namespace of our own: what is mounted here ends with this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    return os.geteuid() == 0 and libc.unshare(0x00020000) == 0 and libc.mount(b"none", b"/", None, 0x44000, None) == 0


def bare_system(deb):
    """A minimal Debian 12 with the libraries that the package names."""
    depends = subprocess.run(["dpkg-deb", "-f", deb, "Depends"], capture_output=True, text=True, check=True).stdout
    names = ",".join(re.findall(r"(?:^|, )([a-z0-9.+-]+)", depends))
    system, mark = os.path.join(BARE, "system"), os.path.join(BARE, "packages")
    if os.path.exists(mark) and open(mark).read() == names:
        return system
    shutil.rmtree(BARE, ignore_errors=True)
    os.makedirs(BARE)
    start = time.monotonic()
    made = subprocess.run(["debootstrap", "--variant=minbase", f"--include={names}", "bookworm", system], capture_output=True, text=True)
    if made.returncode != 0:
        skip("debootstrap: " + (made.stdout + made.stderr).strip().split("\n")[-1])
    print(f"debootstrap: {time.monotonic() - start:.0f} s", flush=True)
    with open(mark, "w") as file:
        file.write(names)
    return system


class Machine:
    def __init__(self, system, folder):
        self.root = os.path.join(folder, "root")
        subprocess.run(["cp", "-a", system, self.root], check=True)
        subprocess.run(["mount", "-t", "proc", "proc", f"{self.root}/proc"], check=True)
        self.home = "/tmp/home"

    def path(self, inner):
        return self.root + inner

    def words(self, words):
        cwd = self.home if os.path.exists(self.path(self.home)) else "/"
        return ["chroot", self.root, "/usr/bin/env", "-i", "-C", cwd, f"HOME={self.home}", "LANG=C.UTF-8",
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", *words]

    def says(self, *words, status=0):
        result = subprocess.run(self.words(words), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        if result.returncode != status:
            sys.exit(f"{' '.join(words)}: status {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    def write(self, name, text):
        with open(self.path(f"{self.home}/{name}"), "w") as file:
            file.write(text)

    def files(self):
        """Every file with its kind, rights, owner and size; what is ours is in /tmp."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            if folder == self.root:
                folders[:] = [name for name in folders if name not in ("proc", "tmp")]
            for name in folders + files:
                path = os.path.join(folder, name)
                inner, of = os.path.relpath(path, self.root), os.lstat(path)
                if not OWN_OF_DPKG.match(inner + ("/" if stat.S_ISDIR(of.st_mode) else "")):
                    found[inner] = (of.st_mode, of.st_uid, of.st_gid, 0 if stat.S_ISDIR(of.st_mode) else of.st_size)
        return found


def expect(condition, text):
    if not condition:
        sys.exit(text)


def used(machine, program, version, spread):
    """Uses an installed program, in an empty home. Returns the seconds until the first price is shown."""
    shutil.rmtree(machine.path(machine.home), ignore_errors=True)
    os.makedirs(machine.path(machine.home))
    expect(machine.says(program, "--version").strip() == version, "--version is another one")
    expect(not glob.glob(machine.path("/*/bin/swift*")), "there is Swift on the bare machine")
    expect("generator" in machine.says(program, "list"), "list has no generator")

    start = time.monotonic()
    run = subprocess.Popen(machine.words([program, "demo"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = next((line for line in run.stdout if re.search(r" [A-Z]{2,5} .*\d\.\d\d", line)), "")
    seconds = time.monotonic() - start
    run.terminate()
    report = run.communicate(timeout=60)[1]
    expect(line and run.returncode == 0, f"demo shows no price:\n{report}")

    machine.write("made.yaml", MADE)
    machine.says(program, "run", "--quiet", "made.yaml")
    with open(machine.path(f"{machine.home}/ticks.csv")) as file:
        expect(len(file.readlines()) == 1001, "made.yaml: not a thousand events")

    if spread:
        folder, expected = spread
        shutil.copytree(folder, machine.path(f"{machine.home}/spread"))
        machine.says(program, "plugin", "install", "spread")
        expect("width" in machine.says(program, "describe", "spread"), "describe does not know the loaded plugin")
        got = machine.says(program, "run", "--quiet", "--log-level", "error", "spread/installed.yaml")
        expect(got == expected, f"the loaded plugin gives\n{got}")
        machine.says(program, "plugin", "remove", "spread")
    return seconds


def built_plugin(program, folder):
    """Examples/plugins/spread, built by the packaged program on this machine, and what it gives here; None without Swift."""
    if not shutil.which("swiftc"):
        print("SKIPPED: the loaded plugin: there is no swiftc")
        return None
    here = os.path.join(folder, "spread")
    shutil.copytree(f"{ROOT}/Examples/plugins/spread", here, ignore=shutil.ignore_patterns(".build", "build"))
    subprocess.run([program, "plugin", "build", here], check=True)
    config = open(f"{here}/plugins.yaml").read()
    with open(f"{here}/installed.yaml", "w") as file:
        file.write(re.sub(r"(?m)^plugin_path:.*\n", "", config).replace("path: data/", "path: spread/data/"))
    expected = subprocess.run([program, "run", "--quiet", "--log-level", "error"], cwd=here, capture_output=True, text=True, check=True).stdout
    expect(expected.count("\n") > 0, "the plugin gives nothing")
    return here, expected


def main():
    packages = sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/.build/packages"
    deb, tarball = only(packages, "*.deb", "deb"), only(packages, "*.tar.gz", "tarball")
    if not shutil.which("debootstrap"):
        skip("there is no debootstrap; as root: apt-get install debootstrap")
    if not has_namespace():
        skip("only root can make one")
    system = bare_system(deb)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-C", folder, "-xf", tarball], check=True)
        name = os.path.basename(tarball).removesuffix(".tar.gz")
        program = f"{folder}/{name}/bin/stockbus"
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        spread = built_plugin(program, folder)
        machine = Machine(system, folder)
        try:
            before = machine.files()

            shutil.copy(deb, machine.path("/tmp/stockbus.deb"))
            start = time.monotonic()
            machine.says("dpkg", "-i", "/tmp/stockbus.deb")
            seconds = time.monotonic() - start
            machine.says("dpkg", "--verify", "stockbus")
            new = machine.files().keys() - before.keys()
            size = sum(os.lstat(machine.path(f"/{path}")).st_size for path in new)
            price = used(machine, "stockbus", version, spread)
            expect(machine.files().keys() - before.keys() == new, "using it has left files elsewhere than at home")
            machine.says("dpkg", "-P", "stockbus")
            after = machine.files()
            expect(after == before, f"dpkg -P leaves {sorted(after.items() ^ before.items())}")
            print(f"{os.path.basename(deb)}: {os.path.getsize(deb) / 1e6:.1f} MB, {len(new)} files and folders of {size / 1e6:.0f} MB, installed in "
                  f"{seconds:.1f} s; the first price {price:.1f} s later; removed without a trace", flush=True)

            shutil.copy(tarball, machine.path("/tmp/stockbus.tar.gz"))
            os.makedirs(machine.path("/srv/some where"))
            start = time.monotonic()
            machine.says("tar", "-C", "/srv/some where", "-xf", "/tmp/stockbus.tar.gz")
            seconds = time.monotonic() - start
            os.symlink(f"/srv/some where/{name}/bin/stockbus", machine.path("/usr/local/bin/stockbus"))
            price = used(machine, "stockbus", version, spread)
            print(f"{os.path.basename(tarball)}: {os.path.getsize(tarball) / 1e6:.1f} MB, unpacked in {seconds:.1f} s; the first price {price:.1f} s later")
        finally:
            subprocess.run(["umount", f"{machine.root}/proc"], check=True)


if __name__ == "__main__":
    main()
