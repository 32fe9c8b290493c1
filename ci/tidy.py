#!/usr/bin/env python3
"""Holds the source tree to its written style (HACKING.md):  ci/tidy.py [ROOT]

Prints one line "FILE:LINE: what is wrong" for each finding, then a summary. Exit status: 0 when
there is none. Every check is shown to work by ci/tidy_test.py. Heuristics are meant for this tree:
C++ formatted by clang-format, no preprocessor tricks.
"""

import ast
import fnmatch
import functools
import os
import re
import statistics
import sys

LINE_LIMIT = 100
FUNCTION_LIMIT = 60
FILE_LIMIT = 600

IGNORED_FOLDERS = re.compile(r"^(\.git|build.*|mrproof-report|__pycache__)$")
# One step, one expectation, one sentence a line, however long it is.
LONG_LINES = re.compile(r"(\.mrt|\.scope|\.md|-fails\.txt|-skips\.txt|fingerprints/[\w-]+\.txt"
                        r"|LICENSE|\.clang-tidy)$")
# Lists that the prover makes, as long as there are things to list.
LONG_FILES = re.compile(r"^specs/(GAPS|MUTANTS)\.md$")
# As the program that draws it writes it.
DRAWING = re.compile(r"\.svg$")

# The rooms, lowest first: a room knows itself and those before it (ARCHITECTURE.md).
ROOMS = ["model", "impl", "specs", "property-tests", "conformance", "ci"]

# A path of the tree in a document, and what stands in one for any name.
PATH = re.compile(r"(?<![\w/.:$-])(?:" + "|".join([*ROOMS, "docs"]) + r")/[\w./*-]*")
SOURCE = re.compile(r"(?<=`)[\w./*-]+\.(?:hpp|cpp|inc|py|sh|toml|scope|pml)(?=`)")
PLACEHOLDER = re.compile(r"\b(VERB|NAME|FILE|CONDITION|DRIVER-TARGET|TARGET)\b")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")

# In pieces, so that this file does not find itself.
FORBIDDEN = [
    (r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b", "unfinished work: finish it, or open an issue"),
    (r"/(wo" + r"rk|ro" + r"ot)/", "an absolute path of one machine"),
    (r"\b(pypi|crates|npmjs|rubygems|artifactory|nexus|jfrog)\." + r"[a-z]+\b|\bregistry\."
     + r"[a-z0-9.-]+\b|\bproxy\.golang\." + r"[a-z]+\b", "the name of a package registry"),
]


def read_tree(root):
    """All text files of the tree: path relative to root -> text."""
    tree = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not IGNORED_FOLDERS.match(f))
        for name in sorted(set(names) - {".git"}):  # a file in a second worktree
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                tree[os.path.relpath(path, root)] = file.read().decode("utf-8", "replace")
    return tree


def check_forbidden(text):
    for pattern, why in FORBIDDEN:
        for found in re.finditer(pattern, text):
            yield text.count("\n", 0, found.start()) + 1, f"'{found.group()}': {why}"


def check_lines(path, text):
    yield from check_forbidden(text)
    if DRAWING.search(path):
        return
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "the last line does not end"
    lines = text.split("\n")
    if len(lines) > FILE_LIMIT + 1 and not LONG_FILES.search(path):
        yield FILE_LIMIT, f"the file has {len(lines) - 1} lines; at most {FILE_LIMIT}"
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield number, "a tab"
        if line != line.rstrip():
            yield number, "trailing blanks"
        if len(line) > LINE_LIMIT and not LONG_LINES.search(path):
            yield number, f"the line has {len(line)} characters; at most {LINE_LIMIT}"


def blank_out(text):
    """C++ without comments, literals and preprocessor lines; the same number of lines."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                       r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ ]*#(?:\\\n|[^\n])*", re.S | re.M)
    return token.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


class Declaration:
    """Something at file, namespace or class scope: a function, a type, a variable."""

    def __init__(self, header, first, last, depth, has_body):
        self.header = re.sub(r"^\s*(template\s*<[^{;]*?>\s*(?=[a-z\[]))+", "", header).strip()
        self.first = first
        self.last = last
        self.at_namespace = depth == 0
        self.has_body = has_body

    def is_type(self):
        return self.has_body and re.match(r"(class|struct|union|enum)\b", self.header) is not None

    def is_function(self):
        header = re.sub(r"operator\s*[^\s\w(]+", "operator", self.header)
        before = header.split("(")[0]
        return ("(" in header and "=" not in before and not self.is_type()
                and not re.match(r"(using|static_assert|namespace|extern template)\b", header))


@functools.cache  # asked for twice a file
def declarations(text):
    """The declarations of C++ text, in order; members of types have at_namespace False."""
    code = blank_out(text)
    found = []
    depth = parens = types = 0  # of the body we are in; of parentheses; of enclosing types
    stack = []  # what each open scope is: namespace or type
    start = 0
    body = False
    for match in re.finditer(r"[(){};]", code):
        at, char = match.start(), match.group()
        if char in "()":
            parens += 1 if char == "(" else -1
        if parens or char not in "{};":
            continue
        header = code[start:at]
        if char == "{" and depth == 0 and is_scope(header):
            stack.append((header, start))
            types += is_type_header(header)
            start = at + 1
            continue
        if char == "{":
            if depth == 0 and not body:
                body, head = True, header
            depth += 1
            continue
        if char == "}" and depth == 0:
            if stack:
                opened, began = stack.pop()
                types -= is_type_header(opened)
                if is_type_header(opened):
                    found.append(declared(code, opened, began, at, types, True))
            start = at + 1
            continue
        depth -= char == "}"
        if depth or (char == "}" and re.match(r"\s*[,;{)(]", code[at + 1:at + 80])):
            continue  # inside a body; or a braced initializer that something follows
        text_of = head if body else header
        if text_of.strip():
            found.append(declared(code, text_of, start, at, types, body))
        start, body = at + 1, False
    return sorted(found, key=lambda d: d.first)


def is_type_header(header):
    return Declaration(header, 0, 0, 0, True).is_type()


def is_scope(header):
    return is_type_header(header) or re.search(r'(\bnamespace\b[\w:\s]*|\bextern\s*)$', header)


def declared(code, header, start, end, depth, has_body):
    begin = start + len(header) - len(header.lstrip())
    return Declaration(header, code.count("\n", 0, begin) + 1, code.count("\n", 0, end) + 1, depth,
                       has_body)


def check_function_lengths(path, text):
    functions = []
    if path.endswith((".cpp", ".hpp")):
        functions = [(d.first, d.last) for d in declarations(text)
                     if d.is_function() and d.has_body]
    elif path.endswith(".py"):
        functions = [(n.lineno, n.end_lineno) for n in ast.walk(ast.parse(text))
                     if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    elif re.match(r"#!.*\b(ba)?sh\b", text) or path.endswith(".sh"):
        for match in re.finditer(r"^\w+\(\) *\{\n.*?^\}", text, re.S | re.M):
            first = text.count("\n", 0, match.start()) + 1
            functions.append((first, first + match.group().count("\n")))
    for first, last in functions:
        if last - first + 1 > FUNCTION_LIMIT:
            yield first, f"the function has {last - first + 1} lines; at most {FUNCTION_LIMIT}"


def check_documentation(path, text):
    """Headers say what they are for, and so does each type and function in them."""
    if not path.endswith(".hpp"):
        return
    if not text.startswith("//"):
        yield 1, "a header begins with a comment that says what it is for"
    lines = text.split("\n")
    documented = {}  # last line of a declaration -> whether it is documented
    for d in declarations(text):
        if not d.at_namespace:
            continue
        above = lines[d.first - 2].strip() if d.first > 1 else ""
        # Declarations without a blank line between them share the first one's comment.
        good = above.startswith("//") or documented.get(d.first - 1, False)
        documented[d.last] = good
        if not good and (d.is_type() or d.is_function()):
            yield d.first, f"no comment before '{' '.join(d.header.split())[:50]}'"


@functools.cache  # asked for several times a file
def includes_of(text):
    """Line and target of each include of a file of the tree."""
    return [(text.count("\n", 0, match.start()) + 1, match.group(1))
            for match in re.finditer(r'^#include "([^"]+)"', text, re.M)]


def check_includes(path, text, tree):
    if not path.endswith((".cpp", ".hpp")):
        return
    if path.endswith(".hpp") and "\n#pragma once\n" not in text:
        yield 1, "no #pragma once"
    room = path.split("/", maxsplit=1)[0]
    for number, target in includes_of(text):
        if target not in tree:
            yield number, f"'{target}' is not in the tree; write paths from its top"
        elif ROOMS.index(target.split("/")[0]) > ROOMS.index(room):
            yield number, f"against the arrows: {room} must not know {target}"


def folder_graph(tree):
    """Which folder includes from which others, each with one include that does: FILE, LINE, TARGET.
    Tests count as all else does."""
    graph = {}
    for path, text in tree.items():
        if not path.endswith((".cpp", ".hpp", ".inc")):
            continue
        folder = os.path.dirname(path)
        graph.setdefault(folder, {})
        for number, target in includes_of(text):
            other = os.path.dirname(target)
            if other != folder and target in tree:
                graph[folder].setdefault(other, (path, number, target))
    return graph


def check_cycles(graph):
    """An include for each step of a way from a folder back to itself."""
    def reach(folder):
        seen, todo = set(), [folder]
        while todo:
            for other in graph.get(todo.pop(), {}):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen

    reached = {folder: reach(folder) for folder in graph}
    for folder, others in graph.items():
        for other, (path, number, target) in others.items():
            if folder in reached.get(other, ()):
                yield path, number, f"part of a cycle of folders: {folder} includes {target}"


def listed_in_cmake(path, tree):
    """Whether the CMakeLists.txt nearest to the file lists it, or a pattern there matches it."""
    folder = os.path.dirname(path)
    while folder and os.path.join(folder, "CMakeLists.txt") not in tree:
        folder = os.path.dirname(folder)
    words = tree.get(os.path.join(folder, "CMakeLists.txt"), "")
    relative = os.path.relpath(path, folder or ".")
    listed, patterns, recursive, folders = words_of_cmake(words)
    return relative in listed or (os.path.dirname(relative) or ".") in folders or any(
        fnmatch.fnmatch(relative, pattern)
        and (recursive or pattern.count("/") == relative.count("/")) for pattern in patterns)


@functools.cache
def words_of_cmake(text):
    words = set(re.split(r"[\s()]+", text))
    rooms = re.findall(r"mrproof_(?:room|sources)\(\w+ ([^)$]*)\)", text)
    return (words, [w for w in words if "*" in w], "GLOB_RECURSE" in words,
            {folder for folders in rooms for folder in folders.split()})


@functools.cache
def words_of(text):
    return set(re.findall(r"[\w-]+", text))


def mentions(text, name):
    """Whether the text has all words of the name: of "rxe-6.1", "rxe-6" and "1"."""
    return words_of(name) <= words_of(text)


def check_reachable(path, tree, included):
    """Whether anything would miss the file; `included`: all that some file includes."""
    name = os.path.basename(path)
    if path.endswith(".hpp"):
        if path not in included:
            yield 1, "no file includes it"
    elif path.endswith(".cpp") and not path.startswith("ci/vm/"):  # those the images are made with
        if not listed_in_cmake(path, tree):
            yield 1, "no CMakeLists.txt lists it"
    elif path.endswith((".cpp", ".py", ".sh", ".toml", ".mrt")) or tree[path].startswith("#!"):
        stem = os.path.splitext(name)[0]
        if not listed_in_cmake(path, tree) and not any(
                mentions(text, stem) for p, text in tree.items() if p != path):
            yield 1, "no other file mentions it"


def check_paths(path, text, tree):
    """Documents name and link only what exists; `*` and words like VERB stand for any name. The
    name of a source file may lack the folders that are clear from the text around it. In all else
    paths from the top of the tree exist."""
    if path.startswith("ci/tidy"):
        return
    named = {}
    if path.endswith(".md"):
        folder = os.path.dirname(path)
        named = {found.start(): (found.group(), "*/") for found in SOURCE.finditer(text)}
        named |= {found.start(1): (os.path.normpath(os.path.join(folder, found.group(1))), "")
                  for found in LINK.finditer(text)}
    named |= {found.start(): (found.group().rstrip("."), "") for found in PATH.finditer(text)}
    paths = paths_of(tuple(tree))
    for at, (name, before) in sorted(named.items()):
        pattern = before + PLACEHOLDER.sub("*", name.rstrip("/"))
        if pattern not in paths and not any(
                fnmatch.fnmatch("/" + each if before else each, pattern) for each in paths):
            yield text.count("\n", 0, at) + 1, f"'{name}' is not in the tree"


@functools.cache
def paths_of(files):
    """The files and the folders that they lie in."""
    folders = {"/".join(parts[:depth]) for parts in (file.split("/") for file in files)
               for depth in range(1, len(parts))}
    return folders.union(files)


@functools.cache  # the tests check one tree again and again
def check_alone(path, text):
    """What can be said of a file without the others."""
    return [*check_lines(path, text), *check_function_lengths(path, text),
            *check_documentation(path, text)]


def check(tree):
    """All findings of a tree, as "FILE:LINE: text"."""
    findings = []
    included = {target for path, text in tree.items() if path.endswith((".cpp", ".hpp"))
                for _, target in includes_of(text)}
    for path, text in tree.items():
        for number, what in [*check_alone(path, text), *check_includes(path, text, tree),
                             *check_reachable(path, tree, included),
                             *check_paths(path, text, tree)]:
            findings.append(f"{path}:{number}: {what}")
    findings += [f"{path}:{number}: {what}" for path, number, what
                 in check_cycles(folder_graph(tree))]
    return findings


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(
        os.path.abspath(__file__)))
    tree = read_tree(root)
    findings = check(tree)
    for finding in findings:
        print(finding)
    sizes = {p: t.count("\n") for p, t in tree.items() if p.endswith((".cpp", ".hpp"))}
    longest = max(sizes, key=sizes.get)
    graph = folder_graph(tree)
    print(f"{len(graph)} folders, {sum(map(len, graph.values()))} arrows between them, "
          f"{len(list(check_cycles(graph)))} of them in cycles")
    print(f"{len(sizes)} C++ files, median {statistics.median(sizes.values()):.0f} lines, longest "
          f"{sizes[longest]} ({longest}); {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
