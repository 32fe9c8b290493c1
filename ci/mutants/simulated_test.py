#!/usr/bin/env python3
"""Tests `ci/mutation-score --simulated`:  simulated_test.py MRPROOF

On a list of a few faults, made by a program that else is MRPROOF: what is forbidden has to be
found, and what is allowed must not be.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
FORBIDDEN = "sim:any-remote-right-suffices  A remote access needs one right, no matter which."
IMPATIENT = "sim:destroyed-qp-serves  A QP goes on serving its peer after it was destroyed."
ALLOWED = "sim:undefined-flag-accepted  Bits without a name are no reason to refuse."


class Simulated(unittest.TestCase):
    program = ""

    def score(self, *listed):
        """(exit status, table) of the score of the faults listed."""
        with tempfile.TemporaryDirectory() as folder:
            program, table = Path(folder) / "mrproof", Path(folder) / "table.md"
            lines = "".join(f"echo '{line}'\n" for line in listed)
            program.write_text(f"#!/bin/sh\nif [ $1 = devices ]; then\n{lines}exit 0\nfi\n"
                               f'exec {self.program} "$@"\n', encoding="utf-8")
            program.chmod(0o755)
            done = subprocess.run([sys.executable, HERE.parent / "mutation-score", "--simulated",
                                   "--program", program, "--out", table], capture_output=True,
                                  text=True, check=False)
            return done.returncode, table.read_text(encoding="utf-8") + done.stdout

    def test_what_is_forbidden_is_found(self):
        code, table = self.score(FORBIDDEN, ALLOWED + " Allowed: no page says it")
        self.assertEqual(code, 0, table)
        self.assertIn("found by `--quick`: 1 (100.0 %)", table)
        self.assertRegex(table, r"any-remote-right-suffices .* \| \S+ accepted remote_right \| "
                                r"scenarios/\S+ \| \d+ \| \d+ \|")
        self.assertRegex(table, r"undefined-flag-accepted .* \| allowed \|  \|  \| - \|")
        self.assertIn("- *undefined-flag-accepted:* no page says it", table)

    def test_what_quick_leaves_is_looked_for_by_full(self):
        code, table = self.score(IMPATIENT)
        self.assertEqual(code, 0, table)
        self.assertIn("found by `--quick`: 0 (0.0 %)", table)
        self.assertIn("found by `--full`: 1 (100.0 %)", table)
        self.assertIn("(--full)", table)

    def test_what_is_not_found_fails(self):
        code, table = self.score(FORBIDDEN, ALLOWED)
        self.assertEqual(code, 1, table)
        self.assertIn("not found", table)
        self.assertIn("not as they have to be: undefined-flag-accepted", table)

    def test_what_is_found_where_it_is_allowed_fails(self):
        code, table = self.score(FORBIDDEN + " Allowed: somebody says so")
        self.assertEqual(code, 1, table)
        self.assertIn("not as they have to be: any-remote-right-suffices", table)


if __name__ == "__main__":
    Simulated.program = Path(sys.argv.pop(1)).resolve()
    unittest.main()
