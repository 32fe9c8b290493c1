#!/usr/bin/env python3
"""Plants one fault of each kind in a copy of the tree and asserts that ci/tidy.py reports it."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import tidy  # noqa: E402

HEADER = "// What it is for.\n#pragma once\n\n"
LISTED = "\nadd_library(planted planted.cpp)\n"


class Tidy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = tidy.read_tree(ROOT)
        cls.clean = set(tidy.check(cls.tree))

    def planted(self, files):
        """What tidy reports beyond the clean tree, with texts appended to files or new ones."""
        tree = self.tree | {path: self.tree.get(path, "") + text for path, text in files.items()}
        return [f for f in tidy.check(tree) if f not in self.clean]

    def expect(self, files, path, words):
        findings = self.planted(files)
        self.assertTrue(any(f.startswith(path + ":") and words in f for f in findings), findings)

    def expect_in_source(self, text, words):
        """The fault is in a .cpp that is otherwise good."""
        self.expect({"model/planted.cpp": text, "model/CMakeLists.txt": LISTED},
                    "model/planted.cpp", words)

    def expect_in_header(self, text, words):
        """The fault is in a header that some source includes."""
        self.expect({"model/planted.hpp": text, "model/CMakeLists.txt": LISTED,
                     "model/planted.cpp": '#include "model/planted.hpp"\n'},
                    "model/planted.hpp", words)

    def expect_nothing(self, files):
        self.assertEqual(self.planted(files), [])

    def test_nothing_is_said_of_what_is_good(self):
        good = HEADER + "\n".join([
            "namespace mrproof {", "", "struct Later;", "", "/// A type.", "struct Planted {",
            "  int member() const { return 1; }", "  int value = 0;", "};", "",
            "/// Two that belong together.", "template <class T>", "int one(T value = {});",
            "int two();", "", "constexpr int kTable[] = {1, 2};", "", "}  // namespace mrproof",
            ""])
        self.expect_nothing({"model/planted.hpp": good, "model/CMakeLists.txt": LISTED,
                             "model/planted.cpp": '#include "model/planted.hpp"\n'})

    def test_line_length(self):
        self.expect_in_source("// " + "x" * 98 + "\n", "101 characters")
        self.expect({"ci/lib.sh": "# " + "x" * 99 + "\n"}, "ci/lib.sh", "101 characters")

    def test_file_length(self):
        self.expect_in_source("// x\n" * 601, "the file has 601 lines")

    def test_tab(self):
        self.expect_in_source("int\tx;\n", "a tab")

    def test_trailing_blanks(self):
        self.expect_in_source("int x; \n", "trailing blanks")

    def test_final_newline(self):
        self.expect_in_source("int x;", "does not end")

    def test_function_length(self):
        lines = "  // a line\n" * 59
        for head in ("void f() {", "TEST(Some, Thing) {", "Class::Class()\n    : a_(1), b_{2} {",
                     "namespace n {\nstruct S {\nvoid f() {",
                     'void f(S s = {}) { char c = \'{\';'):
            closing = "}\n" * (3 if head.startswith("namespace") else 1)
            self.expect_in_source(head + "\n" + lines + closing, "the function has 6")
        self.expect({"ci/lib.sh": "planted() {\n" + ": # a line\n" * 60 + "}\n"}, "ci/lib.sh",
                    "the function has 62 lines")
        self.expect({"ci/tidy.py": "def planted():\n" + "    pass\n" * 60}, "ci/tidy.py",
                    "the function has 61 lines")

    def test_data_and_types_may_be_long(self):
        rows = "  int member_of_it = 0;\n" * 80
        table = "const int kTable[] = {\n" + "  1,\n" * 80 + "};\n"
        self.expect_nothing({"model/planted.cpp": "struct S {\n" + rows + "};\n" + table,
                             "model/CMakeLists.txt": LISTED})

    def test_source_that_is_not_built(self):
        self.expect({"model/testing/planted.cpp": "// x\n"}, "model/testing/planted.cpp",
                    "no CMakeLists.txt")

    def test_path_in_a_document_that_is_not_in_the_tree(self):
        planted = {"model/nowhere.hpp": "`model/nowhere.hpp`", "model/no/": "`model/no/`",
                   "ci/nothing": "ci/nothing --all", "model/rules/*.cpp": "`model/rules/*.cpp`",
                   "nowhere.hpp": "`nowhere.hpp`", "rules/effects.cpp": "`rules/effects.cpp`",
                   "docs/nowhere.md": "[a page](docs/nowhere.md#part)"}
        findings = self.planted({"HACKING.md": "\n".join([*planted.values(), ""]),
                                 "conformance/README.md": "[a page](none.md)\n"})
        for name in [*planted, "conformance/none.md"]:
            self.assertTrue(any(f.endswith(f": '{name}' is not in the tree") for f in findings),
                            (name, findings))
        self.assertEqual(len(findings), len(planted) + 1)

    def test_path_in_a_comment_that_is_not_in_the_tree(self):
        self.expect_in_source("// See model/nowhere.hpp.\n", "'model/nowhere.hpp' is not in the")

    def test_paths_in_a_document_that_are_good(self):
        self.expect_nothing({"HACKING.md": """
`model/rules/effects.hpp`, `rules/effects.hpp`, `effects.hpp`, `model/rules/*.hpp`, ci/test --long.
`model/scenarios/VERB/`, `ci/targets/FILE.toml`, `build/model/none`, `drivers/core/none.c`;
[a page](conformance/README.md#formats), [another](https://example.org/none.md).
"""})

    def test_header_that_nobody_includes(self):
        self.expect({"model/planted.hpp": HEADER}, "model/planted.hpp", "no file includes it")

    def test_script_trace_or_table_that_nobody_mentions(self):
        name = "ci/un" + "mentioned"
        for path in (name + ".py", name + ".sh", name + ".toml", name + ".mrt"):
            self.expect({path: "# x\n"}, path, "no other file mentions it")
        self.expect({name: "#!/bin/sh\n"}, name, "no other file mentions it")

    def test_scenarios_are_found_by_their_pattern(self):
        self.expect_nothing({"model/scenarios/planted.mrt": "# x\n"})

    def test_header_without_comment_or_guard(self):
        self.expect_in_header("#pragma once\n", "a header begins with a comment")
        self.expect_in_header("// What it is for.\n", "no #pragma once")

    def test_declarations_without_comment(self):
        for text in ("class C {\n};", "struct S {\n};", "template <class T>\nstruct S {\n};",
                     "enum class E { a };", "int function(int a);", "inline int f() { return 1; }",
                     "template <class T>\nT f(T value = {});", "S operator+(S a, S b);"):
            self.expect_in_header(HEADER + "namespace n {\n\n" + text + "\n\n}  // namespace n\n",
                                  "no comment before")

    def test_forbidden_words(self):
        for word in ("TO" + "DO", "FIX" + "ME", "X" + "XX", "/wo" + "rk/main", "/ro" + "ot/x",
                     "py" + "pi.org", "registry" + ".example.com", "crates" + ".io"):
            self.expect_in_source("// " + word + "\n", word.split("main")[0].rstrip("x"))

    def test_includes_against_the_arrows(self):
        for folder, target in (("model", "impl/device.hpp"), ("impl", "specs/clauses.hpp"),
                               ("specs", "property-tests/walk/walk.hpp"),
                               ("property-tests", "conformance/run/channel.hpp")):
            path = folder + "/planted_test.cpp"
            self.expect({path: f'#include "{target}"\n'}, path, "against the arrows")
        self.expect_in_source('#include "rule.hpp"\n', "not in the tree")
        self.expect_nothing({"specs/planted.cpp": '#include "model/trace/trace.hpp"\n'})

    def test_folders_in_a_cycle(self):
        path = "model/trace/planted_test.cpp"
        self.expect({path: '#include "model/oracle/oracle.hpp"\n'}, path,
                    "part of a cycle of folders: model/trace includes")

    def test_exit_status_and_summary(self):
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "model"))
            with open(os.path.join(root, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write("add_library(planted model/planted.cpp)\n")
            path = os.path.join(root, "model/planted.cpp")
            for text, status in (("int x;\n", 0), ("int\tx;\n", 1)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                run = subprocess.run([sys.executable, os.path.join(HERE, "tidy.py"), root],
                                     capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, status, run.stdout)
                self.assertRegex(run.stdout, r"1 C\+\+ files, median \d+ lines, longest \d+ "
                                             rf"\(.*\); {status} findings")
                self.assertEqual("model/planted.cpp:1: a tab" in run.stdout, status == 1)


if __name__ == "__main__":
    unittest.main()
