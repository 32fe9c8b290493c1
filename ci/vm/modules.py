"""Kernel modules built from the distribution's sources, changed or not, for a target's kernel.

What belongs to another release than the machine's own is built with that release's compiler, tools
and headers, in a folder that holds nothing else: the tools that come with its headers want its C
library, and its configuration wants what its compiler can do.
"""

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import packages
from packages import TargetError

PARTS = re.compile(r"linux-(headers|kbuild|source|compiler)-")
EVERYTHING = re.compile("")
# Beside what the headers depend on, a compiler among it.
TOOLS = ["make", "dash", "coreutils", "findutils", "grep", "mawk", "sed"]
# Of what a package's scripts and the system's first installation would have made.
LINKS = {"usr/bin/sh": "dash", "usr/bin/awk": "mawk"}
MERGED = ("bin", "sbin", "lib", "lib64")
# The build asks for /dev/null, and its tools for /proc/self; both end with it.
ENTER = 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'


class ModuleSource:
    """A driver's source with the headers of the kernel it is built for, in a folder of its own."""

    def __init__(self, folder, suite, release, source_package, source):
        self.folder, self.suite, self.release = folder, suite, release
        self.source_package, self.source = source_package, source
        self.tree = folder / "tree"
        self.foreign = suite.removesuffix("-backports") != packages.host_release()
        self.headers = f"usr/src/linux-headers-{release}"
        self.original, self.changed = folder / "original", self.tree / "module"

    def fetch(self, downloads, say, update=False):
        """Has the packages at hand: their rows, see packages.fetch()."""
        names = [f"linux-headers-{self.release}", self.source_package]
        return packages.fetch(self.suite, names + TOOLS if self.foreign else names,
                              EVERYTHING if self.foreign else PARTS, downloads, say, update)

    def prepare(self, downloads, say):
        """Fetches and unpacks what is not there yet."""
        rows = self.fetch(downloads, say)
        stamp = self.folder / "packages.json"
        wanted = repr([rows, self.source])
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            shutil.rmtree(self.folder, ignore_errors=True)
            packages.unpack(rows, downloads, self.tree, say)
            self._unpack_source()
            if self.foreign:
                self._make_root()
            else:
                self._settle_paths()
            stamp.write_text(wanted, encoding="utf-8")
        shutil.rmtree(self.changed, ignore_errors=True)
        shutil.copytree(self.original, self.changed)

    def _unpack_source(self):
        unpack_source(self.tree, self.suite, self.source_package, self.source, self.original)

    def _settle_paths(self):
        """The headers' makefile names the place where their package would be installed."""
        makefile = self.tree / self.headers / "Makefile"
        text = makefile.read_text(encoding="utf-8")
        makefile.write_text(text.replace(" /usr/src/", f" {self.tree}/usr/src/"),
                            encoding="utf-8")

    def _make_root(self):
        """What else programs of the tree expect to find when it is their root folder."""
        for name in MERGED:
            if not (self.tree / name).exists():
                (self.tree / name).symlink_to(f"usr/{name}")
        for link, program in LINKS.items():
            if not (self.tree / link).exists():
                (self.tree / link).symlink_to(program)
        for name in ("dev", "proc", "tmp"):
            (self.tree / name).mkdir(exist_ok=True)

    def _command(self, settings):
        """What builds the module."""
        if not self.foreign:
            return ["make", "-s", "-j2", "-C", self.tree / self.headers, f"M={self.changed}",
                    *settings, "modules"]
        rights = [] if os.geteuid() == 0 else ["--map-root-user"]
        return ["unshare", *rights, "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER,
                self.tree, "/usr/bin/make", "-s", "-j2", "-C", f"/{self.headers}",
                f"M=/{self.changed.name}", *settings, "modules"]

    def build(self, module, settings):
        """Builds what changed; the module's file. Raises BuildError with the compiler's words."""
        done = subprocess.run(self._command(settings), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = (done.stderr + done.stdout).splitlines()
            for line in lines:
                if line.startswith(("unshare:", "mount:", "chroot:")):
                    raise TargetError(f"{line}; a module of {self.suite} is built in a mount "
                                      "namespace of its own: run as root, a container --privileged")
            errors = [line for line in lines if "error" in line]
            raise BuildError((errors or ["make failed"])[0])
        return self.changed / f"{module}.ko"

    def edit(self, file, old, new, place=None):
        """Replaces one occurrence of a text, counted from 1; where there is one only, `place` may
        be left out."""
        path = self.changed / file
        parts = path.read_text(encoding="utf-8").split(old)
        if len(parts) < 2 or (place is None and len(parts) > 2) or (place or 1) >= len(parts):
            raise TargetError(f"{file}: the text occurs {len(parts) - 1} times; say which `place`")
        place = place or 1
        path.write_text(old.join(parts[:place]) + new + old.join(parts[place:]), encoding="utf-8")

    def restore(self):
        """Takes every edit back."""
        for original in self.original.rglob("*"):
            changed = self.changed / original.relative_to(self.original)
            if original.is_file() and changed.read_bytes() != original.read_bytes():
                shutil.copyfile(original, changed)


def unpack_source(tree, suite, package, source, folder):
    """Has a folder of the kernel's source, which lies in a package that is unpacked in the tree."""
    # `linux-source` is the archive's newest, whose file has the version in its name.
    archives = sorted((tree / "usr/src").glob(f"{package}*.tar.xz"))
    if len(archives) != 1:
        raise TargetError(f"{package} of {suite} has no source; mend the description")
    start = f"{archives[0].name.removesuffix('.tar.xz')}/{source}/"
    with tarfile.open(archives[0]) as tar:
        for member in tar:
            if member.isfile() and member.name.startswith(start):
                file = folder / member.name.removeprefix(start)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(tar.extractfile(member).read())
    if not folder.exists():
        raise TargetError(f"{archives[0].name} has no folder {source}; mend the description")


class BuildError(Exception):
    """The changed source does not compile."""
