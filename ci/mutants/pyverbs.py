"""The peer: rdma-core's own tests in Python, from the target's Debian package, in its guest.

What a test came to on the unchanged driver is what it has to come to: a change of the driver is
noticed if a test that passed does not, or if the guest does not live to the end.
"""

import gzip
import py_compile
import re
import shutil
import sys
from pathlib import Path

import guest_programs
import image
import packages
from packages import TargetError

PACKAGES = ["python3-pyverbs", "python3", "ibverbs-providers"]
PARTS = re.compile(packages.LIBRARIES.pattern + r"|python3\.\d+(-minimal)?$")
TESTS = "usr/share/doc/rdma-core/tests"
# Parts of the library that no test needs, by the start of their path.
NOT_NEEDED = ("test/", "idlelib/", "lib2to3/", "pydoc_data/", "ensurepip/", "distutils/")
# Of providers that are not here: their tests are skipped, after seconds of emulated reading.
NOT_HERE = ("test_mlx5", "test_efa", "test_cuda")

# Seconds for all tests; emulated, on a busy machine, they take 70. A guest has two minutes more.
LIMIT = 300

# Python 3.14 would colour what it says, and some tests want shared memory.
SCRIPT = """
cd /peer/tests
/bin/busybox mkdir -p /dev/shm
export PYTHONHOME=/usr PYTHONPATH=/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1
export NO_COLOR=1
/bin/busybox timeout -s KILL %d %s /usr/bin/%s run_tests.py --dev %s -v %s 2>&1
echo "peer: ended $?"
"""
OUTCOME = re.compile(r"^test_\S+ \(tests\.(\S+?)\).*?\.\.\. .*?\b(ok|FAIL|ERROR|skipped)\b",
                     re.M | re.S)


class Peer:
    """Fetches the tests once; run() tells what became of each on an image."""

    def __init__(self, suite, device, downloads, folder, say):
        rows = packages.fetch(suite, PACKAGES, PARTS, downloads, say)
        self.version = next(row["version"] for row in rows if row["package"] == PACKAGES[0])
        self.device, self.tree = device, folder / "peer"
        shutil.rmtree(self.tree, ignore_errors=True)
        packages.unpack(rows, downloads, self.tree, say)
        self.python = next(path.name for path in sorted((self.tree / "usr/bin").glob("python3.*"))
                           if path.name.removeprefix("python3.").isdigit())
        self.library = f"usr/lib/{self.python}"
        self._archive = None

    def _add(self, archive, path, name):
        """A file; of Python its bytecode alone: an emulated guest compiles for minutes."""
        if path.suffix != ".py" or f"python3.{sys.version_info[1]}" != self.python:
            archive.file(name, path.read_bytes(), executable=path.suffix in ("", ".so"))
            return
        compiled = self.tree / "compiled.pyc"
        py_compile.compile(path, compiled, dfile="/" + name, doraise=True,
                           invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        archive.file(name + "c", compiled.read_bytes())

    def _add_tests(self, archive):
        for path in sorted((self.tree / TESTS).iterdir()):
            if path.name.startswith(NOT_HERE):
                continue
            if path.suffix == ".gz":
                plain = path.with_suffix("")
                plain.write_bytes(gzip.decompress(path.read_bytes()))
                path.unlink()
                path = plain
            # As text: the tests look for each other by their names.
            archive.file(f"peer/tests/{path.name}", path.read_bytes())

    def _add_python(self, archive):
        python = self.tree / "usr/bin" / self.python
        archive.file(f"usr/bin/{self.python}", python.read_bytes(), executable=True)
        for path in sorted((self.tree / self.library).rglob("*")):
            name = str(path.relative_to(self.tree / self.library))
            if path.is_file() and not name.startswith(NOT_NEEDED):
                self._add(archive, path, f"{self.library}/{name}")
        for path in sorted((self.tree / "usr/lib/python3/dist-packages").rglob("*")):
            if path.is_file() and path.suffix in (".py", ".so"):
                self._add(archive, path, str(path.relative_to(self.tree)))

    def _add_libraries(self, archive):
        userspace = image.Userspace(self.tree)
        userspace.take(image.Userspace(Path("/")))  # as the image has them
        for path in self.tree.rglob("*.so"):
            if "python3" in str(path):
                for library, file in userspace.libraries(path).items():
                    archive.file(f"{image.GUEST_LIBRARIES}/{library}", file.read_bytes(), True)

    def archive(self, tests, under="", files=None):
        """The bytes of what the guest needs beside the image; `under`, `files`: see console()."""
        if self._archive is None:
            self._archive = image.Archive()
            self._add_python(self._archive)
            self._add_libraries(self._archive)
            self._add_tests(self._archive)
        archive = image.Archive()
        archive.parts, archive.names = list(self._archive.parts), set(self._archive.names)
        script = SCRIPT % (LIMIT, under, self.python, self.device, " ".join(tests))
        archive.file("programs/run", script.encode())
        for name, path in (files or {}).items():
            archive.file(f"programs/{name}", Path(path).read_bytes(), executable=True)
        return archive.finish()

    def run(self, target, tests=(), keep=None):
        """({test: ok, FAIL, ERROR or skipped}, why the guest did not get to the end or "") of the
        tests named, or of all. `keep`: see guest_programs.boot()."""
        console = guest_programs.boot(target, self.archive(tests), LIMIT + 120, keep)
        return self.outcomes(console)

    def console(self, target, under, files):
        """What a guest says in which all tests run under the program named; files: {name: file} of
        /programs."""
        return guest_programs.boot(target, self.archive([], under, files), LIMIT + 120)

    @staticmethod
    def outcomes(console):
        """The same as of run(), of what the guest said."""
        if console.startswith("guest: QEMU"):
            raise TargetError(console.strip())
        outcomes = dict(OUTCOME.findall(console))
        end = re.search(r"^peer: ended (\d+)$", console, re.M)
        if end and not outcomes:
            raise TargetError("no test of the peer ran: " + console.strip().splitlines()[-2])
        if end:
            return outcomes, "" if end[1] != "137" else f"the tests did not end in {LIMIT} s"
        panic = re.search(r"Kernel panic.*|BUG:.*|Oops.*|guest: silent.*", console)
        return outcomes, panic[0] if panic else "the guest ended"


def noticed(before, after, why):
    """What the tests notice, or ""; `before` is of the unchanged driver."""
    if why:
        return why
    lost = [test for test in passed(before) if after.get(test) != "ok"]
    more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
    return lost[0].split(".")[-1] + more if lost else ""


def passed(outcomes):
    return [test for test, outcome in outcomes.items() if outcome == "ok"]
