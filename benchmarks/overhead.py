#!/usr/bin/env python3
"""Measures the harness's overhead on a real driver:  overhead.py --target IMAGE --mrproof PROGRAM
--bare-table PROGRAM --bare-loop PROGRAM [--rounds N] [--steps N] [--seed N]

In one guest of the target, by turns: walks by `mrproof run`, and the very calls that they made,
replayed from the run's journal by a C program that knows libibverbs alone. Steps/s of the harness
over steps/s of that loop are the ratio; the median of the rounds counts. Both are timed from
the first case's set-up to the last case's end, and the loop makes the calls between cases, too.
A second ratio bounds the first: that of the same loop when it compares every byte after each call.
Supervisor and worker both run in the guest, as they do on a machine with a device of its own.
"""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci/vm"))

import guest_programs  # noqa: E402
import image  # noqa: E402

SCRIPT = """
cd /tmp
round=0
while [ $round -lt %(rounds)d ]; do
    /programs/mrproof run --device %(device)s --quick --seed %(seed)d --steps %(steps)d \
        --expect /programs/%(expect)s --out /tmp/report >/tmp/said 2>&1 </dev/null
    /programs/bare_table /tmp/report/journal.jsonl /programs/%(expect)s /tmp/table &&
        /programs/bare_loop %(device)s /tmp/table comparing &&
        /programs/bare_loop %(device)s /tmp/table || /bin/busybox tail -n 5 /tmp/said
    round=$((round + 1))
done
"""
CASE_STEPS = 200  # of mrproof run
BOOT_LIMIT = 3600


class OverheadError(Exception):
    """The measurement failed; the text says why."""


def archive_of(options, facts):
    """What the guest needs beside the image, as bytes; both programs come from this machine."""
    fails = f"{facts['driver']}-{facts['name']}-fails.txt"
    archive = image.Archive()
    for name in ("mrproof", "bare_table", "bare_loop"):
        archive.file(f"programs/{name}", Path(getattr(options, name)).read_bytes(), executable=True)
    for kind in ("fails", "flakes", "skips"):
        name = fails.replace("fails", kind)
        file = ROOT / "ci/expectations" / name
        if file.exists():
            archive.file(f"programs/{name}", file.read_bytes())
    script = SCRIPT % {"rounds": options.rounds, "device": facts["device"], "seed": options.seed,
                       "steps": options.steps, "expect": fails}
    archive.file("programs/run", script.encode())
    return archive.finish()


def rounds_of(console):
    """The numbers of each round, by name."""
    rounds = []
    said = {}
    for line in re.findall(r"^bare_loop: (\w+_ns .*|steps .*)$", console, flags=re.M):
        words = line.split()
        said.update({name: int(value) for name, value in zip(words[::2], words[1::2])})
        if "steps" in said and "comparing_ns" in said:
            rounds.append(said)
            said = {}
    return rounds


def measured(options):
    """The rounds measured in a guest of the target, and what the target is."""
    facts = json.loads((Path(options.target) / "target.json").read_text(encoding="utf-8"))
    print(f"measuring in a guest of {facts['name']}: {options.rounds} rounds of {options.steps} "
          "steps, half a minute each where it is emulated", file=sys.stderr, flush=True)
    console = guest_programs.boot(options.target, archive_of(options, facts), BOOT_LIMIT)
    rounds = rounds_of(console)
    if len(rounds) != options.rounds:
        raise OverheadError("not every round was measured:\n" + console[-2000:])
    return rounds, facts


# Where the harness's time goes.
PARTS = (
    ("calls", lambda of: of["inside_ns"]),
    ("making objects and pairs ready between cases", lambda of: of["reset_ns"]),
    ("judging, comparing memory, recording", lambda of: of["step_ns"] - of["inside_ns"]),
    ("proposing calls", lambda of: of["harness_ns"] - of["reset_ns"] - of["step_ns"]),
)


def ratio(of):
    return of["bare_ns"] / of["harness_ns"]


def spread(values, digits):
    return (f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to "
            f"{max(values):.{digits}f})")


def table(options):
    """Lines of Markdown: the ratio, and where the harness's time goes."""
    rounds, facts = measured(options)
    steps = sum(of["steps"] for of in rounds)
    harness = [of["steps"] / of["harness_ns"] * 1e9 for of in rounds]
    bare = [of["steps"] / of["bare_ns"] * 1e9 for of in rounds]
    same = sum(of["as_in_run"] for of in rounds) / steps
    yield (f"{facts['name']}, {facts['device']} (Linux {facts['kernel']}, rdma-core "
           f"{facts['rdma_core']}, accelerator {facts['accelerator']}): medians of "
           f"{len(rounds)} rounds of {rounds[0]['steps']} steps, with the least and the greatest.")
    yield f"Of the loop's steps {100 * same:.2f} % ended as in the run."
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| harness, steps/s | {spread(harness, 0)} |"
    yield f"| bare C loop, steps/s | {spread(bare, 0)} |"
    yield f"| **ratio** | **{spread([ratio(of) for of in rounds], 3)}** |"
    only_compared = [of["bare_ns"] / of["comparing_ns"] for of in rounds]
    yield ("| ratio of a bare loop that compares every byte after each call, and does nothing else "
           f"| {spread(only_compared, 3)} |")
    for what, nanoseconds in PARTS:
        shares = [nanoseconds(of) / of["harness_ns"] for of in rounds]
        yield f"| of the harness's time, {what} | {spread(shares, 3)} |"


def add_options(parser):
    parser.add_argument("--bare-table", help="bare_table, as built beside bench.py")
    parser.add_argument("--bare-loop", help="bare_loop, likewise")
    parser.add_argument("--rounds", type=int, default=5)
    # Fewer tell mostly how long an emulated machine takes to translate code new to it.
    parser.add_argument("--steps", type=int, default=100 * CASE_STEPS, help="of each round")
    parser.add_argument("--seed", type=int, default=7)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--target", required=True, help="folder of an image (ci/build-target)")
    parser.add_argument("--mrproof", required=True)
    add_options(parser)
    options = parser.parse_args()
    options.steps -= options.steps % CASE_STEPS
    try:
        print("\n".join(table(options)))
    except OverheadError as error:
        sys.exit(f"overhead.py: {error}")


if __name__ == "__main__":
    main()
