#!/usr/bin/env python3
"""Tests of the watching library: what it records, and that a program does not notice it.

    impl/watch/library_test.py LIBRARY [--cost | --large MRPROOF | unittest arguments]

Programs of testing/ run with a libibverbs that does nothing: no RDMA device is needed. With --cost
it prints what a posted request and an empty poll cost; with --large how long `MRPROOF watch` takes
for many objects and requests, and what memory.
"""

import itertools
import os
import re
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILE = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
           "-Wno-missing-field-initializers", "-pthread"]
KINDS = re.findall(r"\w+", re.sub(r"//.*", "", re.search(
    r"enum class Kind.*?\{(.*?)\};", (HERE / "record.hpp").read_text(), re.S)[1]))
ROOM = 2047  # records that a file has room for in mapped memory
ROUNDS = 10000  # of testing/user.c: a request and its completion each
BEGUN = 4  # what each program records first
FILLED = BEGUN + 2 * ROUNDS + 1  # of the mode "fill", with the exit
SLOW, PAUSE = 510, 2000000  # a request that takes time, and how many ns, as do registrations
LIBRARY = BUILT = Path()  # of the library; a folder with what is compiled here
File = namedtuple("File", "pid tid lost lost_since records kinds stacks rest")
Record = namedtuple("Record", "time kind parts result object caller words")
PLUGIN = """import _ctypes, ctypes, sys
plugin = ctypes.CDLL(sys.argv[1])
plugin.main(2, (ctypes.c_char_p * 3)(b"user", sys.argv[2].encode()))
_ctypes.dlclose(plugin._handle)"""


def build(folder):
    """The fake libibverbs, and what uses it: two programs, and one of them as a plugin."""
    (folder / "versions").write_text("IBVERBS_1.1 { global: ibv_*; local: *; };\n")
    library = folder / "libibverbs.so.1"
    for out, source, more in (
            (library, "fake_verbs.c", ["-shared", "-fPIC", f"-Wl,-soname,{library.name}",
                                       f"-Wl,--version-script,{folder}/versions"]),
            (folder / "user", "user.c", [library]), (folder / "cost", "cost.c", [library]),
            (folder / "large", "large.c", [library]), (folder / "loader", "loader.c", []),
            (folder / "user.so", "user.c", ["-shared", "-fPIC", library])):
        subprocess.run([*COMPILE, "-o", out, HERE / "testing" / source, "-Wl,-rpath,$ORIGIN",
                        *more], check=True)


def read(path):
    """An event file: its head, and its records up to the first one that is not there."""
    data = path.read_bytes()
    if not data:
        return File(0, 0, 0, 0, [], [], [], b"")
    magic, version, pid, tid, _, lost, lost_since, since, kept = struct.unpack_from(
        "<8sIIIIQQQQ", data)
    assert (magic, version, path.name) == (b"mrpwatch", 6, f"events.{pid}.{tid}"), path
    assert since == 0, path  # nothing is about to be written any more
    assert kept % (96 * ROOM) == 0, path  # nor cleared
    older = data[96 * (1 + ROOM):]
    data = older[:kept] + data[96:96 * (1 + ROOM)]
    rows = (Record(row[0], KINDS[row[1]], *row[2:6], list(row[6:]))
            for row in struct.iter_unpack("<QHHiQQ8Q", data))
    records = list(itertools.takewhile(lambda r: r.time, rows))
    rest = data[96 * len(records):] + older[kept:]
    stacks = [(of, r) for of, r in zip(records, records[1:]) if r.kind == "stack"]
    assert all((of.parts, of.object, of.time) == (1, r.object, r.time) for of, r in stacks), path
    under = {of.time for of, _ in stacks}
    records = [r._replace(parts=0) if r.time in under else r for r in records if r.kind != "stack"]
    return File(pid, tid, lost, lost_since, records, [r.kind for r in records], stacks, rest)


def run(arguments, watched=None, before=(), **options):
    """Runs a program, under the library if there is a folder to record into."""
    under = [f"LD_PRELOAD={LIBRARY}", f"MRPROOF_WATCH={watched}"] if watched else []
    return subprocess.run([*before, "env", *under, *map(str, arguments)], capture_output=True,
                          text=True, check=False, timeout=60, **options)


def text_of(records, told):
    """A line for each record, with the names that the program told; like ones are counted."""
    names = {value: name for name, (value, _) in told.items() if value > 1 << 20}
    lines = []
    for record in records:
        words = record.words[:-1] if record.kind == "modify_qp" else record.words  # but its end
        words = [names.get(word, f"{word:#x}") for word in (record.object, *words)]
        line = re.sub("( 0x0)+$", "", " ".join([record.kind, *words]))
        for name, value in (("parts", record.parts), ("result", record.result)):
            line += f" {name}={value}" if value else ""
        lines.append(line)
    counted = ((line, len(list(group))) for line, group in itertools.groupby(lines))
    return "".join(f"{line} *{count}\n" if count > 1 else f"{line}\n" for line, count in counted)


class Library(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mrproof-watch-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def ran(self, mode, folder=None, program=(), **options):
        """The program in that mode: it ends and prints just as it does without the library."""
        arguments = [*(program or [BUILT / "user"]), mode]
        alone = run(arguments, **options)
        done = run(arguments, folder or self.folder, **options)
        self.assertEqual((done.returncode, done.stdout), (alone.returncode, alone.stdout))
        self.assertIn(done.returncode, (0, -signal.SIGKILL))
        told = re.findall(r"^(.+) (-?\d+) (\d+)$", done.stderr, re.M)
        self.assertEqual(len(told), len(done.stderr.splitlines()), done.stderr)
        files = [read(path) for path in self.folder.rglob("events.*")]
        self.assertFalse(any(any(file.rest) for file in files))
        return done, {name: (int(value), int(time)) for name, value, time in told}, files

    def ids(self, file, kind="post_send"):
        """Ids of the file's requests, which are in order."""
        times = [record.time for record in file.records]
        self.assertEqual(times, sorted(times))
        return [record.words[0] for record in file.records if record.kind == kind]

    def test_calls(self):
        _, told, (file,) = self.ran("calls")
        self.assertEqual(text_of(file.records, told),
                         (HERE / "testing/calls.txt").read_text(encoding="utf-8"))
        self.assertEqual(file.lost, 0)
        with self.subTest("when"):  # it has made an object or found completions; all else begins
            time = {r.kind: r.time for r in file.records if SLOW in r.words}
            told = {name: time for name, (_, time) in told.items()}
            posted = told["post(kSlow, IBV_SEND_SIGNALED)"]
            dereg = next(r.time for r in file.records if r.kind == "dereg_mr")
            self.assertTrue(told["more"] < time["post_send"] < posted - PAUSE, (time, told))
            self.assertTrue(posted + PAUSE < time["completion"], (time, told))
            modify = next(r for r in file.records if r.kind == "modify_qp")
            self.assertTrue(told["more_cq"] < modify.time < modify.words[-1] < posted, modify)
            region = next(r.time for r in file.records if r.kind == "reg_mr")
            self.assertTrue(told["qp"] + PAUSE < region < told["region"], (region, told))
            self.assertTrue(dereg < told["ibv_dereg_mr(region)"] - PAUSE, (dereg, told))
        with self.subTest("where"):
            maps = (self.folder / f"maps.{file.pid}").read_text(encoding="utf-8")
            first, last = (int(place, 16) for place in re.search(
                rf"^(\w+)-(\w+) r-xp .* {re.escape(str(BUILT))}/user$", maps, re.M).groups())
            self.assertEqual([r for r in file.records[:-1] if not first <= r.caller < last], [])
        with self.subTest("whence"):  # a function of the program, main(), and what starts that
            self.assertEqual({of.kind for of, _ in file.stacks}, {
                "alloc_pd", "dealloc_pd", "reg_mr", "dereg_mr", "alloc_mw", "create_qp",
                "destroy_qp"})
            self.assertEqual([r for _, r in file.stacks if not first <= r.words[0] < last], [])

    def test_extended(self):
        _, told, (file,) = self.ran("extended")
        self.assertEqual(text_of(file.records[BEGUN:], told),
                         (HERE / "testing/extended.txt").read_text(encoding="utf-8"))

    def test_handles(self):
        _, told, (file,) = self.ran("handles")
        self.assertEqual(text_of(file.records[BEGUN:], told),
                         (HERE / "testing/handles.txt").read_text(encoding="utf-8"))

    def test_guarded_memory(self):
        _, told, files = self.ran("guarded", before=["env", "MRPROOF_WATCH_GUARD=1"])
        (file,) = [file for file in files if "open_device" in file.kinds]
        self.assertEqual(text_of(file.records[BEGUN:], told),
                         (HERE / "testing/guarded.txt").read_text(encoding="utf-8"))
        self.assertEqual([other for other in files if other is not file], [])  # no child's

    def test_memory_that_is_not_guarded(self):
        _, _, (file,) = self.ran("guarded")
        self.assertNotIn("touched", file.kinds)

    def check_threads(self, files, last, count=4, rounds=ROUNDS):
        """A file for each thread, with all of its records; `last`: it posts one more at its end."""
        threads = {self.ids(file)[0] // 1000000: file for file in files if self.ids(file)}
        self.assertEqual(sorted(threads), list(range(1, count + 1)))
        for number, file in threads.items():
            ids = list(range(number * 1000000, number * 1000000 + rounds + last))
            self.assertEqual(self.ids(file), ids)
            self.assertEqual(self.ids(file, "completion"), ids[:rounds])
            self.assertEqual((len(file.records), file.lost), (2 * rounds + last, 0))
        return next(file for file in files if file.pid == file.tid), threads.values()

    def test_threads(self):
        _, _, files = self.ran("threads", ".", cwd=self.folder)
        main, threads = self.check_threads(files, last=1)
        self.assertEqual(main.kinds[BEGUN:], ["reg_mr", "dereg_mr", "exit"])
        for file in threads:
            self.assertLess(main.records[BEGUN].time, file.records[0].time)
            self.assertLess(file.records[-1].time, main.records[BEGUN + 1].time)

    def test_many_threads(self):
        _, _, files = self.ran("crowd")
        _, threads = self.check_threads(files, last=1, count=64, rounds=500)
        for file in threads:
            self.assertEqual(file.rest, b"")  # a thread that ends gives back what it did not need

    def test_killed(self):
        done, _, files = self.ran("killed")
        self.assertEqual(done.returncode, -signal.SIGKILL)
        main, _ = self.check_threads(files, last=0)
        self.assertEqual(main.kinds[BEGUN:], ["reg_mr"])

    def test_fork_and_exec(self):
        _, _, files = self.ran("family")
        begun = ["open_device", "alloc_pd", "create_cq", "create_qp"]
        post, end = ["post_send"], ["exit"]
        self.assertEqual({tuple(self.ids(file)): file.kinds for file in files},
                         {(10, 20, 30): begun + 3 * post + end, (1,): post + end, (3,): post + end,
                          (2, 4): post + begun + post + end})

    def test_signal_handler(self):
        _, told, (file,) = self.ran("interrupted")
        posts = 10 * ROUNDS + told["handled"][0]
        self.assertGreater(posts, 10 * ROUNDS)
        self.assertEqual(len(file.records) + file.lost, BEGUN + posts + 1)
        self.assertEqual([r.words[0] for r in file.records].count(8), 10 * ROUNDS)

    def test_many_contexts(self):
        _, _, (file,) = self.ran("contexts")
        # The first one and 511 of the 520 that follow are watched, and then there is no place.
        self.assertEqual([file.kinds.count(kind) for kind in ("open_device", "passed",
                                                              "post_send")], [1041, 9, 511])

    def test_plugin(self):
        _, _, (file,) = self.ran("child", program=[sys.executable, "-c", PLUGIN, BUILT / "user.so"])
        self.assertEqual([kind for kind in file.kinds[BEGUN:] if kind != "unmap"],
                         ["post_send", "exit"])

    def test_functions_taken_by_their_versions(self):
        program = [BUILT / "loader"]
        _, _, (file,) = self.ran(BUILT / "libibverbs.so.1", program=program)
        self.assertEqual(file.kinds, ["open_device", "alloc_pd", "dealloc_pd", "exit"])

    def test_nothing_to_record(self):
        self.assertEqual(self.ran("nothing")[2], [])

    def test_folder_that_cannot_be_written_to(self):
        (self.folder / "file").touch()
        for folder in "/proc", self.folder / "file", self.folder / "missing":
            for mode in "calls", "fill":
                with self.subTest(folder=folder, mode=mode):
                    self.assertEqual(self.ran(mode, folder)[2], [])

    def test_no_room(self):
        limit = ["sh", "-c", 'ulimit -f 390 && exec "$@"', "sh"]  # times 512: the room
        _, _, (file,) = self.ran("fill", before=limit)
        written = len(file.records) + len(file.stacks)
        self.assertEqual((written, file.lost),
                         (ROOM, FILLED + len(file.stacks) - ROOM))
        self.assertGreaterEqual(file.lost_since, file.records[-1].time)

    def test_no_room_for_a_while(self):
        main = next(file for file in self.ran("room")[2] if file.records)
        self.assertEqual(main.kinds[BEGUN:], ["exit"])
        # The thread has no file, so the first one of the process tells.
        self.assertEqual(main.lost, 2 * ROUNDS + 1)
        self.assertTrue(main.records[0].time < main.lost_since < main.records[-1].time)

    def test_no_room_at_first(self):
        late = next(file for file in self.ran("later")[2] if file.records)
        # The main thread has lost all that it did, two stacks and its exit, too.
        self.assertEqual((len(late.records), late.lost), (2 * ROUNDS + 1, BEGUN + 2 + 1))
        self.assertLess(late.lost_since, late.records[0].time)

    def test_full_disk(self):
        (self.folder / "disk").mkdir()
        # In a namespace of its own, so that nothing stays mounted.
        before = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=300k none disk || exit\n"
                  '"$@"; code=$?; cp -r disk copy; exit $code', "sh"]
        tried = run(["true"], before=before, cwd=self.folder)
        if tried.returncode != 0:
            self.skipTest(f"no small disk: {tried.stderr.strip()}; test_no_room has a limit")
        _, _, (file,) = self.ran("fill", self.folder / "disk", before=before, cwd=self.folder)
        written = len(file.records) + len(file.stacks)
        self.assertEqual((written, file.lost),
                         (ROOM, FILLED + len(file.stacks) - ROOM))


def cost(times=7, requests=200000):
    """Medians of ns; nothing is asserted."""
    print("threads             alone   watched   ratio")
    for threads in 1, 2:
        seen = {"": [], "watched": []}
        for watched in [*seen] * times:
            with tempfile.TemporaryDirectory(prefix="mrproof-watch-") as folder:
                done = run([BUILT / "cost", threads, requests], watched and folder)
            seen[watched].append([float(line) for line in done.stdout.split()])
        for i, what in enumerate(("posted request", "empty poll")):
            alone, watched = (statistics.median(row[i] for row in rows) for rows in seen.values())
            print(f"{threads}  {what:14} {alone:5.1f} ns {watched:6.1f} ns {watched / alone:7.1f}")


def large(mrproof):
    """Seconds, and the most memory of the program and of the judge in MiB; nothing is asserted."""
    print("regions   pairs  requests  alone       watched             judged later")
    for sizes in (1, 1000, 1000000), (100000, 1000, 1000000), (1000000, 1000, 1000000):
        with tempfile.TemporaryDirectory(prefix="mrproof-watch-") as folder:
            program = ["env", f"LD_LIBRARY_PATH={BUILT}", BUILT / "large", *sizes]
            watch = [mrproof, "watch", "--out", folder]
            seen = [measured(command) for command in (
                program, [*watch, "--", *program], [*watch, "--from", folder])]
        print("{:7} {:7} {:9}".format(*sizes),
              "  ".join(f"{took:5.2f} s {most:6.1f} MiB" for took, most, _ in seen), seen[1][2])


def measured(command):
    """Seconds, the most memory in MiB, and the last line that it said."""
    begin = time.monotonic()
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True,
                             stderr=subprocess.STDOUT)
    said = child.stdout.read().splitlines() or [""]
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("\n".join(said))
    return time.monotonic() - begin, used.ru_maxrss / 1024, said[-1]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: impl/watch/library_test.py LIBRARY "
                 "[--cost | --large MRPROOF | unittest arguments]")
    LIBRARY = Path(sys.argv.pop(1)).resolve()
    with tempfile.TemporaryDirectory(prefix="mrproof-watch-") as made:
        BUILT = Path(made).resolve()
        build(BUILT)
        if sys.argv[1:] == ["--cost"]:
            cost()
        elif sys.argv[1:2] == ["--large"]:
            large(Path(sys.argv[2]).resolve())
        else:
            unittest.main(verbosity=2)
