"""Kernel modules built from the distribution's sources, changed or not, for a target's kernel."""

import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import packages
from packages import TargetError

PARTS = re.compile(r"linux-(headers|kbuild|source|compiler)-")


class ModuleSource:
    """A driver's source with the headers of the kernel it is built for, in a folder of its own."""

    def __init__(self, folder, suite, release, source_package, source):
        self.folder, self.suite, self.release = folder, suite, release
        self.source_package, self.source = source_package, source
        self.headers = folder / "tree/usr/src" / f"linux-headers-{release}"
        self.original, self.changed = folder / "original", folder / "module"

    def fetch(self, downloads, say, update=False):
        """Has the packages at hand: their rows, see packages.fetch()."""
        return packages.fetch(self.suite, [f"linux-headers-{self.release}", self.source_package],
                              PARTS, downloads, say, update)

    def prepare(self, downloads, say):
        """Fetches and unpacks what is not there yet."""
        rows = self.fetch(downloads, say)
        stamp = self.folder / "packages.json"
        wanted = repr([rows, self.source])
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            shutil.rmtree(self.folder, ignore_errors=True)
            packages.unpack(rows, downloads, self.folder / "tree", say)
            self._unpack_source()
            self._settle_paths()
            stamp.write_text(wanted, encoding="utf-8")
        shutil.rmtree(self.changed, ignore_errors=True)
        shutil.copytree(self.original, self.changed)

    def _unpack_source(self):
        archive = self.folder / "tree/usr/src" / f"{self.source_package}.tar.xz"
        start = f"{self.source_package}/{self.source}/"
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.isfile() and member.name.startswith(start):
                    file = self.original / member.name.removeprefix(start)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(tar.extractfile(member).read())
        if not self.original.exists():
            raise TargetError(f"{archive.name} has no folder {self.source}; mend the description")

    def _settle_paths(self):
        """The headers' makefile names the place where their package would be installed."""
        makefile = self.headers / "Makefile"
        text = makefile.read_text(encoding="utf-8")
        makefile.write_text(text.replace(" /usr/src/", f" {self.folder}/tree/usr/src/"),
                            encoding="utf-8")

    def build(self, module, settings):
        """Builds what changed; the module's file. Raises BuildError with the compiler's words."""
        done = subprocess.run(["make", "-s", "-j2", "-C", self.headers, f"M={self.changed}",
                               *settings, "modules"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            errors = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line]
            raise BuildError((errors or ["make failed"])[0])
        return self.changed / f"{module}.ko"

    def edit(self, file, old, new, place):
        """Replaces one occurrence of a text, counted from 1; where there is one only, `place` may
        be left out."""
        path = self.changed / file
        parts = (self.original / file).read_text(encoding="utf-8").split(old)
        if len(parts) < 2 or (place is None and len(parts) > 2) or (place or 1) >= len(parts):
            raise TargetError(f"{file}: the text occurs {len(parts) - 1} times; say which `place`")
        place = place or 1
        path.write_text(old.join(parts[:place]) + new + old.join(parts[place:]), encoding="utf-8")

    def restore(self, file):
        shutil.copyfile(self.original / file, self.changed / file)


class BuildError(Exception):
    """The changed source does not compile."""
