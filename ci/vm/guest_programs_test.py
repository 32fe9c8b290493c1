#!/usr/bin/env python3
"""Tests that a guest which hangs is given up, and booted again where it never said a word or its
QEMU died.

Guests are shell scripts here, in place of a target's `boot`.
"""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import guest_programs  # noqa: E402

SAYS = 'echo "programs: begin 0000-one"; echo hello; echo "programs: end 0000-one 4"'


class Guests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mrproof-guest-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("kernel", "initrd"):
            (self.folder / name).write_bytes(b"")

    def booted(self, script):
        """The console of a guest that is this script; $boots names a file that outlives it."""
        boot = self.folder / "boot"
        boot.write_text(f'#!/bin/bash\nexec >"$2"\nboots={self.folder}/boots\n'
                        f'echo boot >>$boots\n{script}\n')
        boot.chmod(0o755)
        with mock.patch.object(guest_programs, "FIRST_WORD", 1):
            return guest_programs.boot(self.folder, b"", 1)

    def boots(self):
        return len((self.folder / "boots").read_text().splitlines())

    def test_ends_by_itself(self):
        self.assertIn("hello", self.booted(SAYS))
        self.assertEqual(self.boots(), 1)

    def test_hangs_before_its_first_word(self):
        console = self.booted(f'[ $(wc -l <$boots) -gt 1 ] || exec sleep 60\n{SAYS}')
        self.assertIn("hello", console)
        self.assertEqual(self.boots(), 2)

    def test_never_says_a_word(self):
        self.assertRegex(self.booted("exec sleep 60"), "given up 3 times")
        self.assertEqual(self.boots(), 3)

    def test_falls_silent(self):
        console = self.booted(f'{SAYS}\nexec sleep 60')
        self.assertIn("hello", console)
        self.assertRegex(console, "silent for 1 s, given up")
        self.assertEqual(self.boots(), 1)

    def test_qemu_dies(self):
        console = self.booted(f'[ $(wc -l <$boots) -gt 1 ] || kill -SEGV $$\n{SAYS}')
        self.assertIn("hello", console)
        self.assertEqual(self.boots(), 2)

    def test_qemu_always_dies(self):
        console = self.booted("echo word; kill -SEGV $$")
        self.assertRegex(console, "^guest: QEMU .* signal 11, 3 times")
        self.assertEqual(self.boots(), 3)

    def test_cannot_be_booted(self):
        with self.assertRaisesRegex(RuntimeError, "exit status 2"):
            self.booted("exit 2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
