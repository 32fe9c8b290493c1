"""Runs programs in a target's guest and tells how each ended."""

import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import image

RUNNER = """
for program in /programs/bin/*; do
    name=${program##*/}
    echo "programs: begin $name"
    /bin/busybox timeout -s KILL %d %s "$program" %s 2>&1
    echo "programs: end $name $?"
done
echo "programs: all done"
"""


@dataclass
class Ended:
    """How one program ended; `code` is None where it never did, since its kernel died."""
    code: int | None
    output: str


def archive_of(programs, arguments, limit, under="", files=None):
    """The bytes of an archive that holds the programs, the script that runs them in order, each as
    an argument of the command `under`, and other files: {place below /programs: file}."""
    archive = image.Archive()
    for place, (name, path) in enumerate(programs.items()):
        archive.file(f"programs/bin/{place:04}-{name}", Path(path).read_bytes(), executable=True)
    for place, path in (files or {}).items():
        archive.file(f"programs/{place}", Path(path).read_bytes(), executable=True)
    archive.file("programs/run", (RUNNER % (limit, under, arguments)).encode())
    return archive.finish()


# Seconds until a guest says its first word; emulated, one hangs before that once in a long while.
FIRST_WORD = 120
BOOTS = 3


class QemuDied(Exception):
    """QEMU itself was ended by a signal: nothing is known of what ran in its guest."""


def watch(guest, console, limit):
    """Whether the guest ended by itself: it is given up after `limit` seconds without a word."""
    size, heard = 0, time.monotonic()
    while guest.poll() is None:
        time.sleep(0.2)
        now = console.stat().st_size if console.exists() else 0
        if now != size:
            size, heard = now, time.monotonic()
        elif time.monotonic() - heard > (limit if size else FIRST_WORD):
            guest.kill()
            guest.wait()
            return False
    if guest.returncode < 0:
        raise QemuDied(f"QEMU ended by signal {-guest.returncode}")
    if guest.returncode != 0:
        raise RuntimeError(f"the guest could not be booted: exit status {guest.returncode}")
    return True


def boot_once(folder, limit, keep):
    """What the console of the folder's guest said, or None of one that never said a word."""
    console = folder / "console"
    console.unlink(missing_ok=True)
    log = [f"--code-log={keep / 'code'}"] if keep else []
    guest = subprocess.Popen([folder / "boot", *log, folder / "channel", console,
                              'mrproof.command="/bin/busybox sh /programs/run"'])
    ended = watch(guest, console, limit)
    said = console.read_text(errors="replace").replace("\r", "")
    if keep:
        shutil.copyfile(console, keep / "console")
    if ended:
        return said
    return f"{said}\nguest: silent for {limit} s, given up\n" if said else None


def furnish(folder, target, archive):
    """Puts into the folder what boots a guest of the target that has the archive's files, too."""
    target = Path(target)
    for name in ["kernel", "turns.so"]:
        (folder / name).symlink_to((target / name).resolve())
    shutil.copy(target / "boot", folder / "boot")
    (folder / "initrd").write_bytes((target / "initrd").read_bytes() + archive)
    (folder / "channel").write_bytes(b"\0" * (1 << 20))


def boot(target, archive, limit, keep=None):
    """The console of a guest of the target that has the archive's files and runs its script, until
    it ends or is silent for `limit` seconds, which the console's last line then says. A guest that
    says nothing, and one whose QEMU dies, is booted again; the line tells if that was in vain. The
    folder `keep` receives `console`, and `code`: what of the kernel's modules was executed."""
    with tempfile.TemporaryDirectory(prefix="mrproof-programs-") as folder:
        folder = Path(folder)
        furnish(folder, target, archive)
        for _ in range(BOOTS):
            try:
                said = boot_once(folder, limit, keep)
                why = f"guest: silent for {FIRST_WORD} s, given up {BOOTS} times"
            except QemuDied as died:
                said, why = None, f"guest: {died}, {BOOTS} times"
            if said is not None:
                return said
    return f"{why}\n"


def run_programs(target, programs, arguments="", limit=150, under="", files=None):
    """{name: Ended} of the programs ({name: file}), run one after the other in one guest.

    Those after one that kills or hangs the kernel are missing. `limit`: seconds for each. `under`
    and `files`: see archive_of().
    """
    # A program may be silent for all of its time.
    console = boot(target, archive_of(programs, arguments, limit, under, files),
                   limit + 60)
    ended = {}
    begins = re.split(r"^programs: begin \d{4}-(.*)$", console, flags=re.M)
    for name, rest in zip(begins[1::2], begins[2::2]):
        end = re.search(r"^programs: end \d{4}-.* (\d+)$", rest, flags=re.M)
        ended[name] = Ended(int(end[1]) if end else None, rest[:end.start()] if end else rest)
    if not ended:
        raise RuntimeError("no program was run in the guest:\n" + console[-2000:])
    return ended
