"""Which case finds each seeded fault of the simulated device first, and after how many calls."""

import concurrent.futures
import json
import os
import subprocess
import tempfile
from pathlib import Path

from packages import TargetError

SCENARIOS = Path(__file__).resolve().parent.parent.parent / "model/scenarios"
# What a run has: its scenarios first, as ci/conformance calls it, or nothing but walks. What
# --quick leaves is looked for by --full.
QUICK, WALKS, FULL = "--quick", "walks of --quick", "--full"
RUNS = {QUICK: ["--quick", "--scenarios", str(SCENARIOS)], WALKS: ["--quick"],
        FULL: ["--full", "--scenarios", str(SCENARIOS)]}
MEANING = "`--full` is `mrproof run --full` here, with the scenarios: longer walks, and requests " \
          "that nobody answers. The covering array and the tours, which `ci/conformance --full` " \
          "adds, are left out."
ALLOWED = " Allowed: "


def faults(program):
    """[(id, what it breaks, why the pages allow that or "")] of `mrproof devices --faults`."""
    listed = subprocess.run([program, "devices", "--faults"], capture_output=True, text=True,
                            check=False)
    if listed.returncode != 0:
        raise TargetError(f"{program} devices --faults: {listed.stderr.strip()}")
    if not listed.stdout.strip():
        raise TargetError(f"{program} devices --faults: lists none; name the mrproof program")
    for line in listed.stdout.splitlines():
        name, _, text = line.partition(" ")
        breaks, _, why = text.strip().partition(ALLOWED)
        yield name.removeprefix("sim:"), breaks, why


def first_finding(journal):
    """(case, calls up to it, what it says) of a run's first deviation, or None."""
    calls = 0
    for line in journal.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["record"] != "step":
            continue
        calls += 1
        verdict, _, what = record["verdict"].partition(" ")
        if verdict not in ("conforms", "unsupported", "inconclusive"):
            return record["case"], calls, what
    return None


def found(program, fault, more):
    with tempfile.TemporaryDirectory(prefix="mrproof-fault-") as out:
        done = subprocess.run([program, "run", "--device", f"sim:{fault}", "--fail-fast", "--out",
                               out, *more], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise TargetError(f"sim:{fault}: {done.stderr.strip()}")
        first = first_finding(Path(out) / "journal.jsonl")
    if (done.returncode == 1) != (first is not None):
        raise TargetError(f"sim:{fault}: exit status {done.returncode}, but the journal tells "
                          f"{first or 'of nothing'}")
    return first


def seen_of(program, fault):
    """{run: finding or None}; --full only where --quick finds nothing."""
    seen = {name: found(program, fault, RUNS[name]) for name in (QUICK, WALKS)}
    seen[FULL] = seen[QUICK] or found(program, fault, RUNS[FULL])
    return seen


def rows(program, say):
    """(fault, what it breaks, why that is allowed, what runs see of it)."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = [(fault, pool.submit(seen_of, program, fault[0])) for fault in faults(program)]
        for place, (fault, seen) in enumerate(asked, 1):
            yield *fault, seen.result()
            if place % 20 == 0 or place == len(asked):
                say(f"{place} of {len(asked)} faults")


def line_of(row):
    name, breaks, why, seen = row
    case, calls, what = seen[FULL] or ("", "", "allowed" if why else "not found")
    by = "" if seen[QUICK] or not seen[FULL] else " (--full)"
    _, walked, _ = seen[WALKS] or ("", "-", "")
    return f"| {name} | {breaks} | {what} | {case}{by} | {calls} | {walked} |\n"


def table(all_rows):
    forbidden = [row[3] for row in all_rows if not row[2]]

    def share(name):
        count = sum(seen[name] is not None for seen in forbidden)
        return f"{count} ({100 * count / max(1, len(forbidden)):.1f} %)"

    text = "# Faults of the simulated device\n\nWritten by `ci/mutation-score --simulated`. " \
           f"{len(all_rows)} seeded faults, one at a time; {len(all_rows) - len(forbidden)} are " \
           f"choices that the pages allow. Of the other {len(forbidden)}:\n\n" \
           f"- found by `--quick`: {share(QUICK)}\n" \
           f"- found by `--full`: {share(FULL)}; what `--quick` finds is not run again\n" \
           f"- found by the walks of `--quick` alone, of seed 1: {share(WALKS)}\n\n" \
           f"{MEANING}\n\n" \
           "What is told is the first finding in the order of the plan, scenarios before " \
           "walks.\n\n| fault | what the device does | told by | in the case | calls until " \
           "then | by walks alone |\n|---|---|---|---|---|---|\n" + "".join(map(line_of, all_rows))
    reasons = [(row[0], row[2]) for row in all_rows if row[2]]
    if reasons:
        text += "\n## Why they are allowed\n\n"
        text += "".join(f"- *{name}:* {why}\n" for name, why in reasons)
    return text


def score(arguments, say):
    all_rows = list(rows(arguments.program, say))
    wrong = [row[0] for row in all_rows if bool(row[2]) == (row[3][FULL] is not None)]
    Path(arguments.out).write_text(table(all_rows), encoding="utf-8")
    say(f"table: {arguments.out}")
    if wrong:
        say(f"not as they have to be: {', '.join(wrong)}")
    return 1 if wrong else 0
