#!/usr/bin/env python3
"""Tests ci/pairs:  pairs_test.py [unittest arguments]

With scripts in the place of build-target and mrproof: no guest is booted.
"""

import json
import unittest
from unittest import mock

from scripts_test import Scripts, script_module

REPORT = {"steps": 90, "cases": {"finished": 3, "planned": 3}, "counts": {"conforms": 80},
          "timing": {"steps_per_second": 7.0}, "incidents": [
              {"verdict": v, "name": "x", "reason": r, "expected": r != ""} for v, r in
              [("hang", "F29: x"), ("crash", "F30: y"), ("hang", "F29: x"), ("inconclusive", "")]],
          "deviations": [
              {"rule": "bind_mw.ok", "class": "accepted", "condition": "same_pd", "flaky": False,
               "expected": True, "reason": "F6: of old", "count": 5, "count_of_process_1": 2}]}


class Pairs(Scripts):
    def setUp(self):
        super().setUp()
        self.module = script_module("pairs")
        for name in "siw", "siw-sid":
            self.file(f"image-{name}/target.json", json.dumps({"kernel": "7.9"}))
            self.file(f"known/siw-{name}-fails.txt", f"# of {name}\n")
        self.file("known/two-hosts-fails.txt", "# of two\n")
        self.program("ci/build-target", f"echo {self.folder}/image-$1")
        self.reports(REPORT)
        patch = mock.patch.multiple(self.module, HERE=self.folder / "ci",
                                    EXPECTATIONS=self.folder / "known")
        patch.start()
        self.addCleanup(patch.stop)

    def reports(self, report, status=0):
        """What the program in mrproof's place says of each pair; it notes that it was asked."""
        self.file("report.json", json.dumps(report))
        self.mrproof = self.program("mrproof", f"""
if [ $1 = --version ]; then echo build 1; exit; fi
echo x >>{self.folder}/asked
for out; do :; done
mkdir -p $out && cp {self.folder}/report.json $out && exit {status}""")

    def pairs(self, *arguments):
        return self.run_script("pairs", "--program", self.mrproof, "--build", self.folder,
                               *arguments)

    def asked(self):
        return (self.folder / "asked").read_text(encoding="utf-8").count("x")

    def test_table(self):
        status, said, _ = self.pairs("siw,siw-sid")
        self.assertEqual((status, said.splitlines()[-1]),
                         (0, "siw siw-sid: 90 steps, 3 of 3 cases, nothing unexpected"))
        self.assertIn("| siw | siw-sid | 90 | 80 | 7 | 3 / 2 | F29 F30 |\n",
                      (self.folder / "pairs/pairs.md").read_text(encoding="utf-8"))
        self.assertEqual((self.folder / "pairs/siw-siw-sid/two-fails.txt").read_text("utf-8"),
                         "# of siw\n# of siw-sid\n# of two\n")

    def test_something_new(self):
        self.reports({**REPORT, "deviations": [{**REPORT["deviations"][0], "expected": False}]}, 1)
        status, said, _ = self.pairs("siw,siw")
        self.assertEqual(status, 1)
        self.assertIn("['bind_mw.ok/accepted/same_pd']", said)

    def test_one_that_does_not_end(self):
        self.reports(REPORT, 2)
        status, said, _ = self.pairs("siw,siw", "siw,siw-sid")
        self.assertEqual((status, said.count("did not come to its end"), self.asked()), (2, 2, 2))

    def test_goes_on(self):
        self.pairs("siw,siw-sid")
        with self.subTest("keeps what is there"):
            status, said, _ = self.pairs("--go-on", "siw,siw-sid", "siw,siw")
            self.assertEqual((status, said.count("nothing unexpected"), self.asked()), (0, 2, 2))
        with self.subTest("not of another kind of run"):
            self.pairs("--go-on", "--full", "siw,siw")
            self.assertEqual(self.asked(), 3)
        with self.subTest("nor of another kernel"):
            self.file("image-siw-sid/target.json", json.dumps({"kernel": "7.10"}))
            self.pairs("--go-on", "siw,siw-sid")
            self.assertEqual(self.asked(), 4)
        with self.subTest("nor where something else is expected"):
            self.file("known/two-hosts-fails.txt", "# of two, changed\n")
            self.pairs("--go-on", "siw,siw-sid")
            self.assertEqual(self.asked(), 5)
        with self.subTest("nor unless asked"):
            self.pairs("siw,siw-sid")
            self.assertEqual(self.asked(), 6)
        with self.subTest("nor one that did not end"):
            self.reports(REPORT, 2)
            self.pairs("siw,siw-sid")
            self.reports(REPORT)
            self.pairs("--go-on", "siw,siw-sid")
            self.assertEqual(self.asked(), 8)

    def test_no_program(self):
        self.mrproof = self.folder / "missing"
        status, _, complaint = self.pairs("siw,siw")
        self.assertEqual(status, 2)
        self.assertRegex(complaint, r"\Apairs: .*missing.*\n\Z")


if __name__ == "__main__":
    unittest.main()
