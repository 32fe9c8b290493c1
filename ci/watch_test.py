#!/usr/bin/env python3
"""Tests of mrproof watch on a real driver in the virtual machine.

    ci/watch_test.py PROGRAM LIBRARY [--on TARGET] [unittest arguments]

Each program of ci/programs is made twice, right and wrong, and run under watch: of the wrong one
just the mistakes are told that its first line names, of the right one none.
MRPROOF_TARGET_DIR names the image of debian-bookworm (ci/test sets it), and
MRPROOF_OTHER_TARGET_DIRS those of others, separated by colons; without the one that is meant: exit
77.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "ci/vm"), str(ROOT / "ci/mutants")]

import packages  # noqa: E402
import pyverbs  # noqa: E402
from guest_programs import run_programs  # noqa: E402

TARGET = os.environ.get("MRPROOF_TARGET_DIR", "")
SOURCES = sorted((ROOT / "ci/programs").glob("*.c"))
SCRIPTS = sorted((ROOT / "ci/programs/packaged").glob("*.sh"))
COMPILE = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
UNDER = "/programs/mrproof watch --out /tmp/watched-$name --"
PROGRAM = LIBRARY = ""


def mistakes_of(source):
    """What its first line says that watch finds in the wrong one; nothing where the next one says
    that it is not found on this target."""
    lines = source.read_text(encoding="utf-8").splitlines()
    if re.fullmatch(rf"/\* not on: {Path(TARGET).name}  \S.* \*/", lines[1]):
        return []
    return re.fullmatch(r"/\* finds: (.*) \*/", lines[0])[1].split()


def needs_guard(source):
    """Whether its second line says that only `watch --guard` finds it."""
    return source.read_text(encoding="utf-8").splitlines()[1] == "/* with: --guard */"


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

    def watched(self, programs, under):
        """{name: Ended} of programs that ran under watch in the target's guest."""
        return run_programs(TARGET, {path.name: path for path in programs}, limit=60, under=under,
                            files={"mrproof": PROGRAM, "libmrproof-watch.so": LIBRARY})

    def test_mistakes(self):
        ended = self.check_all([s for s in SOURCES if not needs_guard(s)], UNDER)
        # Where an object was made, and whence that was called: helpers of pair.h, and main().
        self.assertRegex(ended["local_range-wrong"].output,
                         r"registered by \S+-wrong\+0x\w+, called by \S+-wrong\+0x")

    def test_mistakes_with_guarded_memory(self):
        """The same, and those that are found so only."""
        self.check_all(SOURCES, UNDER.replace("watch", "watch --guard", 1))

    def check_all(self, sources, under):
        jobs = [(source, wrong) for source in sources for wrong in (True, False)]
        with ThreadPoolExecutor(max_workers=2) as pool:
            ended = self.watched(pool.map(self.compiled, jobs), under)
        self.assertEqual(len(ended), len(jobs))
        for source, wrong in jobs:
            name = f"{source.stem}-{'wrong' if wrong else 'right'}"
            with self.subTest(name):
                told = re.findall(r"^(?:program|provider): (\S+)", ended[name].output, re.M)
                self.assertEqual(told, mistakes_of(source) if wrong else [], ended[name].output)
                self.assertEqual(ended[name].code, 0, ended[name].output)
                self.assertIn(" events seen, ", ended[name].output)
        return ended

    def test_the_providers_mistake_is_shown_alone(self):
        """F10, by a trace that was cut out of what the program did."""
        script = self.folder / "cut"
        script.write_text("#!/bin/busybox sh\n/programs/mrproof watch --out /tmp/cut -- "
                          "/programs/wrong\n/bin/busybox cat /tmp/cut/provider-1.mrt\n",
                          encoding="utf-8")
        wrong = self.compiled((ROOT / "ci/programs/window_range.c", True))
        ended = run_programs(TARGET, {"cut": script}, limit=60, files={
            "mrproof": PROGRAM, "libmrproof-watch.so": LIBRARY, "wrong": wrong})["cut"]
        self.assertIn("shown alone by: provider-1.mrt", ended.output)
        trace = self.folder / "provider-1.mrt"
        trace.write_text(ended.output[ended.output.index("# mrproof trace v1"):], encoding="utf-8")
        done = subprocess.run([PROGRAM, "replay", "--target", TARGET, trace], text=True,
                              capture_output=True, check=False)
        self.assertRegex(done.stdout, r"reproduced: deviates \S+\.ok accepted \S*through_window",
                         done.stderr)

    def test_told_while_the_program_runs(self):
        source = ROOT / "ci/programs/local_range.c"
        script = self.folder / "lingers"
        script.write_text("#!/bin/busybox sh\n/programs/wrong\nexec /bin/busybox sleep 1000\n",
                          encoding="utf-8")
        under = UNDER.replace("watch", "watch --stop-at-first", 1)
        ended = run_programs(TARGET, {"lingers": script}, limit=60, under=under,
                             files={"mrproof": PROGRAM, "libmrproof-watch.so": LIBRARY,
                                    "wrong": self.compiled((source, True))})["lingers"]
        self.assertEqual(ended.code, 128 + signal.SIGTERM, ended.output)
        told = re.findall(r"^(?:program|provider): (\S+)", ended.output, re.M)
        self.assertEqual(told, mistakes_of(source), ended.output)


class Packages(unittest.TestCase):
    """Programs of the distribution's packages, both ends of each in one script of
    ci/programs/packaged: they say under watch what they say without, and nothing is found but what
    the script names."""

    PACKAGES = ["ibverbs-utils", "rdmacm-utils", "perftest", "ucx-utils", "libfabric-bin",
                "openmpi-bin", "netpipe-openmpi", "dapl2-utils", "qperf", "libgloo-dev",
                "ibverbs-providers"]
    # Of what they depend on, where the image lacks it.
    PARTS = re.compile(r"(libc6|zlib1g)$|lib(atomic|dapl|esmtp|event|fabric|gomp|hwloc15|ibmad"
                       r"|gloo|hiredis|ibumad|munge|numa|openmpi|pci3|pmix|prrte|psm|ssl|ucc|ucx"
                       r"|udev|uuid|uv1)")
    # Under the name by which programs ask for it.
    LIBRARY = re.compile(r"libhiredis\.so\.[0-9.]+|lib.+\.so\.[0-9]+")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mrproof-watch-")
        self.addCleanup(folder.cleanup)
        with open(ROOT / f"ci/targets/{Path(TARGET).name}.toml", "rb") as file:
            suite = tomllib.load(file)["userspace"]["suite"]
        rows = packages.fetch(suite, self.PACKAGES, self.PARTS, ROOT / "build/downloads", print)
        root = Path(folder.name) / "root"
        packages.unpack(rows, ROOT / "build/downloads", root, print)
        self.files = {f"tools/{path.name}": path for path in (root / "usr/bin").iterdir()
                      if path.is_file()}
        initrd = Path(TARGET, "initrd").read_bytes()
        self.files |= {f"lib/{name[0]}": path for path in root.rglob("lib*.so.*")
                       if not path.is_symlink() and (name := self.LIBRARY.match(path.name))
                       and f"/{name[0]}\0".encode() not in initrd}
        self.files |= {f"lib/openmpi3/{path.name}": path for path in root.rglob("mca_*.so")}
        self.files |= {f"lib/ucx/{path.name}": path for path in root.rglob("ucx/lib*.so.0")}
        self.files |= {"mrproof": PROGRAM, "libmrproof-watch.so": LIBRARY,
                       "tools/gloo_allreduce": self.compiled(root)}

    @staticmethod
    def compiled(root):
        """The program for gloo, which has none in its packages."""
        [library] = root.rglob("libgloo.so.0")
        program = root / "gloo_allreduce"
        subprocess.run(["c++", "-std=c++20", "-O1", "-static-libstdc++", "-static-libgcc",
                        f"-I{root}/usr/include", "-o", program,
                        ROOT / "ci/programs/packaged/gloo_allreduce.cc", library,
                        "-Wl,--allow-shlib-undefined"], check=True)
        return program

    def ended(self, under):
        environment = ("/bin/busybox env PATH=/programs/tools:/bin LD_LIBRARY_PATH=/programs/lib "
                       "UCX_MODULE_DIR=/programs/lib/ucx")
        return run_programs(TARGET, {path.stem: path for path in SCRIPTS}, limit=60,
                            under=f"{environment} {under}", files=self.files)

    def test_same_and_nothing_made_up(self):
        plain, watched = self.ended(""), self.ended(UNDER)
        for script in SCRIPTS:
            with self.subTest(script.stem):
                text = script.read_text(encoding="utf-8")
                one, other = plain[script.stem], watched[script.stem]
                finds, says = re.search(r"^# finds:(.*)\n# says: (.*)$", text, re.M).groups()
                name = re.escape(Path(TARGET).name)
                here = re.search(rf"^# finds on {name}:(.*)$", text, re.M)
                finds = here[1] if here else finds
                if re.search(rf"^# not on: {name}  \S", text, re.M):
                    self.assertFalse(one.code == 0 and says in one.output,
                                     "it works on this target: take the line `not on` out")
                    continue
                self.assertEqual((one.code, other.code), (0, 0), one.output + other.output)
                self.assertIn(says, one.output)
                self.assertIn(says, other.output)
                told = re.findall(r"^(?:program|provider): (\S+)", other.output, re.M)
                self.assertEqual(told, finds.split(), other.output)
                print(script.stem, other.output.splitlines()[-1])


class Pyverbs(unittest.TestCase):
    """rdma-core's own tests in Python, of which some make mistakes on purpose: just these are told,
    and the tests come to what they come to without."""

    MISTAKES = [
        "atomic_fetch_and_add.local_key_live", "atomic_fetch_and_add.remote_key_live",
        "atomic_fetch_and_add.remote_right", "atomic_fetch_and_add.pair_accepts",
        "reg_mr.remote_write_has_local_write",
        "post_recv.queue_has_room", "post_recv.elements_fit",
        "rdma_write.remote_key_live",  # of windows that were invalidated
        "rdma_write.remote_right",     # a window that is bound without it first
        "post_send.qp_ready",
    ]

    def test_mistakes_made_on_purpose(self):
        with open(ROOT / f"ci/targets/{Path(TARGET).name}.toml", "rb") as file:
            suite = tomllib.load(file)["userspace"]["suite"]
        with tempfile.TemporaryDirectory(prefix="mrproof-watch-") as folder:
            peer = pyverbs.Peer(suite, "rxe0", ROOT / "build/downloads", Path(folder), print)
            plain, why = peer.run(TARGET)
            self.assertEqual(why, "")
            console = peer.console(TARGET, UNDER.replace("$name", "pyverbs"),
                                   {"mrproof": PROGRAM, "libmrproof-watch.so": LIBRARY})
        self.assertGreater(len(pyverbs.passed(plain)), 50)
        self.assertEqual(peer.outcomes(console), (plain, ""))
        # What the tests say comes between, without an end of line.
        told = re.findall(r"(?:^|\.\.\. )(program|provider): (\w+\.\w+)$", console, re.M)
        self.assertEqual(sorted(told), sorted(("program", name) for name in self.MISTAKES), console)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: MRPROOF_TARGET_DIR=IMAGE ci/watch_test.py PROGRAM LIBRARY; see ci/test")
    PROGRAM, LIBRARY = (str(Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    if sys.argv[1:2] == ["--on"]:
        others = os.environ.get("MRPROOF_OTHER_TARGET_DIRS", "").split(":")
        TARGET = next((path for path in others if Path(path).name == sys.argv[2]), "")
        del sys.argv[1:3]
    if not TARGET:
        print("skipped: no image; ci/test builds one and names it")
        sys.exit(77)
    unittest.main(verbosity=2)
