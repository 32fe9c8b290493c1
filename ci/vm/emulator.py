"""Chooses the QEMU that runs a target's guests.

Of QEMU 10 and newer a guest of two processors does the same each time; of older ones only a guest
of one. Where the machine's own is older, a newer one of the release's backports is unpacked in the
build folder, if that can be reached: it needs the libraries that the machine's own QEMU has.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import packages
from packages import TargetError, run

TURNS = Path(__file__).with_name("turns.cpp")
OWN = "qemu-system-x86_64"
NEW_ENOUGH = 10
PARTS = re.compile(r"qemu-system-(x86|common|data)$|seabios$")


@dataclass
class Emulator:
    """The words that start it, and how many processors its guests can have and still repeat."""
    words: list
    processors: int


def _version(program):
    said = run([program, "--version"], "install the qemu-system-x86 package")
    return re.search(r"version (\S+)", said)[1]


def _is_new(version):
    return int(version.split(".")[0]) >= NEW_ENOUGH


def _backport(build, downloads, say):
    """The words of a newer QEMU, unpacked in the build folder. Raises TargetError."""
    suite = f"{packages.host_release()}-backports"
    rows = packages.fetch(suite, ["qemu-system-x86"], PARTS, downloads, say)
    version = next(row["version"] for row in rows if row["package"] == "qemu-system-x86")
    folder = build / f"qemu-{re.sub(r'[^0-9A-Za-z.]', '-', version)}"
    if not folder.exists():
        partial = folder.with_name(folder.name + ".part")
        run(["rm", "-rf", str(partial)], "remove it by hand")
        packages.unpack(rows, downloads, partial, say)
        partial.rename(folder)
    program = folder / "usr/bin" / OWN
    if not _is_new(_version(str(program))):
        raise TargetError(f"{suite} has QEMU {version} only")
    return [str(program), "-L", str(folder / "usr/share/seabios")]


def choose(build, downloads, say, update):
    """The Emulator. What came of looking for a newer one is kept, until `update`."""
    version = _version(OWN)
    if _is_new(version):
        return Emulator([OWN], 2)
    record = build / "emulator.json"
    if record.exists() and not update:
        known = json.loads(record.read_text(encoding="utf-8"))
        words = known["words"]
        if known["own"] == version and (words[0] == OWN or Path(words[0]).exists()):
            return Emulator(words, known["processors"])
    try:
        found = Emulator(_backport(build, downloads, say), 2)
        say(f"guests run in the QEMU of {found.words[0]}, with two processors")
    except (TargetError, OSError, subprocess.SubprocessError) as why:
        found = Emulator([OWN], 1)
        say(f"guests run in QEMU {version}, with one processor: a newer one cannot be had: {why}")
    record.write_text(json.dumps({"own": version, "words": found.words,
                                  "processors": found.processors}), encoding="utf-8")
    return found


def build_turns(folder):
    """Puts into the folder what QEMU's threads take turns by."""
    library = folder / "turns.so"
    if not library.exists() or library.stat().st_mtime < TURNS.stat().st_mtime:
        run(["c++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
             "-o", str(library), str(TURNS)], "install the g++ package")
