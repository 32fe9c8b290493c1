"""libibverbs and a provider built from rdma-core's source: one's own tree, or the archive's."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import packages
from packages import TargetError

IN_GUEST = Path("usr/lib/x86_64-linux-gnu")


class Library:
    """What a target's [library] section describes, or a tree given instead of it."""

    def __init__(self, description, provider, tree, work):
        self.description, self.provider = description, provider
        self.tree = Path(tree).resolve() if tree else None
        self.work = work

    def fetch(self, downloads, say, update):
        """Has the archive's source at hand, if no tree was given."""
        if self.tree:
            if not (self.tree / "libibverbs").is_dir():
                raise TargetError(f"--rdma-core: {self.tree} is no source tree of rdma-core")
            return
        suite = packages.Suite(self.description["suite"], downloads, say)
        self.archive = suite.source_archive(self.description["package"], update)

    def identity(self):
        """What differs where the library differs."""
        if not self.tree:
            return [self.archive.name, packages.digest(self.archive),
                    self.description.get("edit", [])]
        changed = hashlib.sha256()
        for file in sorted(self.tree.rglob("*.[ch]")):
            changed.update(f"{file} {file.stat().st_mtime_ns}\n".encode())
        return [str(self.tree), changed.hexdigest()]

    def build(self, say):
        """Builds libibverbs and the provider; the folder that both are in."""
        source = self.tree or self._unpack()
        output = self.work / "build"
        say(f"building libibverbs and the provider {self.provider} from {source.name}")
        packages.run(["cmake", "-G", "Ninja", "-S", str(source), "-B", str(output),
                      "-DNO_PYVERBS=1", "-DNO_MAN_PAGES=1", "-DCMAKE_BUILD_TYPE=Release",
                      "-DCMAKE_INSTALL_PREFIX=/usr", "-DCMAKE_INSTALL_SYSCONFDIR=/etc",
                      f"-DCMAKE_INSTALL_LIBDIR={IN_GUEST.relative_to('usr')}"],
                     "does the tree build by itself?")
        listing = packages.run(["ninja", "-C", str(output), "-t", "targets", "all"], "try again")
        found = re.search(rf"^(lib/lib{self.provider}-rdmav\d+\.so):", listing, re.MULTILINE)
        if not found:
            raise TargetError(f"{source} has no provider {self.provider}")
        done = subprocess.run(["ninja", "-C", output, "lib/libibverbs.so", found[1]], text=True,
                              capture_output=True, check=False)
        if done.returncode != 0:
            errors = [line for line in done.stdout.splitlines() if "error" in line]
            raise TargetError(f"building {source.name}: {(errors or ['ninja failed'])[0]}")
        return output / "lib"

    def _unpack(self):
        shutil.rmtree(self.work, ignore_errors=True)
        folder = self.work / "source"
        folder.mkdir(parents=True)
        packages.run(["tar", "-xf", str(self.archive), "--strip-components=1", "-C", str(folder)],
                     "run again with --update")
        for edit in self.description.get("edit", []):
            file = folder / edit["file"]
            text = file.read_text(encoding="utf-8")
            if text.count(edit["old"]) != 1:
                raise TargetError(f"{edit['file']}: the text to be edited occurs "
                                  f"{text.count(edit['old'])} times; mend the target's description")
            file.write_text(text.replace(edit["old"], edit["new"]), encoding="utf-8")
        return folder

    def install(self, built, userspace):
        """Puts both in the place of the packages' own, which stay as they are in all else."""
        place = userspace / IN_GUEST
        for old in [*place.glob("libibverbs.so*"),
                    *(place / "libibverbs").glob(f"lib{self.provider}-rdmav*.so")]:
            old.unlink()
        for file in built.glob("libibverbs.so*"):
            shutil.copy2(file, place / file.name, follow_symlinks=False)
        (place / "libibverbs").mkdir(exist_ok=True)
        for file in built.glob(f"lib{self.provider}-rdmav*.so"):
            shutil.copy2(file.resolve(), place / "libibverbs" / file.name)
