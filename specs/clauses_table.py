#!/usr/bin/env python3
"""Checks clause files and makes the C++ table of them:  clauses_table.py OUTPUT.cpp FILE.toml...

The form of a file: specs/clauses/README.md. Whatever is not of that form is reported, one line
"FILE: clause ID: what is wrong; what to do" each, and nothing is written. Exit status: 0, or 2 when
something was reported.
"""

import os
import re
import sys
import tomllib

LEVELS = ("must", "must_not", "may", "defines")
DIALECTS = ("linux", "linux-2006", "mlnx-exp")

PAGE_KEYS = ("name", "edition", "dialects")
CLAUSE_KEYS = ("id", "section", "level", "text")
GAP_KEYS = ("id", "text", "clauses", "decision", "conditions", "rules")
CARRIERS = ("conditions", "rules")
INSTEAD = ("same_as", "out_of_scope")  # of the two
LISTS = ("dialects", "clauses", "conditions", "rules")

SLUG = r"[a-z][a-z0-9_]*"
# C10-72, o10-37.2.30, 10.6.7.2.6, table 78
ARCHITECTURE_ID = re.compile(r"[Co]\d+-\d+(\.\d+)*|\d+(\.\d+)+|table \d+")
GAP_ID = re.compile(rf"gap\.{SLUG}")
REFERENCES = {
    "conditions": (re.compile(SLUG), "the snake_case id of a condition"),
    "rules": (re.compile(rf"(\*|{SLUG})\.{SLUG}"), "a rule's id, verb.name or *.name"),
}


class Checker:
    """Reads files, keeps the clauses and gaps, and collects what is wrong with them."""

    def __init__(self):
        self.findings = []
        self.clauses = []
        self.gaps = []
        self.by_id = {}
        self.where = {}  # id -> the file that has it

    def report(self, path, subject, what, remedy):
        self.findings.append(f"{os.path.basename(path)}: {subject}: {what}; {remedy}")

    def read(self, path):
        try:
            with open(path, "rb") as file:
                content = tomllib.load(file)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            what = " ".join(str(error).split())
            self.report(path, "file", what, "make it a TOML file in UTF-8 that can be read")
            return
        for key in sorted(content.keys() - {"page", "clause", "gap"}):
            self.report(path, "file", f"unknown key '{key}'", "only page, clause and gap are known")
        page = content.get("page")
        if not isinstance(page, dict):
            self.report(path, "page", "missing", "begin the file with [page]")
            return
        self.check_page(path, page)
        clauses, gaps = self.tables(path, content, "clause"), self.tables(path, content, "gap")
        if not clauses and not gaps:
            self.report(path, "file", "no clause and no gap", "write one, or remove the file")
        for clause in clauses:
            self.check_clause(path, clause)
            self.clauses.append({**clause, "page": page.get("name"), "file": path,
                                 "dialects": page.get("dialects")})
        for gap in gaps:
            self.check_gap(path, gap)
            self.gaps.append({**gap, "file": path})

    def tables(self, path, content, kind):
        found = content.get(kind, [])
        if isinstance(found, list) and all(isinstance(table, dict) for table in found):
            return found
        self.report(path, kind, "not a list of tables", f"write [[{kind}]]")
        return []

    # ---- what a table has ----

    def check_page(self, path, page):
        self.check_keys(path, "page", page, PAGE_KEYS, PAGE_KEYS)
        self.check_values(path, "page", page)
        dialects = page.get("dialects")
        if dialects == []:
            self.report(path, "page", "no dialect", "name one of " + ", ".join(DIALECTS))
        for dialect in self.strings(dialects):
            if dialect not in DIALECTS:
                self.report(path, "page", f"unknown dialect '{dialect}'",
                            "use one of " + ", ".join(DIALECTS))

    def check_clause(self, path, clause):
        subject = f"clause {clause.get('id', '?')}"
        instead = [key for key in INSTEAD if key in clause]
        self.check_keys(path, subject, clause, (*CLAUSE_KEYS, *(() if instead else CARRIERS)),
                        (*CLAUSE_KEYS, *CARRIERS, *INSTEAD))
        if len(instead) > 1 or instead and any(key in clause for key in CARRIERS):
            self.report(path, subject, f"{instead[0]} beside what else says who carries it",
                        "keep one: conditions and rules, same_as, or out_of_scope")
        self.check_values(path, subject, clause)
        if isinstance(clause.get("level"), str) and clause["level"] not in ("", *LEVELS):
            self.report(path, subject, f"unknown level '{clause['level']}'",
                        "use one of " + ", ".join(LEVELS))
        stem = re.escape(os.path.splitext(os.path.basename(path))[0])
        self.check_id(path, subject, clause,
                      re.compile(rf"{stem}\.{SLUG}|{ARCHITECTURE_ID.pattern}"),
                      "FILE.slug or the number of an architecture clause")

    def check_gap(self, path, gap):
        subject = f"gap {gap.get('id', '?')}"
        self.check_keys(path, subject, gap, GAP_KEYS, GAP_KEYS)
        self.check_values(path, subject, gap)
        self.check_id(path, subject, gap, GAP_ID, "gap.slug")

    def check_references(self):
        """Of gaps and clauses to clauses, which may stand in any file."""
        self.by_id = {clause["id"]: clause for clause in self.clauses
                      if isinstance(clause.get("id"), str)}
        for gap in self.gaps:
            for reference in self.strings(gap.get("clauses")):
                if reference not in self.by_id:
                    self.report(gap["file"], f"gap {gap.get('id', '?')}",
                                f"no clause '{reference}'", "name clauses that exist")
        for clause in self.clauses:
            original = self.by_id.get(str(clause.get("same_as")))
            if "same_as" in clause and (original is None or "same_as" in original):
                self.report(clause["file"], f"clause {clause.get('id', '?')}",
                            f"same_as '{clause['same_as']}' is no clause that has its own carriers",
                            "name one that has conditions, rules or out_of_scope")

    def resolved(self):
        """The clauses, each with the carriers of the one that it is the same as."""
        keys = (*CARRIERS, "out_of_scope")
        for clause in self.clauses:
            original = self.by_id[clause.get("same_as", clause["id"])]
            yield {**clause, **{key: original[key] for key in keys if key in original}}

    # ---- keys and values ----

    def check_keys(self, path, subject, table, needed, known):
        for key in needed:
            if key not in table:
                self.report(path, subject, f"missing key '{key}'", "add it")
        for key in table:
            if key not in known:
                self.report(path, subject, f"unknown key '{key}'",
                            "use only " + ", ".join(known))

    def check_values(self, path, subject, table):
        for key, value in table.items():
            if key in LISTS:
                self.check_list(path, subject, key, value)
            elif not isinstance(value, str):
                self.report(path, subject, f"{key} is not a string", "put it in quotes")
            elif not value.strip():
                self.report(path, subject, f"empty {key}", "write it, or remove the key")

    def check_list(self, path, subject, key, value):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.report(path, subject, f"{key} is not a list of strings", 'write ["...", "..."]')
            return
        for item in sorted({item for item in value if value.count(item) > 1}):
            self.report(path, subject, f"'{item}' twice in {key}", "name it once")
        form, meant = REFERENCES.get(key, (None, None))
        for item in value:
            if form and not form.fullmatch(item):
                self.report(path, subject, f"'{item}' in {key} is none", f"write {meant}")

    def check_id(self, path, subject, table, form, meant):
        name = table.get("id")
        if not isinstance(name, str) or not name.strip():
            return
        if not form.fullmatch(name):
            self.report(path, subject, "not the form of an id", f"write {meant}")
        if name in self.where:
            self.report(path, subject, f"duplicate id, also in {self.where[name]}",
                        "rename one of the two")
        self.where.setdefault(name, os.path.basename(path))

    @staticmethod
    def strings(value):
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def literal(text):
    """The text as a C++ string literal, its line ends as blanks."""
    result = ""
    for byte in " ".join(text.split()).encode():
        char = chr(byte)
        plain = 32 <= byte < 127 and char not in '"\\'
        result += char if plain else f"\\{byte:03o}"
    return f'"{result}"'


class Source:
    """The C++ source: lists of ids first, then the tables that point into them."""

    def __init__(self):
        self.lists = []
        self.names = {}  # items -> name of the array

    def span(self, items):
        if not items:
            return "{}"
        key = tuple(items)
        if key not in self.names:
            self.names[key] = f"kList{len(self.names)}"
            joined = ", ".join(literal(item) for item in items)
            self.lists.append(f"constexpr std::string_view {self.names[key]}[] = {{{joined}}};")
        return self.names[key]

    def clause(self, c):
        texts = [literal(c[key]) for key in ("id", "page", "section", "level", "text")]
        spans = [self.span(c.get(key, [])) for key in CARRIERS]
        return ", ".join([*texts, *spans, literal(c.get("out_of_scope", "")),
                          self.span(c["dialects"]), literal(c.get("same_as", ""))])

    def gap(self, g):
        texts = [literal(g[key]) for key in ("id", "text", "decision")]
        return ", ".join([*texts, *[self.span(g[key]) for key in ("clauses", *CARRIERS)]])

    def text(self, clauses, gaps):
        tables = [("Clause", "kClauses", "clauses", [self.clause(c) for c in clauses]),
                  ("Gap", "kGaps", "gaps", [self.gap(g) for g in gaps])]
        lines = ["// Made by specs/clauses_table.py; edit specs/clauses/*.toml instead.",
                 '#include "specs/clauses.hpp"', "", "#include <array>", "",
                 "namespace mrproof::specs {", "namespace {", "", *self.lists, ""]
        for kind, name, _, rows in tables:
            lines += [f"constexpr std::array<{kind}, {len(rows)}> {name}{{{{"]
            lines += [f"    {{{row}}}," for row in rows] + ["}};", ""]
        lines += ["}  // namespace", ""]
        for kind, name, function, _ in tables:
            lines += [f"std::span<const {kind}> {function}() {{ return {name}; }}"]
        return "\n".join([*lines, "", "}  // namespace mrproof::specs", ""])


def main(arguments):
    if len(arguments) < 2:
        print("usage: clauses_table.py OUTPUT.cpp FILE.toml...", file=sys.stderr)
        return 2
    checker = Checker()
    for path in sorted(arguments[1:], key=os.path.basename):
        checker.read(path)
    checker.check_references()
    for finding in checker.findings:
        print(finding, file=sys.stderr)
    if checker.findings:
        return 2
    with open(arguments[0], "w", encoding="utf-8") as file:
        file.write(Source().text(list(checker.resolved()), checker.gaps))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
