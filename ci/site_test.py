#!/usr/bin/env python3
"""Builds the site and reads it:  site_test.py MRPROOF [unittest arguments]

Each finding, rule, gap, document, command and target has its place, and no link is dead. That the
check of links finds what it is for, is shown by faults that are planted. Exit status: that of
unittest; 77 where cmark-gfm is not installed.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE / "pages"), str(HERE / "vm")]

import choices  # noqa: E402
import findings  # noqa: E402
import links  # noqa: E402
import markdown  # noqa: E402


class Text(HTMLParser):
    """What a reader sees of a page."""

    def __init__(self, page):
        super().__init__()
        self.seen, self.hidden = [], False
        self.feed(page)
        self.text = " ".join("".join(self.seen).split())

    def handle_starttag(self, tag, attrs):
        self.hidden = tag in ("style", "script")

    def handle_endtag(self, tag):
        self.hidden = False

    def handle_data(self, data):
        if not self.hidden:
            self.seen.append(data)


class Made(unittest.TestCase):
    """One site, as CMake builds it."""

    program = None

    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = Path(held.name, "site")
        cls.done = cls.make(cls.folder)
        if cls.done.returncode == 2:
            raise AssertionError(cls.done.stderr)
        cls.pages = {page.name: page.read_text(encoding="utf-8")
                     for page in cls.folder.glob("*.html")}

    @classmethod
    def make(cls, out, *more):
        return subprocess.run([HERE / "site", "--program", cls.program, "--out", out, *more],
                              capture_output=True, text=True, check=False)

    @classmethod
    def told(cls, *arguments):
        return subprocess.run([cls.program, *arguments], capture_output=True, text=True,
                              check=True).stdout

    def words(self, page):
        return Text(self.pages[page]).text

    def has(self, what, text):
        """As assertIn(), which would print the page."""
        self.assertTrue(what in text, f"nowhere: {what}")

    def names(self, page):
        return set(links.Page(self.folder / page).names)


class Site(Made):
    """What is on it."""

    def test_it_is_made_and_no_link_is_dead(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        self.assertEqual(links.problems(self.folder), [])

    def drawings(self, trace):
        """How many the program makes of it."""
        with tempfile.TemporaryDirectory() as folder:
            self.told("report", trace, "--out", folder)
            return Path(folder, "report.html").read_text(encoding="utf-8").count("<svg ")

    def test_each_finding(self):
        read = {}
        for document in [ROOT / "FINDINGS.md", *(ROOT / "docs").glob("findings-*.md")]:
            read |= dict(markdown.sections(document.read_text(encoding="utf-8")))
        listed = [int(number) for number in re.findall(
            r"^\| \**F(\d+)", (ROOT / "FINDINGS.md").read_text(encoding="utf-8"), re.M)]
        self.assertEqual(sorted(listed), list(range(1, len(listed) + 1)))
        for number in listed:
            with self.subTest(number):
                page, words = self.pages[f"f{number}.html"], self.words(f"f{number}.html")
                heading = next(each for each in read if each.startswith(f"F{number}. "))
                self.has(heading.replace("`", ""), words)
                for each in re.findall(r"`([^`\n]+)`", read[heading]):
                    self.has(" ".join(each.split()), words)
                self.assertFalse("Seen on: not told" in words)
                self.has(f'href="f{number}.html"', self.pages["findings.html"])
                traces = [trace for trace in findings.traces()
                          if trace.name.startswith(f"F{number}-")]
                programs = [trace for trace in traces if findings.has_program(trace)]
                self.assertTrue(traces)
                for trace in traces:
                    self.has(f'id="{trace.stem}"', page)
                    self.has(" ".join(trace.read_text(encoding="utf-8").split()), words)
                self.assertEqual(words.count("int main("), len(programs))
                self.assertEqual(page.count('<ol class="steps"'), len(programs))
                self.assertEqual(page.count("<svg "), sum(map(self.drawings, programs)))

    def test_each_rule_condition_and_clause(self):
        for dialect, page in (("linux", "rules.html"), ("linux-2006", "rules-linux-2006.html"),
                              ("mlnx-exp", "rules-mlnx-exp.html")):
            book = json.loads(self.told("rules", "--json", "--dialect", dialect))
            names = self.names(page)
            for rule in book["rules"]:
                self.assertIn(f"rule-{rule['rule']}", names)
            for condition in book["conditions"]:
                self.assertIn(f"condition-{condition['condition']}", names)
            self.has('<figure id="diagram-mr"', self.pages[page])

    def test_each_gap(self):
        gaps = json.loads(self.told("rules", "--gaps", "--json"))["gaps"]
        names, words = self.names("gaps.html"), self.words("gaps.html")
        for gap in gaps:
            self.assertIn(gap["gap"], names)
            self.has(" ".join(gap["text"].split()), words)

    def test_each_document(self):
        tracked = [path for path in ROOT.rglob("*.md")
                   if not re.match(r"build|\.|mrproof-report", str(path.relative_to(ROOT)))]
        self.assertGreater(len(tracked), 20)
        titles = self.words("contents.html")
        for path in tracked:
            title = re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.M)[1]
            self.has(title.replace("`", ""), titles)

    def test_each_command(self):
        commands = re.findall(r"^  ([a-z]+) {2,}", self.told("help").split("Subcommands:")[1],
                              re.M)
        self.assertIn("replay", commands)
        for command in commands:
            self.assertIn(command, self.names("help.html"))

    def test_each_target(self):
        words = self.words("fingerprints.html")
        for target in (HERE / "targets").glob("*.toml"):
            self.has(f"{target.stem}: ", words)

    def test_each_fingerprint_is_of_a_target_and_can_be_pinned(self):
        targets = {target.stem for target in (HERE / "targets").glob("*.toml")}
        for file in (HERE / "fingerprints").glob("*.txt"):
            self.assertIn(file.stem.partition("-")[2], targets)
            done = subprocess.run([self.program, "run", "--device", "sim", "--steps", "10", "--pin",
                                   file, "--no-journal", "--out", self.folder.parent / "pinned"],
                                  capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_the_tour_was_run(self):
        words = self.words("tour.html")
        self.assertFalse("language-run" in self.pages["tour.html"])
        for said in ("! deviates rdma_read.ok accepted remote_in_bounds+through_window",
                     "conforms bind_mw.ok since", "return verdict(got == IBV_WC_REM_ACCESS_ERR",
                     "shrunk to 2 steps", "repro.c trace.mrt", "decided"):
            self.has(said, words)

    def test_each_page_is_in_the_list(self):
        listed = set(links.Page(self.folder / "contents.html").links)
        self.assertLessEqual(set(self.pages), listed)
        for page in self.pages.values():
            self.has('<nav class="site"', page)
            self.has("prefers-color-scheme:dark", page)

    def test_a_report_is_a_column(self):
        self.told("run", "--device", "sim", "--steps", "2000", "--no-journal", "--out",
                  self.folder.parent / "my-run")
        out = self.folder.parent / "with-a-report"
        done = self.make(out, "--report", self.folder.parent / "my-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (out / "fingerprints.html").read_text(encoding="utf-8")
        self.has("<th>my-run</th>", page)

    def test_it_removes_no_folder_but_a_site(self):
        other = self.folder.parent / "other"
        other.mkdir()
        (other / "mine.txt").write_text("mine\n", encoding="utf-8")
        done = self.make(other)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Asite: .*is no site.*\n\Z")
        self.assertTrue((other / "mine.txt").exists())

    def test_what_is_no_mrproof(self):
        for program in ("/bin/true", "/bin/false", "/nowhere"):
            done = subprocess.run([HERE / "site", "--program", program, "--out",
                                   self.folder.parent / "none"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"\Asite: {program}: .*\n\Z")
        self.assertFalse((self.folder.parent / "none").exists())


class Faults(Made):
    """What the check of links is for, planted."""

    def setUp(self):
        self.copy = self.folder.parent / "copy"
        shutil.copytree(self.folder, self.copy)
        self.addCleanup(shutil.rmtree, self.copy)

    def planted(self, words, html):
        """A page with that in it is found fault with, in these words."""
        page = self.copy / "index.html"
        page.write_text(self.pages["index.html"].replace("</main>", f"{html}</main>"),
                        encoding="utf-8")
        self.assertTrue(any(words in line for line in links.problems(self.copy)), html)

    def test_a_page_that_is_missing(self):
        (self.copy / "f12.html").unlink()
        self.assertIn("findings.html: f12.html: leads to no file", links.problems(self.copy))

    def test_links(self):
        self.planted("leads to no file", '<a href="nowhere.html">x</a>')
        self.planted("leads to no such place", '<a href="#nowhere">x</a>')
        self.planted("leads to no such place", '<a href="f1.html#nowhere">x</a>')
        self.planted("leaves the site", '<a href="../../x.html">x</a>')
        self.planted("is there twice", '<p id="two-commands">x</p>')

    def test_the_network(self):
        host = "//example" + ".org/x"
        self.planted("leaves the site", f'<img src="https:{host}">')
        self.planted("leaves the site", f'<script src="{host}"></script>')
        self.planted("refers to the network", f"<style>p{{background:url(https:{host})}}</style>")
        self.planted("refers to the network", f'<p style="background:url({host})">x</p>')
        self.planted("refers to the network", "<script>fetch('x')</script>")


class Fingerprints(unittest.TestCase):
    """How a file is read."""

    def test_answers(self):
        read = choices.Print("x", "# mrproof fingerprint v1   rxe, kernel 1\n"
                             "dealloc_pd.refused: refused EBUSY  dealloc_pd(pd0)  # a step 1\n"
                             "rdma_read.loc_prot_err           rdma_read(qp0)  # b step 2\n")
        self.assertEqual(read.about, "rxe, kernel 1")
        self.assertEqual(read.answers("dealloc_pd.refused"),
                         [("refused EBUSY", "dealloc_pd(pd0)  # a step 1")])
        self.assertEqual(read.answers("rdma_read.loc_prot_err"),
                         [("taken", "rdma_read(qp0)  # b step 2")])


class Documents(unittest.TestCase):
    """What cmark-gfm does not do."""

    def test_tables(self):
        page = markdown.to_html("| a | |\n|---|---|\n| `x\\|y` | - |\n| 6.1 | 1. |\n\nend\n")
        self.assertIn("<th>a</th>", page)
        self.assertIn("<td><code>x|y</code></td>", page)
        for cell in ("-", "6.1", "1."):
            self.assertIn(f"<td>{cell}</td>", page)
        self.assertIn("<p>end</p>", page)

    def test_a_table_in_code_is_none(self):
        self.assertNotIn("<table>", markdown.to_html("```\n| a |\n|---|\n```\n"))

    def test_anchors(self):
        page = markdown.to_html("# `mrproof` report, v1\n\n## Same\n\n## Same\n")
        for name in ("mrproof-report-v1", "same", "same-1"):
            self.assertIn(f'id="{name}"', page)

    def test_sections(self):
        found = markdown.sections("x\n# A\n```\n# no heading\n```\n## B\n### C\n")
        self.assertEqual([heading for heading, _ in found], ["", "A", "B"])


if __name__ == "__main__":
    if not shutil.which("cmark-gfm"):
        sys.exit(77)
    Made.program = sys.argv.pop(1)
    unittest.main()
