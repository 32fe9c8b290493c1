"""The functions and instructions of kernel modules, for reports of what a run reached of a driver.

The result is the image's code.json: {"modules": [{"name", "functions": [{"name", "file", "section",
"start", "lengths", "lines"}], "places"}]}. `start` counts from the section's begin; `lengths` has a
hexadecimal digit for each instruction. `file` is empty where no source was at hand. Where the
module has debug information, `lines` has for each instruction the number of its place, and `places`
the places' names: "drivers/infiniband/sw/siw/siw_mem.c:12".
"""

import re
import subprocess
import tempfile
from pathlib import Path

from packages import TargetError, run

# Of each target: its driver, and what stands between that and the library.
ALWAYS = ("ib_uverbs", "ib_core")
# What runs once, or is no code of the module's own, is left out.
SECTIONS = (".text", ".text.unlikely", ".noinstr.text")
SYMBOL = re.compile(r"^\s*\d+: ([0-9a-f]+)\s+(\w+) FUNC\s+\w+\s+\w+\s+(\d+) (\S+)", re.M)
SECTION = re.compile(r"^\s*\[\s*(\d+)\] (\S+)", re.M)
DISASSEMBLED = re.compile(r"^\s+([0-9a-f]+):\t", re.M)
# Room for the tracer in front of a function, and a second name of one.
NO_FUNCTION = re.compile(r"__(pfx|cfi|ksymtab)_")
# Where the source was built is of no interest; what was built outside of the kernel's tree has no
# folder there.
PLACE = re.compile(r"^.*/((?:drivers|include|arch|net|lib|kernel|mm)/.*|[^/]*)$")
DEFINITION = re.compile(r"^[a-z_](?:[\w\s*]|\([\w,\s]*\))*?\b(\w+)\(", re.M)


def _instructions(file, section):
    """Where instructions begin in the section."""
    said = run(["objdump", "-d", "-w", "--no-show-raw-insn", "-j", section, file],
               "install the binutils package")
    return sorted({int(found, 16) for found in DISASSEMBLED.findall(said)})


def _functions(file):
    """The functions of a module's file in the order of their addresses, without files."""
    said = run(["readelf", "-sSW", file], "install the binutils package")
    sections = {number: name for number, name in SECTION.findall(said) if name in SECTIONS}
    starts = {name: _instructions(file, name) for name in sections.values()}
    symbols = {}
    for value, size, number, name in SYMBOL.findall(said):
        if number in sections and int(size, 0) > 0 and not NO_FUNCTION.match(name):
            symbols.setdefault((sections[number], int(value, 16)), (name, int(size, 0)))
    for (section, value), (name, size) in sorted(symbols.items()):
        inside = [at for at in starts[section] if value <= at < value + size]
        ends = [*inside[1:], value + size]
        lengths = "".join("%x" % min(end - at, 15) for at, end in zip(inside, ends))
        yield {"name": name, "file": "", "section": section, "start": value, "lengths": lengths}


def _name_lines(file, functions):
    """Says which line of the source each instruction is of; the names of all places."""
    numbers = {}
    for section in {function["section"] for function in functions}:
        inside = [function for function in functions if function["section"] == section]
        addresses = []
        for function in inside:
            at = function["start"]
            for digit in function["lengths"]:
                addresses.append(at)
                at += int(digit, 16)
        wanted = file.with_suffix(".addresses")
        wanted.write_text("".join(f"{at:#x}\n" for at in addresses), encoding="ascii")
        said = run(["addr2line", "-e", file, "-j", section, f"@{wanted}"],
                   "install the binutils package")
        # A word in brackets may follow, "(discriminator 3)"; "?" is a line that is not known.
        places = iter(PLACE.sub(r"\1", place.split(" ")[0]) for place in said.splitlines())
        for function in inside:
            function["lines"] = [numbers.setdefault(next(places), len(numbers))
                                 for _ in function["lengths"]]
    return list(numbers)


def _sources_of(module, source):
    """The C files that the module is made of, by the makefile that says so."""
    objects = re.compile(rf"^{module}-\S+\s*[:+]?=((?:.*\\\n)*.*)$", re.M)
    for makefile in sorted(source.rglob("Makefile")):
        names = " ".join(objects.findall(makefile.read_text(encoding="utf-8")))
        files = [makefile.parent / f"{name}.c" for name in re.findall(r"(\S+)\.o\b", names)]
        if files:
            return [file for file in files if file.exists()]
    return []


def name_files(code, source):
    """Says for each function of code.json in which C file it is defined, as far as names at the
    begin of a line tell. Files lie one behind the other in a section, so a function that none of
    them names is of the file before it, as is one that several name."""
    for module in code["modules"]:
        defined = {}
        for file in _sources_of(module["name"], source):
            text = file.read_text(encoding="utf-8", errors="replace")
            for name in DEFINITION.findall(text):
                defined.setdefault(name, []).append(file.relative_to(source).as_posix())
        last = {}
        for function in module["functions"]:
            section = function["section"]
            files = defined.get(function["name"].split(".")[0], [])
            if files and last.get(section) not in files:
                last[section] = files[0]
            function["file"] = last.get(section, "")


def code_of(modules, driver):
    """The content of code.json for [(name, bytes)] of modules, without files."""
    code = []
    with tempfile.TemporaryDirectory(prefix="mrproof-code-") as folder:
        for name, data in modules:
            if name != driver and name not in ALWAYS:
                continue
            file = Path(folder, f"{name}.ko")
            file.write_bytes(data)
            functions = list(_functions(file))
            if not functions:
                raise TargetError(f"the module {name} has no symbols: what is reached of it cannot "
                                  "be told")
            code.append({"name": name, "functions": functions})
            if ".debug_line" in run(["readelf", "-SW", file], "install the binutils package"):
                code[-1]["places"] = _name_lines(file, functions)
    return {"modules": code}
