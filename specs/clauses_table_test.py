#!/usr/bin/env python3
"""Plants one fault of each kind in a sound clause file; specs/clauses_table.py has to name it."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "clauses_table.py")

SOUND = '''[page]
name = "ibv_demo(3)"
edition = "today"
dialects = ["linux"]

[[clause]]
id = "demo.one"
section = "NOTES"
level = "must"
text = """Says "one"
  and goes on."""
conditions = ["a_condition"]
rules = ["verb.ok"]

[[clause]]
id = "C10-72"
section = "chapter 10"
level = "may"
text = "Is elsewhere."
out_of_scope = "Not modelled."

[[gap]]
id = "gap.open"
text = "Is open."
clauses = ["demo.one"]
decision = "undecided"
conditions = []
rules = []
'''

# What is done to the sound text: (old, new, part of the finding).
FAULTS = {
    "not TOML": ('"today"', "today", "file: Invalid value"),
    "unknown table": ("[[gap]]", "[[hole]]", "file: unknown key 'hole'"),
    "no page": ("[page]", "[[page]]", "page: missing"),
    "table for a list": ("[[gap]]", "[gap]", "gap: not a list of tables; write [[gap]]"),
    "page without a key": ('edition = "today"\n', "", "page: missing key 'edition'"),
    "page with another key": ('edition = "today"', 'edition = "today"\nyear = "1"',
                              "page: unknown key 'year'"),
    "unknown dialect": ('["linux"]', '["windows"]', "page: unknown dialect 'windows'"),
    "no dialect": ('["linux"]', "[]", "page: no dialect"),
    "dialects no list": ('["linux"]', '"linux"', "page: dialects is not a list of strings"),
    "clause without a key": ('section = "NOTES"\n', "",
                             "clause demo.one: missing key 'section'"),
    "clause without an id": ('id = "demo.one"\n', "", "clause ?: missing key 'id'"),
    "nothing carries it": ('rules = ["verb.ok"]\n', "", "clause demo.one: missing key 'rules'"),
    "clause with another key": ('level = "may"', 'level = "may"\nnote = "n"',
                                "clause C10-72: unknown key 'note'"),
    "unknown level": ('"must"', '"shall"', "clause demo.one: unknown level 'shall'"),
    "empty text": ('"Is elsewhere."', '" "', "clause C10-72: empty text"),
    "empty reason": ('"Not modelled."', '""', "clause C10-72: empty out_of_scope"),
    "text no string": ('"Is elsewhere."', "1", "clause C10-72: text is not a string"),
    "id no string": ('"C10-72"', "1", "clause 1: id is not a string"),
    "id of another file": ('id = "demo.one"', 'id = "other.one"',
                           "clause other.one: not the form of an id"),
    "id in capitals": ('id = "demo.one"', 'id = "demo.One"',
                       "clause demo.One: not the form of an id"),
    "number of another form": ('"C10-72"', '"X10-72"', "clause X10-72: not the form of an id"),
    "duplicate id": ('"C10-72"', '"demo.one"', "clause demo.one: duplicate id, also in demo.toml"),
    "carried and out of scope": ('"Not modelled."', '"Not modelled."\nrules = ["verb.ok"]',
                                 "clause C10-72: out_of_scope beside what else"),
    "same as, and out of scope": ('"Not modelled."', '"Not modelled."\nsame_as = "demo.one"',
                                  "clause C10-72: same_as beside what else"),
    "same as nothing": ('out_of_scope = "Not modelled."', 'same_as = "demo.two"',
                        "clause C10-72: same_as 'demo.two' is no clause"),
    "same as itself": ('out_of_scope = "Not modelled."', 'same_as = "C10-72"',
                       "clause C10-72: same_as 'C10-72' is no clause"),
    "conditions no list": ('["a_condition"]', '"a_condition"',
                           "clause demo.one: conditions is not a list of strings"),
    "conditions of numbers": ('["a_condition"]', "[1]",
                              "clause demo.one: conditions is not a list of strings"),
    "condition of another form": ('["a_condition"]', '["a.b"]',
                                  "clause demo.one: 'a.b' in conditions is none"),
    "condition twice": ('["a_condition"]', '["a", "a"]',
                        "clause demo.one: 'a' twice in conditions"),
    "rule of another form": ('["verb.ok"]', '["ok"]', "clause demo.one: 'ok' in rules is none"),
    "gap without a key": ('decision = "undecided"\n', "", "gap gap.open: missing key 'decision'"),
    "gap with another key": ('decision = "undecided"', 'decision = "undecided"\nlevel = "may"',
                             "gap gap.open: unknown key 'level'"),
    "gap with an empty decision": ('"undecided"', '""', "gap gap.open: empty decision"),
    "gap of another form": ('"gap.open"', '"demo.open"', "gap demo.open: not the form of an id"),
    "gap of no clause": ('clauses = ["demo.one"]', 'clauses = ["demo.two"]',
                         "gap gap.open: no clause 'demo.two'"),
}


class ClausesTable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = os.path.join(self.folder.name, "table.cpp")

    def run_on(self, files):
        paths = []
        for name, text in files.items():
            paths.append(os.path.join(self.folder.name, name))
            with open(paths[-1], "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        return self.run_with([self.output, *paths])

    def run_with(self, arguments):
        return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True,
                              encoding="utf-8", check=False)

    def assert_finding(self, run, part):
        self.assertEqual(run.returncode, 2, run)
        self.assertRegex(run.stderr, r"\A(.+\.toml: .+: .+; .+\n)+\Z")  # nothing but findings
        self.assertIn(part, run.stderr)
        self.assertFalse(os.path.exists(self.output))

    def test_each_fault_is_named_in_one_line(self):
        for name, (old, new, part) in FAULTS.items():
            with self.subTest(name):
                self.assertIn(old, SOUND)
                run = self.run_on({"demo.toml": SOUND.replace(old, new, 1)})
                self.assert_finding(run, f"demo.toml: {part}")

    def test_faults_that_hide_no_other_are_reported_together(self):
        text = SOUND.replace('"must"', '"shall"').replace('"Is open."', '""')
        run = self.run_on({"demo.toml": text})
        self.assertEqual(len(run.stderr.splitlines()), 2, run.stderr)

    def test_ids_are_unique_in_all_files(self):
        page = SOUND[:SOUND.index("[[clause]]")]
        number = SOUND[SOUND.index('[[clause]]\nid = "C10-72"'):SOUND.index("[[gap]]")]
        run = self.run_on({"demo.toml": SOUND, "other.toml": page + number})
        self.assert_finding(run, "other.toml: clause C10-72: duplicate id, also in demo.toml")

    def test_gaps_may_name_clauses_of_other_files(self):
        page, gap = SOUND[:SOUND.index("[[clause]]")], SOUND[SOUND.index("[[gap]]"):]
        clauses = SOUND[:SOUND.index("[[gap]]")]
        run = self.run_on({"a.toml": page + gap, "demo.toml": clauses})
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_page_alone_says_nothing(self):
        run = self.run_on({"demo.toml": SOUND[:SOUND.index("[[clause]]")]})
        self.assert_finding(run, "demo.toml: file: no clause and no gap")

    def test_file_that_is_not_there_or_not_utf8(self):
        missing = os.path.join(self.folder.name, "none.toml")
        self.assert_finding(self.run_with([self.output, missing]), "none.toml: file: ")
        self.assert_finding(self.run_on({"demo.toml": SOUND.encode() + b"# \xff\n"}),
                            "demo.toml: file: ")

    def test_usage(self):
        run = self.run_with([self.output])
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"\Ausage: [^\n]+\n\Z")

    def test_table_has_texts_of_one_line_and_lists(self):
        run = self.run_on({"demo.toml": SOUND})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        with open(self.output, encoding="utf-8") as file:
            table = file.read()
        self.assertIn(r'"Says \042one\042 and goes on."', table)
        self.assertIn('{"a_condition"}', table)
        self.assertIn('{"linux"}', table)
        self.assertIn('"Not modelled."', table)
        row = re.search(r'\{"gap\.open", "Is open\.", "undecided", (kList\d+), \{\}, \{\}\},',
                        table)
        self.assertIsNotNone(row, table)
        self.assertIn(f'{row.group(1)}[] = {{"demo.one"}}', table)


    def test_clause_that_is_the_same_as_another_has_its_carriers(self):
        text = SOUND.replace('out_of_scope = "Not modelled."', 'same_as = "demo.one"')
        run = self.run_on({"demo.toml": text})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        with open(self.output, encoding="utf-8") as file:
            table = file.read()
        one = re.search(r'"Says .*?", (kList\d+, kList\d+, "", kList\d+), ""\},', table)
        other = re.search(r'"Is elsewhere\.", (kList\d+, kList\d+, "", kList\d+), "demo\.one"\},',
                          table)
        self.assertEqual(one.group(1), other.group(1))


if __name__ == "__main__":
    unittest.main()
