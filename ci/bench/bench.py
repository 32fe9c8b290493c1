#!/usr/bin/env python3
"""Measures how fast things are, and writes the table:  bench.py --mrproof PROGRAM [--judge PROGRAM]
[--traces PROGRAM] [--prover PROGRAM] [--runs N] [--large] [--out RESULTS.md]

Each figure is the best of N runs, since whatever else runs on the machine only makes things slower;
that of --large, minutes long, is of one.
SPIN explores the same model in the same run, with one core: it has two only for other searches.
How things grow is drawn beside the table, as growth.svg.
"""

import argparse
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import growth  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
EXPLORE = os.path.join(ROOT, "specs", "explore")
# Scopes that SPIN explores, too, with its options; and ours alone.
SHARED = [("shared-three", ["-DTHREE"]), ("shared-wide", ["-DTHREE", "-DWIDE"])]
OURS = ["default", "everything", "vendor"]
LARGE = "large"
# Of the table's columns; see spin_test.sh, and bytes of ExploreCounts.
EXPLAINED = ("SPIN counts one transition more, since it counts the way into the first state, too. "
             "\"Bytes a state\" is the most memory that the table of states, free places included, "
             "and the lists of states yet to be expanded took at once, by the number of states; "
             "the packed state itself has 16 bytes of it. While the table grows, what is left of "
             "the old one counts, too. What each thread remembers of the rules' answers, some "
             "90 MiB however many states there are, comes on top; `mrproof explore` prints "
             "both.")


def output_of(command, folder=None):
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def explored(mrproof, scope, threads, runs):
    """The counts of a scope, and the seconds of the best run."""
    best = None
    for _ in range(runs):
        text = output_of([mrproof, "explore", "--threads", str(threads),
                          os.path.join(EXPLORE, "scopes", scope + ".scope")])
        found = re.search(r"^(\d+) states, .* (\d+) transitions, .*; ([\d.]+) s:.*\n([\d.]+) bytes",
                          text)
        counts = {"states": int(found[1]), "transitions": int(found[2]),
                  "seconds": float(found[3]), "bytes": float(found[4])}
        if best is None or counts["seconds"] < best["seconds"]:
            best = counts
    return best


def spin(options, runs):
    """What SPIN counts, and the seconds of its best run; compiled for speed."""
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(EXPLORE, "promela", "shared.pml")
        output_of(["spin", *options, "-a", model], folder)
        output_of(["cc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-o", "pan", "pan.c"],
                  folder)
        best = None
        for _ in range(runs):
            text = output_of(["./pan", "-m1000000", "-w24"], folder)
            seconds = float(re.search(r"elapsed time ([\d.]+)", text)[1])
            if best is None or seconds < best["seconds"]:
                best = {"states": int(re.search(r"(\d+) states, stored", text)[1]),
                        "transitions": int(float(re.search(r"([\d.e+]+) transitions", text)[1])),
                        "seconds": seconds}
        return best


def million(count, seconds):
    return f"{count / seconds / 1e6:.2f}"


def shared_rows(mrproof, runs):
    for scope, options in SHARED:
        theirs = spin(options, runs)
        rate = theirs["transitions"] / theirs["seconds"]
        yield (scope, "SPIN, 1 core", theirs, "1.0")
        for threads in (1, 2):
            ours = explored(mrproof, scope, threads, runs)
            if (ours["states"], ours["transitions"] + 1) != (theirs["states"],
                                                             theirs["transitions"]):
                sys.exit(f"bench.py: {scope}: SPIN counts {theirs}, mrproof {ours}; "
                         "run the test explore.spin")
            name = f"mrproof, {threads} core" + ("s" if threads > 1 else "")
            yield (scope, name, ours, f"{ours['transitions'] / ours['seconds'] / rate:.1f}")


def exploration(mrproof, runs, large):
    rows = list(shared_rows(mrproof, runs))
    for scope in OURS:
        for threads in (1, 2):
            name = f"mrproof, {threads} core" + ("s" if threads > 1 else "")
            rows.append((scope, name, explored(mrproof, scope, threads, runs), ""))
    if large:
        rows.append((f"{LARGE} (one run)", "mrproof, 2 cores", explored(mrproof, LARGE, 2, 1), ""))
    return rows


def exploration_table(rows):
    yield "| scope | explored by | states | transitions | seconds | M states/s | " \
          "M transitions/s | times SPIN | bytes a state |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for scope, name, found, ratio in rows:
        seconds = max(found["seconds"], 1e-3)
        size = f"{found['bytes']:.1f}" if "bytes" in found else ""
        yield (f"| {scope} | {name} | {found['states']} | {found['transitions']} | "
               f"{seconds:.2f} | {million(found['states'], seconds)} | "
               f"{million(found['transitions'], seconds)} | {ratio} | {size} |")


def benchmarks_of(program, runs):
    """The benchmarks of a program, each with its argument behind it: the best rate, a second."""
    found = json.loads(output_of([program, f"--benchmark_repetitions={runs}",
                                  "--benchmark_min_time=0.2", "--benchmark_format=json"]))
    best = {}
    for row in found["benchmarks"]:
        if row["run_type"] != "iteration":
            continue
        rates = [value for counter, value in row.items() if counter.endswith("s/s")]
        best[row["run_name"]] = max([best.get(row["run_name"], 0), *rates])
    return best


def rate_table(rates):
    yield "| on one core | M steps/s |"
    yield "|---|---|"
    for name, rate in rates.items():
        yield f"| {name.replace('_', ' ')} | {rate / 1e6:.3f} |"


def proofs(prover, runs):
    """Rows about proving every obligation, with two threads."""
    yield "| seed | obligations | result | seconds | of all questions together | of the longest |"
    yield "|---|---|---|---|---|---|"
    for seed in range(min(runs, 3)):
        start = time.monotonic()
        said = output_of([prover, "--seed", str(seed)])
        seconds = time.monotonic() - start
        found = re.search(r"^all +(\d+) +([\d.]+) +([\d.]+) +(.*)$", said, flags=re.M)
        yield (f"| {seed} | {found[1]} | {found[4]} | {seconds:.0f} | {found[2]} | {found[3]} |")


def panels(rows, rates):
    """What growth.draw() takes."""
    lines = {}
    for _, name, found, _ in rows:
        lines.setdefault(name, []).append((found["states"], max(found["seconds"], 1e-3)))
    yield "Exploration", "states", "seconds", "xy", lines, "points"

    def of(names, value):
        return {name.replace("_", " "): [(int(full.split("/")[1]), value(int(full.split("/")[1]),
                                                                         rate))
                                         for full, rate in rates.items()
                                         if full.split("/")[0] == name] for name in names}

    yield ("Beside live regions", "live regions", "ns", "",
           of(("propose_a_call", "judge_a_write"), lambda _, rate: 1e9 / rate), "linespoints")
    among = of(["judge_and_advance_among"], lambda _, rate: 1e9 / rate)
    if among["judge and advance among"]:
        yield "Beside many", "live regions", "ns", "x", among, "linespoints"
    yield ("Traces", "steps", "ms", "xy",
           of(("print_a_trace", "parse_a_trace", "judge_a_trace"),
              lambda steps, rate: 1e3 * steps / rate), "linespoints")


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    compiler = output_of(["c++", "--version"]).splitlines()[0]
    return (f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, "
            f"{memory:.0f} GiB; {compiler}; {output_of(['spin', '-V']).strip()}")


def of_tree(word):
    """A word of the command: a path as seen from the tree's top, of one elsewhere the name."""
    option, equals, value = word.rpartition("=") if word.startswith("--") else ("", "", word)
    if os.sep in value or os.path.exists(value):
        path = os.path.relpath(value, ROOT)
        value = os.path.basename(value.rstrip(os.sep)) if path.startswith(os.pardir) else path
    return option + equals + value


def command():
    """That this program was called with."""
    return shlex.join(["ci/bench/bench.py", *map(of_tree, sys.argv[1:])])


def head(options, rows):
    """The table's beginning: how it was made, and exploration."""
    return ["# How fast", "", "Written by", "", f"    {command()}", "",
            "with paths from the tree's top, and of what lies elsewhere the name alone. `cmake "
            "--build build/release --target bench` does the same without `--large`. Best of "
            f"{options.runs} runs, where not said otherwise, on: {machine()}.", "",
            "## Exploration", "", *exploration_table(rows), "", EXPLAINED]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--mrproof", required=True)
    parser.add_argument("--judge", help="mrproof_judge_benchmark")
    parser.add_argument("--traces", help="mrproof_trace_benchmark")
    parser.add_argument("--prover", help="mrproof-prove")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="the scope of 50 million states, too")
    parser.add_argument("--out", help="file for the table (default: standard output)")
    options = parser.parse_args()
    if options.traces and options.out:
        growth.check()
    rows = exploration(os.path.abspath(options.mrproof), options.runs, options.large)
    lines = head(options, rows)
    judged = benchmarks_of(options.judge, options.runs) if options.judge else {}
    if judged:
        lines += ["", "## The model", "", *rate_table(judged)]
    if options.prover:
        lines += ["", "## Proofs", "", *proofs(options.prover, options.runs)]
    if options.traces:
        rates = benchmarks_of(options.traces, options.runs)
        lines += ["", "## Calls and traces", "",
                  "Behind the name: how many regions are live, or how many steps a trace has.", "",
                  *rate_table(rates)]
        if options.out:
            drawing = os.path.join(os.path.dirname(os.path.abspath(options.out)), "growth.svg")
            growth.draw(list(panels(rows, {**judged, **rates})), drawing)
            lines += ["", "![how it grows](growth.svg)"]
    text = "\n".join(lines) + "\n"
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text)
    print(text)


if __name__ == "__main__":
    try:
        main()
    except growth.GrowthError as error:
        sys.exit(f"bench.py: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"bench.py: {error}: {(error.stderr or '')[-500:]}")
