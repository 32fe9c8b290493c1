#!/usr/bin/env python3
"""Tests what the scripts in ci/ say to wrong input:  scripts_test.py [unittest arguments]

One line that names what is wrong, exit status 2, and nothing made or removed. Nothing is built,
booted or downloaded: programs in mrproof's place do what the test needs.
"""

import contextlib
import functools
import importlib.machinery
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
TARGET = (HERE / "targets/siw.toml").read_text(encoding="utf-8")


@functools.cache
def script_module(name):
    """A script of ci/ as a module: to start Python anew for each call takes most of the time."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Scripts(unittest.TestCase):
    """A folder of its own for each test, and what all of them ask."""

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)

    def file(self, name, content, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path

    def program(self, name, script):
        return self.file(name, f"#!/bin/sh\n{script}\n", 0o755)

    def run_script(self, name, *arguments):
        """(exit status, standard output, standard error)"""
        module, said, complaint = script_module(name), io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", [name, *map(str, arguments)]), \
                contextlib.chdir(self.folder), contextlib.redirect_stdout(said), \
                contextlib.redirect_stderr(complaint):
            try:
                status = module.main() or 0
            except SystemExit as end:
                status = end.code
        return status, said.getvalue(), complaint.getvalue()

    def refuses(self, words, name, *arguments):
        """One line with these words, status 2, and the folder as it was."""
        before = sorted(self.folder.rglob("*"))
        status, said, complaint = self.run_script(name, *arguments)
        self.assertEqual(status, 2, said + complaint)
        self.assertRegex(complaint, rf"\A{name}: .*\n\Z")
        self.assertIn(words, complaint)
        self.assertEqual(sorted(self.folder.rglob("*")), before)


class BuildTarget(Scripts):
    def refuses_target(self, words, description, *more):
        """Should it go on, then not to downloading, or to removing what a name leads to."""
        file = self.file("my.toml", description)
        with mock.patch.object(script_module("build-target"), "Builder",
                               side_effect=AssertionError("it goes on")):
            self.refuses(words, "build-target", file, "--program", "/bin/sh", "--build", "build",
                         *more)

    def test_a_name_is_no_path(self):
        for name in ("../x", "/a", "a/b", "..", ".work", "", "-x", "a b", "a\n"):
            with self.subTest(name=name):
                self.refuses_target("--as: ", TARGET, f"--as={name}")
        for name in ("../x", "/a", "..", "", r"a\n"):
            with self.subTest(name=name):
                self.refuses_target("my.toml: name: ",
                                    TARGET.replace('name = "siw"\n\n[k', f'name = "{name}"\n\n[k'))
        self.refuses_target("my.toml: name of a module: ", TARGET.replace(
            '[[module]]\nname = "siw"', '[[module]]\nname = "../x"'))

    def test_names_that_targets_have(self):
        check = script_module("build-target").check_name
        for name in ("siw", "rdma-core-tree", "siw.custom", "verbs_test", "6.1"):
            check(name, "--as")

    def test_wrong_types(self):
        for words, old, new in (
                ("section kernel is to be a table", TARGET, 'name = "x"\nkernel=5\n'),
                ("section kernel has no suite", TARGET, 'name = "x"\n'),
                ("name is to be a string", 'name = "siw"\n\n[k', "name = 5\n\n[k"),
                ("section kernel: suite is to be a string", 'suite = "bookworm"', "suite = 12"),
                ("kernel: modules is to be a list of strings", 'modules = ["dummy", ',
                 "modules = [1, "),
                ("wait_for_gid is to be true or false", "wait_for_gid = false",
                 'wait_for_gid = "no"'),
                ("is to be a list of tables", "[[module]]", "[module]"),
                ("module 1 has no folder", "folder = ", "folders = "),
                ("section library has no package", "[machine]",
                 '[library]\nsuite = "sid"\n\n[machine]'),
                ("'10.9.9/24' is to be one of IPv4", "10.9.9.1/24", "10.9.9/24")):
            with self.subTest(words=words):
                self.assertIn(old, TARGET)
                self.refuses_target(words, TARGET.replace(old, new))

    def test_own_targets_are_accepted(self):
        describe = script_module("build-target").describe
        for file in (HERE / "targets").glob("*.toml"):
            self.assertEqual(describe(str(file))[0]["name"], file.stem)

    def test_the_last_line_is_the_folder(self):
        module = script_module("build-target")
        file = self.file("my.toml", TARGET)
        for more, folder in (([], "siw"), (["--kernel", "linux.deb"], "siw.custom"),
                             (["--as", "other"], "other")):
            with mock.patch.multiple(module.Builder, fetch=mock.DEFAULT, finish=mock.DEFAULT,
                                     build_base=mock.DEFAULT, build_initrd=mock.DEFAULT):
                status, said, _ = self.run_script("build-target", file, "--program", "/bin/sh",
                                                  "--build", "build", *more)
            self.assertEqual(status, 0)
            self.assertEqual(said.splitlines()[-1],
                             str(self.folder.resolve() / "build/targets" / folder))


class Modules(Scripts):
    """Kernel modules from a distribution's sources, with a program in the compiler's place."""

    def source(self, suite="sid", package="linux-source"):
        build_target = script_module("build-target")
        with mock.patch.object(build_target.packages, "host_release", return_value="bookworm"):
            return build_target.ModuleSource(self.folder / "work", suite, "7.2-amd64", package,
                                             "drivers/siw")

    def archive(self, version):
        driver = self.file(f"linux-source-{version}/drivers/siw/siw.c", "int siw;\n")
        file = self.folder / f"work/tree/usr/src/linux-source-{version}.tar.xz"
        file.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(file, "w:xz") as tar:
            tar.add(driver, driver.relative_to(self.folder))

    def build(self, program, script):
        """What is said when the program, found before others of its name, fails so."""
        self.program(f"bin/{program}", script)
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        with mock.patch.dict(os.environ, {"PATH": path}), self.assertRaises(Exception) as raised:
            self.source("sid" if program == "unshare" else "bookworm").build("siw", [])
        return f"{type(raised.exception).__name__}: {raised.exception}"

    def test_whose_compiler(self):
        for suite, foreign in (("bookworm", False), ("bookworm-backports", False),
                               ("trixie", True), ("sid", True)):
            with self.subTest(suite=suite):
                self.assertEqual(self.source(suite).foreign, foreign)

    def test_the_newest_source_has_a_version_in_its_name(self):
        self.archive("7.2")
        self.source()._unpack_source()
        self.assertEqual((self.folder / "work/original/siw.c").read_text(), "int siw;\n")
        self.archive("7.3")
        for package in ("linux-source", "linux-source-6.1"):
            with self.assertRaisesRegex(Exception, f"{package} of sid has no source"):
                self.source(package=package)._unpack_source()

    def test_what_fails(self):
        self.assertEqual(self.build("make", "echo 'siw.c:1: error: no'; exit 2"),
                         "BuildError: siw.c:1: error: no")
        self.assertEqual(self.build("unshare", "echo 'siw.c:1: error: no'; exit 2"),
                         "BuildError: siw.c:1: error: no")
        self.assertRegex(self.build("unshare", "echo 'unshare: unshare failed: no' >&2; exit 1"),
                         "TargetError: unshare: unshare failed: no; .*run as root")


class BuildImage(Scripts):
    """build_image of ci/lib.sh, with a program in the place of build-target."""

    def build_image(self, script):
        (self.folder / "ci").mkdir(exist_ok=True)
        shutil.copy(HERE / "lib.sh", self.folder / "ci")
        self.program("ci/build-target", script)
        use = self.program("use", "")
        use.write_text("#!/bin/bash\nset -euo pipefail\n. ci/lib.sh\n"
                       'phase image build_image elsewhere/file.toml release --kernel "a b"\n'
                       'echo "image=$image"\n', encoding="utf-8")
        return subprocess.run([use], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "FOLDER": str(self.folder)})

    def test_takes_the_folder_that_build_target_names(self):
        named = self.folder / "build/targets/name in it"
        named.mkdir(parents=True)
        done = self.build_image(f'echo "$5-$7"; echo complaint >&2; echo "{named}"')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"build-a b\n{named}\nimage={named}\n")
        self.assertEqual(done.stderr, "complaint\n")

    def test_a_failed_build_is_told(self):
        done = self.build_image('echo "$FOLDER"; exit 2')
        self.assertEqual((done.returncode, done.stderr), (
            2, "use: the image of target elsewhere/file.toml could not be built\n"))

    def test_no_folder_is_told(self):
        done = self.build_image("echo 'done'")
        self.assertEqual(done.returncode, 2)
        self.assertIn("last line is no folder", done.stderr)


class Mirrors(Scripts):
    """Which of the archives that a machine is configured with is Debian's."""

    def chosen(self, host, *rows, beside=None):
        packages = script_module("build-target").packages
        with mock.patch.multiple(packages, host_release=lambda: host,
                                 security_beside=lambda main: beside and main + beside,
                                 run=lambda *_: "".join(f"{row}\n" for row in rows)), \
                mock.patch.dict(os.environ):
            os.environ.pop("MRPROOF_MIRROR", None)
            return packages.mirrors()

    def test_whose_archive(self):
        other, debian, security = "http://a/deb/", "http://b/debian/", "http://b/security/"
        for host, rows, wanted in (
                ("trixie", (f"{other} trixie main", f"{debian} trixie main",
                            f"{debian} trixie-updates main", f"{security} trixie-security main"),
                 (debian, security)),
                ("forky", (f"{other} stable main", f"{debian} sid main"), (debian, None)),
                ("bookworm", (f"{other} stable main", f"{debian} oldstable main",
                              f"{debian} oldstable-updates main"), (debian, None)),
                ("bookworm", (f"{debian} stable main",), (debian, None))):
            with self.subTest(rows=rows):
                self.assertEqual(self.chosen(host, *rows), wanted)
        self.assertEqual(self.chosen("sid", f"{debian} sid main", beside="-security"),
                         (debian, f"{debian}-security"))
        with self.assertRaisesRegex(Exception, "no Debian archive"):
            self.chosen("sid", f"{other} any main")


class NewerLibraries(Scripts):
    """What of the machine's libraries goes into a guest, with scripts in the loaders' place."""

    NAMES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libnl-3.so.200", "libibverbs.so.1")

    def userspace(self, name, c_library, cpp_library, more=()):
        folder = self.folder / name / "lib64"
        folder.mkdir(parents=True)
        (folder / "ld-linux-x86-64.so.2").symlink_to("/lib64/ld-linux-x86-64.so.2")
        self.program(f"{name}/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
                     f"echo 'ld.so version {c_library}.'")
        for file in (*self.NAMES, f"libstdc++.so.6.0.{cpp_library}", "libstdc++.so.6", *more):
            self.file(f"{name}/usr/lib/x86_64-linux-gnu/{file}", name)
        return script_module("build-target").image.Userspace(self.folder / name)

    def taken(self, own, machine):
        """The names of what comes from a machine with these releases, and what is said."""
        userspace, said = self.userspace("suite", *own), []
        userspace.take(self.userspace("machine", *machine, ["libresolv.so.2"]), said.append)
        found = {file.name for file in userspace.folders[0].glob("*")}
        for file in userspace.folders[0].glob("lib*"):
            self.assertEqual(file.read_text(), "machine")
        self.assertEqual(userspace.loader.parent.name == "of-the-machine", "libc.so.6" in found)
        self.assertEqual(len(said), ("libc.so.6" in found) + ("libgcc_s.so.1" in found))
        return found

    def test_each_group_where_it_is_newer(self):
        c_library = {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libresolv.so.2"}
        compiler = {"libgcc_s.so.1", "libstdc++.so.6"}
        for own, machine, taken in (
                (("2.36", 30), ("2.36", 30), set()), (("2.41", 33), ("2.36", 30), set()),
                (("2.36", 30), ("2.41", 33), c_library | compiler),
                (("2.9", 30), ("2.10", 30), c_library), (("2.36", 9), ("2.36", 10), compiler)):
            with self.subTest(own=own, machine=machine):
                shutil.rmtree(self.folder / "suite", ignore_errors=True)
                shutil.rmtree(self.folder / "machine", ignore_errors=True)
                self.assertEqual(self.taken(own, machine), taken)

    def test_a_suite_without_them(self):
        userspace = self.userspace("suite", "", 1)
        (self.folder / "suite/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.1").unlink()
        self.assertEqual(userspace.releases(), ([], []))

    def test_the_machines_own(self):
        machine = script_module("build-target").image.Userspace(Path("/"))
        self.assertGreater(machine.releases()[0], [2, 30])


class FreshHosts(Scripts):
    """With a script in the place of what makes namespaces, debootstrap and the commands."""

    SCRIPT = """case $* in
    *debootstrap*trixie*) echo "E: no trixie"; exit 1 ;;
    *debootstrap*) mkdir -p "$5/etc/apt/apt.conf.d" ;;
    */sid*ci/test*) echo "1 passed, 1 failed"; exit 3 ;;
    *--sleep*) exec sleep 60 ;;
    *) shift 6; echo "first"; echo "called: $*" ;;
esac"""

    def setUp(self):
        super().setUp()
        self.module = script_module("fresh-hosts")
        for name, value in (("HERE", self.folder / "ci"), ("run", lambda *_: ""),
                            ("PRIVATE", [self.program("private", self.SCRIPT)])):
            self.replace(self.module, name, value)
        self.replace(self.module.os, "geteuid", lambda: 0)
        self.replace(self.module.packages, "mirrors", lambda: ("mirror", None))
        self.replace(self.module.signal, "signal", lambda *_: None)
        self.program("ci/install", "exit 0")

    def replace(self, module, name, value):
        patch = mock.patch.object(module, name, value)
        patch.start()
        self.addCleanup(patch.stop)

    def test_refusals(self):
        self.refuses("no release jessie; known are bookworm,", "fresh-hosts", "sid", "jessie")
        self.refuses("debootstrap of trixie: E: no trixie; see ", "fresh-hosts", "trixie")
        self.replace(self.module.os, "geteuid", lambda: 1000)
        self.refuses("run it as root", "fresh-hosts")

    def refuses(self, words, *arguments):
        (self.folder / "build/fresh-hosts").mkdir(parents=True, exist_ok=True)
        (self.folder / "build/fresh-hosts/trixie-debootstrap.log").touch()
        super().refuses(words, *arguments)

    def test_a_line_for_each(self):
        status, said, complaint = self.run_script("fresh-hosts", "sid", "bookworm")
        self.assertEqual((status, complaint), (1, ""))
        self.assertRegex(said, r"""\Asid      ci/conformance: status 0, \d+ s: called: .*
sid      ci/test: status 3, \d+ s: 1 passed, 1 failed
bookworm ci/conformance: status 0, .*
bookworm ci/test: status 0, .*
\Z""")
        log = self.folder / "build/fresh-hosts/sid-conformance.log"
        self.assertTrue(log.read_text().startswith("first\ncalled: "))

    def test_one_command_with_arguments(self):
        status, said, _ = self.run_script("fresh-hosts", "sid", "--command", "conformance", "--",
                                          "--quick", "--seed", "7")
        self.assertEqual((status, said.count("\n")), (0, 1))
        self.assertIn("ci/conformance --quick --seed 7\n", said)

    def test_the_limit(self):
        status, said, _ = self.run_script("fresh-hosts", "sid", "--command=conformance",
                                          "--limit=1", "--", "--sleep")
        self.assertEqual((status, said), (1, "sid      ci/conformance: killed after 1 s: \n"))


class Findings(Scripts):
    """With scripts in the place of build-target and mrproof."""

    REPLAY = """case $1-$2 in
    report-*) mkdir -p "$4" && touch "$4/repro.c" ;;
    *F1-*) echo "reproduced: hang send" ;;
    *F3-*) echo "not reproduced: deviates send"; exit 1 ;;
    *F15-*) exit 4 ;;
    *) echo "not reproduced: deviates send" ;;
esac"""

    def setUp(self):
        super().setUp()
        self.module = script_module("findings")
        self.file("image/target.json", '{"driver": "rxe", "kernel": "7.9"}')
        self.program("ci/build-target", f"echo {self.folder}/image")
        self.mrproof = self.program("mrproof", self.REPLAY)
        patch = mock.patch.object(self.module, "HERE", self.folder / "ci")
        patch.start()
        self.addCleanup(patch.stop)

    def traces(self, *words):
        found = [path for path in self.module.findings.traces()
                 if path.name.startswith(words)]
        patch = mock.patch.object(self.module.findings, "traces", lambda: found)
        patch.start()
        self.addCleanup(patch.stop)

    def called(self, *more):
        return self.run_script("findings", "--program", self.mrproof, "--build", "build", "--out",
                               "out", "debian-bookworm", *more)

    def test_a_line_for_each(self):
        self.traces("F1-", "F3-", "F15-", "F23-", "F41-fenced-request")
        status, said, complaint = self.called()
        self.assertEqual((status, complaint), (0, ""))
        self.assertRegex(said, r"""\Adebian-bookworm still there  F1-.*: seen there before
debian-bookworm changed      F3-.*: seen there before
debian-bookworm not made     F15-.*: not seen there before
debian-bookworm gone         F41-.*: seen there before
out/findings.md
\Z""")
        table = (self.folder / "out/findings.md").read_text(encoding="utf-8")
        self.assertIn("debian-bookworm, 7.9 |", table)
        self.assertIn("F3-receive-too-short | **changed** |", table)
        self.assertEqual([path.parent.name for path in self.folder.rglob("repro.c")],
                         ["F1-failed-send-never-completes"])

    def test_one_that_takes_too_long(self):
        self.traces("F1-", "F3-")
        self.program("mrproof", "case $2 in *F1-*) exec sleep 9; esac; echo; exit 1")
        with mock.patch.object(self.module, "LIMIT", 1):
            self.assertRegex(self.called()[1], "not ended    F1-.*\n.* changed      F3-")

    def test_what_cannot_be_tried(self):
        self.traces("F1-")
        self.program("mrproof", "echo 'mrproof: no such thing' >&2; exit 2")
        status, _, complaint = self.called()
        self.assertEqual(status, 2)
        self.assertRegex(complaint, r"\Afindings: F1-.* on debian-bookworm: mrproof: no such")
        self.program("ci/build-target", "echo 'build-target: no network' >&2; exit 2")
        self.assertEqual(self.called()[::2], (2, "findings: build-target: no network\n"))


class PrivateMounts(Scripts):
    """What is mounted and runs for a fresh host is gone with it, even if it had to be killed."""

    @staticmethod
    def runs(command):
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if file.read_bytes() == command:
                    return True
        return False

    def test_nothing_is_left(self):
        module, log = script_module("fresh-hosts"), self.folder / "log"
        (self.folder / "root").mkdir()
        script = 'mount -t tmpfs none "$0" && echo mounted && sleep 61.5; :'
        command = [*module.PRIVATE, "sh", "-c", script, self.folder / "root"]
        status, _ = module.ended(command, log, 2)
        if status is not None:
            self.skipTest(f"no namespaces here: {log.read_text()}")
        self.assertEqual(log.read_text(), "mounted\n")
        self.assertNotIn(str(self.folder), Path("/proc/mounts").read_text(encoding="utf-8"))
        for _ in range(50):  # the kernel takes a moment to end a namespace's processes
            if not self.runs(b"sleep\x0061.5\0"):
                return
            time.sleep(0.1)
        self.fail("what ran there still runs")


class GateCheck(Scripts):
    def refuses_gate(self, words, program, report="report", fails="fails.txt"):
        self.refuses(words, "gate-check", "--program", program, report, fails)

    def test_what_cannot_be_read_or_run(self):
        self.file("report/report.json", "{}")
        self.file("fails.txt", "# None.\n")
        self.refuses_gate("nosuch: No such file", "nosuch")
        self.refuses_gate("none.txt: No such file", "/bin/true", fails="none.txt")
        self.refuses_gate("none: has no report.json", "/bin/true", report="none")
        self.file("binary.txt", b"\xff\xfe")
        self.refuses_gate("binary.txt: is no text in UTF-8", "/bin/true", fails="binary.txt")
        for content in ("", '{"half": ', "[]", b"\xff"):
            self.file("broken/report.json", content)
            self.refuses_gate("broken/report.json: is no report", "/bin/true", report="broken")

    def test_what_mrproof_refuses(self):
        """Its words are told, of the file that was given in place of the copy."""
        self.file("report/report.json", "{}")
        self.file("fails.txt", "no entry\n")
        program = self.program("mrproof", 'echo "progress"; echo "mrproof: $7:1: wrong"; exit 2')
        self.refuses_gate("gate-check: mrproof: fails.txt:1: wrong\n", program)


class MutationScore(Scripts):
    def refuses_score(self, words, *more, program="/bin/true"):
        """Should it go on, then not to building an image."""
        with mock.patch.object(script_module("mutation-score").Score, "_image",
                               side_effect=AssertionError("it goes on")):
            self.refuses(words, "mutation-score", "--program", program, "--build", "build",
                         "--out", "table.md", *more)

    def test_no_program(self):
        self.file("no-program", "text")
        for program in ("nosuch", "./nosuch", "./no-program", "."):
            self.refuses_score(f"no program {program};", program=program)

    def test_mutants_that_are_none(self):
        whole = (HERE / "mutants/rxe-6.1.toml").read_text(encoding="utf-8")
        for words, content in (
                ("mine.toml: has no target", ""),
                ("mine.toml: has no target", whole.replace('target = "debian-bookworm"', "")),
                ("mine.toml: has no settings", whole.replace("settings = [", "set = [")),
                ("mine.toml: has no mutants", whole.split("[[mutant]]", maxsplit=1)[0]),
                ("mine.toml: mutant 1 (region-start-unchecked) has no file",
                 whole.replace('file = "rxe_mr.c"', "file = 1", 1)),
                ("mine.toml: ", b"\xff")):
            with self.subTest(words=words):
                self.refuses_score(words, "--mutants", self.file("mine.toml", content))
        nowhere = self.file("mine.toml", whole.replace('"debian-bookworm"', '"nowhere"'))
        self.refuses("no target nowhere;", "mutation-score", "--program", "/bin/true", "--build",
                     "build", "--mutants", nowhere)
        self.refuses_score("none.toml: No such file", "--mutants", "none.toml")
        self.refuses_score("no mutant has that name", "--only", "nothing")


class MutantTables(Scripts):
    """The tables say what --full is; those in the tree were written by these scripts."""

    def test_real_driver(self):
        module = script_module("mutation-score")
        plan = {"source": "rxe", "source_package": "linux", "target": "here", "mutant": [
            {"id": "one", "rule": "a rule"}, {"id": "same", "rule": "none", "equivalent": "why"}]}
        killed = {"ended": "killed", "what": "told", "case": "a case"}
        survived = {"ended": "survived", "what": "", "case": ""}
        results = {"one": {"quick": survived, "full": killed}, "same": {"quick": survived}}
        text = module.table(plan, results)
        self.assertIn("- killed by `--full`: 1 (100.0 %; what `--quick` kills is not run again)\n"
                      f"\n{module.FULL}\n\n| mutant |", text)
        results["one"] = {"quick": killed}
        self.assertNotIn("--full", module.table(plan, results))
        written = (HERE / "mutants/RESULTS.md").read_text(encoding="utf-8")
        self.assertIn(f"\n\n{module.FULL}\n\n| mutant |", written)

    def test_all_are_equivalent(self):
        plan = {"source": "", "source_package": "", "target": "", "mutant": [
            {"id": "same", "rule": "none", "equivalent": "why"}]}
        text = script_module("mutation-score").table(plan, {"same": {"quick": {
            "ended": "survived", "what": "", "case": ""}}})
        self.assertIn("killed by `--quick`: 0 (0.0 %)", text)


RULES = """{"conditions": [{"condition": "live", "clauses": ["a"]}],
 "rules": [{"rule": "send.ok", "verb": "send", "clauses": ["b"], "left_open": [],
            "requires": ["live"], "reasons": []}]}"""
REPORT = """{"rules": [{"rule": "send.ok", "judged": 1234}],
 "target": {"driver": "rxe", "kernel": "6.1"}}"""


class FeatureTable(Scripts):
    def test_table(self):
        rules, report = self.file("rules.json", RULES), self.file("report.json", REPORT)
        status, said, complaint = self.run_script("feature-table", rules, report, report)
        self.assertEqual((status, complaint), (0, ""))
        self.assertEqual(said.splitlines()[2],
                         "| `send` | 1 | 2 | 1,234 ok, 0 otherwise | 1,234 ok, 0 otherwise |")

    def test_page(self):
        page = (HERE.parent / "docs/coverage.md").read_text(encoding="utf-8")
        feature_table = script_module("feature-table")
        table = page.partition(feature_table.BEGIN)[2].partition(feature_table.END)[0]
        self.assertIn("| verb | rules | clauses |", table)

    def test_files_that_are_others(self):
        rules, report = self.file("rules.json", RULES), self.file("report.json", REPORT)
        self.refuses("none.json: No such file", "feature-table", "none.json", report, report)
        self.refuses("report.json: has no rules and conditions", "feature-table", report, report,
                     report)
        simulated = self.file("sim.json", REPORT.replace("target", "other"))
        self.refuses("sim.json: has no rules and target", "feature-table", rules, report,
                     simulated)
        for content in (b"\xff\0", "", "{"):
            wrong = self.file("wrong.json", content)
            self.refuses("wrong.json: is no JSON", "feature-table", rules, wrong, report)
        older = self.file("older.json", REPORT.replace("send", "recv"))
        self.refuses("do not belong together ('send.ok')", "feature-table", rules, older, report)

    def test_usage(self):
        self.assertEqual(self.run_script("feature-table")[0], 2)
        self.assertEqual(self.run_script("feature-table", "--wirte", "a", "b", "c")[0], 2)


class Others(Scripts):
    def test_count_tests(self):
        self.refuses("name one file", "count-tests")
        junit = self.file("junit.xml", '<testsuite><testcase status="run"/></testsuite>')
        self.assertEqual(self.run_script("count-tests", junit), (0, "1 passed, 0 failed\n", ""))
        failed = self.file("failed.xml", '<testsuite><testcase name="a" status="fail">'
                           "<system-out>one\ntwo</system-out></testcase></testsuite>")
        self.assertEqual(self.run_script("count-tests", failed),
                         (1, "0 passed, 1 failed\n", "a failed:\n  one\n  two\n"))
        status, said, _ = self.run_script("count-tests", "none.xml")
        self.assertEqual((status, said), (1, "0 passed, 0 failed\n"))

    def test_rereg_codes(self):
        self.refuses("NAME=FOLDER", "rereg-codes")
        self.refuses("NAME=FOLDER", "rereg-codes", "rxe")
        for content in ("[]\n", "{}\n", "half"):
            self.file("report/journal.jsonl", content)
            self.refuses("with a journal", "rereg-codes", "rxe=report")
        self.refuses("none/journal.jsonl", "rereg-codes", "rxe=none")


if __name__ == "__main__":
    unittest.main()
