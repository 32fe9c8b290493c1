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
import tempfile
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


if __name__ == "__main__":
    unittest.main()
