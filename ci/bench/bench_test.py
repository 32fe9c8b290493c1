#!/usr/bin/env python3
"""Tests that the table of benchmarks says how it was made:  bench_test.py

Nothing is measured: the figures are given.
"""

import sys
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import bench  # noqa: E402

COUNTS = {"states": 10, "transitions": 50, "seconds": 2.0, "bytes": 17.5}


class Bench(unittest.TestCase):
    def command(self, *arguments):
        with mock.patch.object(sys, "argv", ["bench.py", *arguments]):
            return bench.command()

    def test_the_command_is_the_one_that_was_used(self):
        inside = str(HERE.parent.parent / "build/release/conformance/mrproof")
        self.assertEqual(self.command("--mrproof", inside, "--runs", "3", "--large"),
                         "ci/bench/bench.py --mrproof build/release/conformance/mrproof "
                         "--runs 3 --large")

    def test_no_path_of_one_machine(self):
        self.assertEqual(self.command("--mrproof=/elsewhere/mrproof", "--out", "/else where/R.md"),
                         "ci/bench/bench.py --mrproof=mrproof --out R.md")

    def test_the_head(self):
        with mock.patch.object(bench, "machine", return_value="a machine"), \
                mock.patch.object(bench, "shared_rows", return_value=[]), \
                mock.patch.object(bench, "explored", return_value=COUNTS), \
                mock.patch.object(sys, "argv", ["bench.py", "--mrproof", "mrproof", "--large"]):
            rows = bench.exploration("mrproof", 5, True)
            text = "\n".join(bench.head(SimpleNamespace(runs=5), rows))
        self.assertIn("Written by\n\n    ci/bench/bench.py --mrproof mrproof --large\n\n", text)
        self.assertIn("Best of 5 runs, where not said otherwise, on: a machine.", text)
        self.assertIn("| large (one run) | mrproof, 2 cores | 10 | 50 | 2.00 |", text)
        self.assertIn("| default | mrproof, 2 cores |", text)
        self.assertTrue(text.endswith(f"\n\n{bench.EXPLAINED}"))

    def test_the_written_table_has_it_all(self):
        written = (HERE / "RESULTS.md").read_text(encoding="utf-8")
        command = written.split("Written by\n\n    ")[1].splitlines()[0].split()
        self.assertIn(f"\n\n{bench.EXPLAINED}\n\n## The model\n", written)
        self.assertEqual("| large (one run) |" in written, "--large" in command)


if __name__ == "__main__":
    unittest.main()
