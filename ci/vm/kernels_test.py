#!/usr/bin/env python3
"""Tests that a kernel is built of its source once, and again where source or settings change; and
what is said of settings that it does not take.

The source is a makefile here, in place of Linux's.
"""

import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import kernels  # noqa: E402
import packages  # noqa: E402

MAKEFILE = """
tinyconfig:
\techo CONFIG_TINY=y >$(O)/.config
olddefconfig:
\tsed -i /UNKNOWN/d $(O)/.config
bzImage:
\t@test ! -e broken || { echo "x.c:1: error: no such thing" >&2; exit 1; }
\techo compiled; echo built >>$(O)/../../builds
modules:
"""
MERGE = '#!/bin/sh\ncat "$5" >>"$4"\n'


class BuiltKernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mrproof-kernel-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.settings = self.folder / "checks.config"
        self.settings.write_text("# why\nCONFIG_CHECKS=y\n")
        self.version, self.broken = "6.1.1-1", False
        for name, replacement in ("fetch", self.fetch), ("unpack", self.unpack):
            patch = mock.patch.object(packages, name, replacement)
            patch.start()
            self.addCleanup(patch.stop)

    def fetch(self, *_arguments):
        return [{"package": "linux-source-6.1", "version": self.version}]

    def unpack(self, _rows, _downloads, folder, _say):
        source = self.folder / "linux-source-6.1"
        (source / "scripts/kconfig").mkdir(parents=True, exist_ok=True)
        (source / "Makefile").write_text(MAKEFILE)
        merge = source / "scripts/kconfig/merge_config.sh"
        merge.write_text(MERGE)
        merge.chmod(0o755)
        if self.broken:
            (source / "broken").touch()
        place = folder / "usr/src"
        place.mkdir(parents=True)
        with tarfile.open(place / "linux-source-6.1.tar.xz", "w:xz") as tar:
            tar.add(source, source.name)

    def tree(self):
        """Where it was built."""
        kernel = kernels.BuiltKernel(self.folder / "kernel", "bookworm", "linux-source-6.1",
                                     self.settings)
        kernel.fetch(self.folder, print, False)
        self.assertEqual(kernel.version(), self.version)
        return kernel.tree(self.folder, None, lambda _text: None)

    def builds(self):
        return len((self.folder / "builds").read_text().splitlines())

    def test_built_once(self):
        self.assertEqual(self.tree(), self.tree())
        self.assertEqual(self.builds(), 1)

    def test_built_again(self):
        self.tree()
        self.settings.write_text("CONFIG_OTHER=y\n")
        configuration = (self.tree() / ".config").read_text()
        self.assertEqual((configuration, self.builds()), ("CONFIG_TINY=y\nCONFIG_OTHER=y\n", 2))
        self.version = "6.1.2-1"
        self.tree()
        self.assertEqual(self.builds(), 3)

    def refused(self):
        with self.assertRaises(packages.TargetError) as refusal:
            self.tree()
        return str(refusal.exception)

    def test_setting_that_is_not_taken(self):
        self.settings.write_text("CONFIG_CHECKS=y\nCONFIG_UNKNOWN=y\n")
        self.assertEqual(self.refused(), "checks.config: linux-source-6.1 does not take "
                         "CONFIG_UNKNOWN=y; see what that setting depends on")

    def test_does_not_compile(self):
        self.broken = True
        self.assertIn("x.c:1: error: no such thing; ", self.refused())
        self.broken = False  # nothing of it is kept
        (self.folder / "linux-source-6.1/broken").unlink()
        self.tree()

    def test_no_settings(self):
        self.settings.unlink()
        self.assertIn(f"there is no file {self.settings}", self.refused())


if __name__ == "__main__":
    unittest.main()
