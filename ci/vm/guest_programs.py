"""Runs programs in a target's guest and tells how each ended."""

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import image

RUNNER = """
for program in /programs/bin/*; do
    name=${program##*/}
    echo "programs: begin $name"
    /bin/busybox timeout -s KILL %d "$program" %s 2>&1
    echo "programs: end $name $?"
done
echo "programs: all done"
"""


@dataclass
class Ended:
    """How one program ended; `code` is None where it never did, since its kernel died."""
    code: int | None
    output: str


def archive_of(programs, arguments, limit, libraries=()):
    """The bytes of an archive that holds the programs, libraries that the image lacks, and the
    script that runs the programs in order."""
    archive = image.Archive()
    for path in map(Path, libraries):
        archive.file(f"{image.GUEST_LIBRARIES}/{path.name}", path.read_bytes(), executable=True)
    for place, (name, path) in enumerate(programs.items()):
        archive.file(f"programs/bin/{place:04}-{name}", Path(path).read_bytes(), executable=True)
    archive.file("programs/run", (RUNNER % (limit, arguments)).encode())
    return archive.finish()


def boot(target, archive, limit):
    """The console of a guest of the target that has the archive's files and runs its script."""
    with tempfile.TemporaryDirectory(prefix="mrproof-programs-") as folder:
        folder, target = Path(folder), Path(target)
        (folder / "kernel").symlink_to((target / "kernel").resolve())
        shutil.copy(target / "boot", folder / "boot")
        (folder / "initrd").write_bytes((target / "initrd").read_bytes() + archive)
        (folder / "channel").write_bytes(b"\0" * (1 << 20))
        subprocess.run([folder / "boot", folder / "channel", folder / "console",
                        'mrproof.command="/bin/busybox sh /programs/run"'], timeout=limit,
                       check=True)
        return (folder / "console").read_text(errors="replace").replace("\r", "")


def run_programs(target, programs, arguments="", limit=150, boot_limit=1800, libraries=()):
    """{name: Ended} of the programs ({name: file}), run one after the other in one guest.

    Those after one that kills the kernel are missing. `limit`: seconds for each.
    """
    console = boot(target, archive_of(programs, arguments, limit, libraries), boot_limit)
    ended = {}
    begins = re.split(r"^programs: begin \d{4}-(.*)$", console, flags=re.M)
    for name, rest in zip(begins[1::2], begins[2::2]):
        end = re.search(r"^programs: end \d{4}-.* (\d+)$", rest, flags=re.M)
        ended[name] = Ended(int(end[1]) if end else None, rest[:end.start()] if end else rest)
    if not ended:
        raise RuntimeError("no program was run in the guest:\n" + console[-2000:])
    return ended
