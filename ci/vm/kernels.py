"""Where a target's kernel comes from: Debian's packages, a folder, or a source package, which is
built."""

import json
import re
import shutil
import tarfile
from pathlib import Path

import image
import packages
from packages import TargetError

SOURCE = re.compile(r"linux-source-\d")


class Kernel:
    """Where a kernel comes from: an archive's package, packages' files, or a folder."""

    def __init__(self, sources):
        self.rows, self.files, self.folder = [], [], None
        self.names = [source for source in sources if not Path(source).exists()]
        for source in map(Path, set(sources) - set(self.names)):
            if source.is_dir():
                self.folder = source.resolve()
            else:
                self.files.append(source.resolve())
        if bool(self.names) + bool(self.files) + bool(self.folder) != 1 or len(self.names) > 1:
            raise TargetError("--kernel: name one package of an archive, or one folder, or the "
                              "files of one kernel")
        if self.names and ":" not in self.names[0]:
            raise TargetError(f"--kernel: there is no file {self.names[0]}; of an archive's "
                              "package name the suite, too: bookworm:linux-image-amd64")

    def fetch(self, downloads, say, update):
        if self.names:
            suite, package = self.names[0].split(":", 1)
            self.rows = packages.fetch(suite, [package], packages.KERNEL_PARTS, downloads, say,
                                       update)

    def identity(self):
        """What differs where the kernel differs."""
        folder = [str(self.folder), image.newest_change(self.folder)] if self.folder else []
        return [self.rows, [packages.digest(file) for file in self.files], folder]

    def version(self):
        """Of the package asked for; empty where none was."""
        package = self.names[0].split(":", 1)[1] if self.names else ""
        return next((row["version"] for row in self.rows if row["package"] == package), "")

    def suite_and_release(self):
        """Where headers to build modules with come from, and for which kernel."""
        releases = [found[1] for row in self.rows
                    if (found := re.match(r"linux-image-(\d.*)$", row["package"]))]
        if len(releases) != 1:
            raise TargetError("this target builds a module of its own, which needs the headers of "
                              "the kernel: name that as SUITE:PACKAGE of an archive")
        return self.names[0].split(":", 1)[0], releases[0]

    def tree(self, downloads, folder, say):
        """The kernel's files: unpacked into the folder, or where they are."""
        if self.folder:
            return self.folder
        if self.rows:
            packages.unpack(self.rows, downloads, folder, say)
        for file in self.files:
            packages.run(["dpkg-deb", "-x", str(file), str(folder)], "is it a Debian package?")
        return folder


class BuiltKernel:
    """The kernel of a source package, built with the settings of a file, in a folder that keeps it
    until source or settings change."""

    def __init__(self, folder, suite, package, settings):
        self.folder, self.suite, self.package = folder, suite, package
        if not settings.is_file():
            raise TargetError(f"there is no file {settings} of a kernel's settings")
        self.settings = settings
        self.rows = []

    def fetch(self, downloads, say, update):
        self.rows = packages.fetch(self.suite, [self.package], SOURCE, downloads, say, update)

    def identity(self):
        """What differs where the kernel differs."""
        return [self.rows, self.settings.read_text(encoding="utf-8")]

    def version(self):
        """Of the source package that has the source itself."""
        return next(row["version"] for row in self.rows if SOURCE.match(row["package"]))

    def suite_and_release(self):
        raise TargetError("a target with a kernel of its own has its modules from there, too: "
                          "leave out the section module")

    def tree(self, downloads, _folder, say):
        """The folder in which it was built."""
        stamp, wanted = self.folder / "built.json", json.dumps(self.identity())
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            shutil.rmtree(self.folder, ignore_errors=True)
            packages.unpack(self.rows, downloads, self.folder / "package", say)
            source = self._unpack()
            self._configure(source)
            self._build(source, say)
            shutil.rmtree(self.folder / "package")
            shutil.rmtree(self.folder / "source")
            stamp.write_text(wanted, encoding="utf-8")
        return self.folder / "output"

    def _unpack(self):
        archives = list((self.folder / "package/usr/src").glob("linux-source-*.tar.xz"))
        if len(archives) != 1:
            raise TargetError(f"{self.package} of {self.suite} has no source; mend the description")
        with tarfile.open(archives[0]) as tar:
            tar.extractall(self.folder / "source")
        return next((self.folder / "source").iterdir())

    def _configure(self, source):
        """What the settings leave open is as small as it can be."""
        output = self.folder / "output"
        output.mkdir()
        make = ["make", "-s", "-C", str(source), f"O={output}"]
        remedy = "install what ci/install kernel names"
        packages.run([*make, "tinyconfig"], remedy)
        packages.run([str(source / "scripts/kconfig/merge_config.sh"), "-m", "-O", str(output),
                      str(output / ".config"), str(self.settings)], remedy, cwd=source)
        packages.run([*make, "olddefconfig"], remedy)
        have = set((output / ".config").read_text(encoding="utf-8").splitlines())
        for line in self.settings.read_text(encoding="utf-8").splitlines():
            if line.startswith("CONFIG_") and line not in have:
                raise TargetError(f"{self.settings.name}: {source.name} does not take {line}; see "
                                  "what that setting depends on")

    def _build(self, source, say):
        say(f"building {source.name} with {self.settings.name}, some minutes on two processors")
        steps = 0

        def progress(_line):
            nonlocal steps
            steps += 1
            if steps % 200 == 0:
                say(f"building {source.name}: {steps} files")

        packages.run(["make", "-j2", "-C", str(source), f"O={self.folder / 'output'}", "bzImage",
                      "modules"], "does it build with this compiler?", progress=progress)
