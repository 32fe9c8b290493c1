"""Debian packages of any suite, fetched and verified by apt without touching the system's state.

apt runs with a private state folder and takes the mirrors that the machine is configured with, so
proxies and mirrors need no setting of their own. Its signature check is left on, against the keys
of the debian-archive-keyring package.
"""

import functools
import hashlib
import json
import os
import re
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# Suites that apt takes nothing from by itself, as long as another one has the package.
ON_REQUEST = re.compile(r".*-backports|experimental|rc-buggy")
KERNEL_PARTS = re.compile(r"linux-(image|binary|modules)-")
LIBRARIES = re.compile(r"z?lib")


class TargetError(Exception):
    """What went wrong and what to do about it, in one line."""


def run(command, remedy, cwd=None, progress=None):
    """Runs a command and returns its output; on failure its first error becomes the message."""
    environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    lines = []
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        try:
            process = subprocess.Popen(command, env=environment, cwd=cwd, stderr=errors, text=True,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        except FileNotFoundError:
            raise TargetError(f"{command[0]} is not installed; run ci/conformance as root once, "
                              "it installs what is needed") from None
        with process.stdout:
            for line in process.stdout:
                lines.append(line)
                if progress:
                    progress(line)
        if process.wait() != 0:
            errors.seek(0)
            text = errors.read().strip().splitlines()
            reason = ([line for line in text if line.startswith("E:")] or text or ["failed"])[0]
            raise TargetError(f"{command[0]}: {reason.removeprefix('E: ')}; {remedy}")
    return "".join(lines)


def host_release():
    """The suite name of the running system, or an empty string."""
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.search(r"^VERSION_CODENAME=\"?([a-z]+)", text, re.MULTILINE)
    return found.group(1) if found else ""


@functools.cache
def security_beside(main):
    """The security archive, where the main archive's host has it: a machine of unstable names none,
    and without it a target of a stable release has kernels of months ago."""
    guess = main.rstrip("/") + "-security/"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["/usr/lib/apt/apt-helper", "download-file",
                               f"{guess}dists/stable-security/InRelease", f"{folder}/release"],
                              capture_output=True, check=False)
    return guess if done.returncode == 0 else None


def mirrors():
    """(main archive, security archive or None), as the machine's apt is configured."""
    if os.environ.get("MRPROOF_MIRROR"):
        return os.environ["MRPROOF_MIRROR"], os.environ.get("MRPROOF_SECURITY_MIRROR")
    listing = run(["apt-get", "indextargets", "--no-release-info", "--format",
                   "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
                  "this builder needs a machine with apt")
    rows = [line.split() for line in listing.splitlines() if len(line.split()) == 3]
    host = host_release()
    names = {host, "stable", "oldstable", "testing", "sid", "unstable"} - {""}
    # A third party may name its archive after the release too, and often `stable`; only Debian's
    # has updates, but for unstable's.
    rows.sort(key=lambda row: row[1].removeprefix("old") == "stable")
    main = [uri for uri, release, part in rows if release in names and part == "main"]
    full = {uri for uri, release, _ in rows if release.removesuffix("-updates") in names
            and release.endswith("-updates")}
    main.sort(key=lambda uri: uri not in full)
    security = [uri for uri, release, _ in rows if release.endswith("-security")]
    if not main:
        raise TargetError("apt has no Debian archive configured; set MRPROOF_MIRROR to the URL "
                          "of one")
    return main[0], security[0] if security else security_beside(main[0])


def source_lines(suite):
    """The sources.list lines that hold one suite with what it builds on."""
    main, security = mirrors()
    base = suite.removesuffix("-backports")
    if base in ("sid", "unstable"):
        suites = [(main, base)]
    elif base in ("experimental", "rc-buggy"):
        suites = [(main, "sid"), (main, base)]
    else:
        suites = [(main, base), (main, f"{base}-updates")]
        suites += [(security, f"{base}-security")] if security else []
        suites += [(main, suite)] if suite != base else []
    return "".join(f"{kind} [signed-by={KEYRING}] {uri} {name} main\n"
                   for kind in ("deb", "deb-src") for uri, name in suites)


class Suite:
    """One suite seen through a private apt; packages land in the downloads folder."""

    up_to_date = set()  # the suites whose index this process has read

    def __init__(self, name, downloads, say):
        self.name, self.downloads, self.say = name, downloads, say
        self.state = downloads / "apt" / name

    def _apt(self, *arguments, remedy, **options):
        state = self.state
        settings = {
            "Dir::State": state, "Dir::State::status": state / "status",
            "Dir::Cache": state / "cache", "Dir::Log": state / "log",
            "Dir::Etc::SourceList": state / "sources.list", "Dir::Etc::SourceParts": "/dev/null",
            "Dir::Etc::Preferences": "/dev/null", "Dir::Etc::PreferencesParts": "/dev/null",
            "APT::Architecture": "amd64", "APT::Sandbox::User": "root",
            "APT::Update::Post-Invoke": "", "Acquire::Languages": "none",
            "Acquire::Retries": "3", "APT::Get::List-Cleanup": "true",
        }
        flags = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
        if ON_REQUEST.fullmatch(self.name):
            flags += ["-t", self.name]
        return run(["apt-get", *flags, *arguments], remedy, **options)

    def update(self):
        """Reads the archive's index; the machine needs its network for this."""
        if self.state in Suite.up_to_date:
            return
        if not os.path.exists(KEYRING):
            raise TargetError(f"{KEYRING} is missing; install the debian-archive-keyring package")
        for folder in ("lists/partial", "cache/archives/partial", "log"):
            (self.state / folder).mkdir(parents=True, exist_ok=True)
        (self.state / "status").touch()
        (self.state / "sources.list").write_text(source_lines(self.name), encoding="utf-8")
        self.say(f"reading the package index of {self.name}")
        self._apt("update", "--error-on=any",
                  remedy="check the network and the mirror that apt is configured with")
        Suite.up_to_date.add(self.state)

    def resolve(self, names, keep):
        """[(package, version)] of the named packages with those of their dependencies to keep."""
        listing = self._apt("--yes", "--no-install-recommends", "--print-uris", "install", *names,
                            remedy=f"check the package names for suite {self.name}")
        found = []
        for line in listing.splitlines():
            if line.startswith("'"):
                name, version, _ = urllib.parse.unquote(line.split()[1]).split("_")
                if name in names or keep.match(name):
                    found.append((name, version))
        return found

    def download(self, wanted):
        """Fetches [(package, version)]; apt verifies each against the signed index."""
        names = [f"{name}={version}" for name, version in wanted]
        count = 0

        def progress(line):
            nonlocal count
            if line.startswith("Get:"):
                count += 1
                self.say(f"downloading {line.split()[4]} {count}/{len(wanted)}")

        self._apt("download", *names, cwd=self.downloads, progress=progress,
                  remedy="check the network, or run again with --update")

    def source_archive(self, name, update):
        """The upstream archive of a source package: its file in the downloads folder."""
        known = sorted(self.downloads.glob(f"{self.name}-source-{name}.txt"))
        if known and not update:
            file = self.downloads / known[0].read_text(encoding="utf-8")
            if file.exists():
                return file
        self.update()
        listing = self._apt("source", "--print-uris", "--only-source", name,
                            remedy=f"check the package's name for suite {self.name}")
        found = re.search(r"^'(\S+)' (\S+\.orig\.tar\.\S+) \d+ (SHA256:\S+)", listing,
                          re.MULTILINE)
        if not found:
            raise TargetError(f"{name} of {self.name} has no upstream archive")
        uri, file, expected = found.groups()
        self.say(f"downloading {file}")
        run(["/usr/lib/apt/apt-helper", "download-file", uri, str(self.downloads / file), expected],
            "check the network and the mirror that apt is configured with")
        record = self.downloads / f"{self.name}-source-{name}.txt"
        record.write_text(file, encoding="utf-8")
        return self.downloads / file

    def file_of(self, name, version):
        start = f"{name}_{version.replace(':', '%3a')}_"
        files = [file.name for file in self.downloads.glob("*.deb") if file.name.startswith(start)]
        if not files:
            raise TargetError(f"apt left no file of {name} {version}; run again with --update")
        return files[0]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _resolve(suite_name, names, keep, downloads, say):
    suite = Suite(suite_name, downloads, say)
    suite.update()
    wanted = suite.resolve(names, keep)
    suite.download(wanted)
    rows = []
    for name, version in wanted:
        file = suite.file_of(name, version)
        rows.append({"package": name, "version": version, "file": file,
                     "sha256": digest(downloads / file)})
    return rows


def fetch(suite, names, keep, downloads, say, update=False):
    """The packages as [{package, version, file, sha256}], from the cache where they are in it.

    The choice of versions is written down beside the files, so that a later run needs no network
    and builds the same; `update` makes it anew.
    """
    key = hashlib.sha256(json.dumps([suite, names, keep.pattern]).encode()).hexdigest()[:16]
    record = downloads / f"{suite}-{key}.json"
    downloads.mkdir(parents=True, exist_ok=True)
    if record.exists() and not update:
        rows = json.loads(record.read_text(encoding="utf-8"))
        if all((downloads / row["file"]).exists() for row in rows):
            return rows
    rows = _resolve(suite, names, keep, downloads, say)
    partial = record.with_suffix(".part")
    partial.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    partial.replace(record)
    return rows


def unpack(rows, downloads, folder, say):
    """Unpacks the packages into a folder, after checking that the cached files are unharmed."""
    folder.mkdir(parents=True)
    say(f"unpacking {len(rows)} packages")
    for row in rows:
        file = downloads / row["file"]
        if digest(file) != row["sha256"]:
            file.unlink()
            raise TargetError(f"{file.name} in the cache was damaged and is removed; run again")
        run(["dpkg-deb", "-x", str(file), str(folder)], "check the free disk space")
