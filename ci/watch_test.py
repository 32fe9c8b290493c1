#!/usr/bin/env python3
"""Tests of mrproof watch on a real driver in the virtual machine.

    ci/watch_test.py PROGRAM LIBRARY [unittest arguments]

Each program of ci/programs is made twice, right and wrong, and run under watch: of the wrong one
just the mistakes are told that its first line names, of the right one none.
MRPROOF_TARGET_DIR names the image of debian-bookworm (ci/test sets it); without it: exit 77.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci/vm"))

from guest_programs import run_programs  # noqa: E402

TARGET = os.environ.get("MRPROOF_TARGET_DIR", "")
SOURCES = sorted((ROOT / "ci/programs").glob("*.c"))
COMPILE = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
UNDER = "/programs/mrproof watch --out /tmp/watched --"
PROGRAM = LIBRARY = ""


def mistakes_of(source):
    """What its first line says that watch finds in the wrong one."""
    line = source.read_text(encoding="utf-8").splitlines()[0]
    return re.fullmatch(r"/\* finds: (.*) \*/", line)[1].split()


class Programs(unittest.TestCase):
    """In a guest."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mrproof-watch-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compiled(self, job):
        source, wrong = job
        out = self.folder / f"{source.stem}-{'wrong' if wrong else 'right'}"
        subprocess.run([*COMPILE, *(["-DWRONG"] if wrong else []), "-s", "-o", out, source,
                        "-libverbs"], check=True)
        return out

    def watched(self, programs):
        """{name: Ended} of programs that ran under watch in the target's guest."""
        return run_programs(TARGET, {path.name: path for path in programs}, limit=60, under=UNDER,
                            files={"mrproof": PROGRAM, "libmrproof-watch.so": LIBRARY})

    def test_mistakes(self):
        jobs = [(source, wrong) for source in SOURCES for wrong in (True, False)]
        with ThreadPoolExecutor(max_workers=2) as pool:
            ended = self.watched(pool.map(self.compiled, jobs))
        self.assertEqual(len(ended), len(jobs))
        for source, wrong in jobs:
            name = f"{source.stem}-{'wrong' if wrong else 'right'}"
            with self.subTest(name):
                told = re.findall(r"^(?:program|provider): (\S+)", ended[name].output, re.M)
                self.assertEqual(told, mistakes_of(source) if wrong else [], ended[name].output)
                self.assertEqual(ended[name].code, 0, ended[name].output)
                self.assertIn(" events seen, ", ended[name].output)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: MRPROOF_TARGET_DIR=IMAGE ci/watch_test.py PROGRAM LIBRARY; see ci/test")
    PROGRAM, LIBRARY = (str(Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    if not TARGET:
        print("skipped: no image; ci/test builds one and names it")
        sys.exit(77)
    unittest.main(verbosity=2)
