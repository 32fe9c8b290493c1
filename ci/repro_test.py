#!/usr/bin/env python3
"""Tests of the programs that mrproof report writes: that they compile, and what they say of a real
driver in the virtual machine.

    ci/repro_test.py PROGRAM [unittest arguments]

Compiled has no need of a target. The others boot guests: MRPROOF_TARGET_DIR names the image of
debian-bookworm (ci/test sets it); without it: exit 77. Elsewhere and Mended want those of other
targets in MRPROOF_OTHER_TARGET_DIRS, separated by colons (ci/test --long).
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci/vm"))

import findings  # noqa: E402
from guest_programs import run_programs  # noqa: E402

PROGRAM = ""
TARGET = os.environ.get("MRPROOF_TARGET_DIR", "")
OTHER_TARGETS = [folder for folder in os.environ.get("MRPROOF_OTHER_TARGET_DIRS", "").split(":")
                 if folder]
SCENARIOS = ROOT / "model/scenarios"
LARGE = ROOT / "model/large"  # traces of many objects, whose programs have loops
# As the head of each program says, and with all that a careful reader's compiler would ask.
COMPILE = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror"]


def device_of(target):
    """What programs are told of the target's device: its name, and the address to connect by."""
    facts = json.loads((Path(target) / "target.json").read_text(encoding="utf-8"))
    return f"{facts['device']} {facts['address']}" if facts["iwarp"] else facts["device"]


def libraries_of(trace):
    """Beside libibverbs: over iWARP the RDMA CM connects."""
    return ["-lrdmacm"] if "IWARP" in trace.read_text(encoding="utf-8") else []


def name_of(trace):
    return "-".join(trace.with_suffix("").parts[-2:])


class Programs(unittest.TestCase):
    """Writes and compiles programs into a folder of the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mrproof-repro-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compiled(self, trace, options=(), libraries=None):
        """The program of a trace, or what went wrong."""
        out = self.folder / name_of(trace)
        libraries = libraries_of(trace) if libraries is None else libraries
        done = subprocess.run([PROGRAM, "report", trace, "-o", out, *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"{trace}: report: {done.stderr}"
        done = subprocess.run([*COMPILE, "-s", "-o", out / "repro", out / "repro.c", "-libverbs",
                               *libraries], capture_output=True, text=True, check=False)
        return f"{trace}: {done.stderr}" if done.returncode != 0 else out / "repro"

    def compile_all(self, traces):
        """{name: file} of the programs of the traces, all of which have to compile."""
        with ThreadPoolExecutor(max_workers=2) as pool:
            results = list(pool.map(self.compiled, traces))
        wrong = [result for result in results if isinstance(result, str)]
        self.assertEqual(wrong, [], "\n".join(wrong[:5]))
        return dict(zip(map(name_of, traces), results))


    def nothing_made_up(self, trace, ended):
        """Where the program tells of a deviation, the oracle does for the same calls."""
        with self.subTest(trace=trace.name):
            self.assertIn(ended.code, (0, 1, 4), ended.output)
            if ended.code == 1:
                done = subprocess.run([PROGRAM, "replay", trace, "--target", TARGET],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 1, ended.output + done.stdout)


class Compiled(Programs):
    """The findings' programs, and those of every twelfth scenario."""

    def test_findings(self):
        traces = list(filter(findings.has_program, findings.traces()))
        self.assertGreaterEqual(len(self.compile_all(traces)), 14)

    def test_scenarios(self):
        self.assertGreater(len(self.compile_all(sorted(SCENARIOS.rglob("*.mrt"))[::12])), 70)

    def test_many_objects(self):
        self.assertGreater(len(self.compile_all(sorted(LARGE.glob("*.mrt")))), 3)
        for source in self.folder.glob("*/repro.c"):
            self.assertLess(len(source.read_text().splitlines()), 400, source)


class AllCompiled(Programs):
    """The program of every scenario."""

    def test_scenarios(self):
        self.assertGreater(len(self.compile_all(sorted(SCENARIOS.rglob("*.mrt")))), 900)


class FindingsPrograms(Programs):
    """On a target that has the faults each program tells of its own: exit status 1, at the step
    that the trace names."""

    KILLERS = "kills-the-kernel"

    def deviates(self, trace, ended):
        step = sum(1 for line in trace.read_text().splitlines()
                   if line and line[0] not in "#!" and not line.startswith("given "))
        self.assertEqual(ended.code, 1, f"{trace.name}:\n{ended.output}")
        self.assertRegex(ended.output, rf"deviates: step {step}: ")

    def all_deviate(self, target):
        traces = [trace for trace in findings.of_target(target)
                  if self.KILLERS not in trace.name and findings.is_met(trace)]
        self.assertGreater(len(traces), 0, target)
        # The one that makes the kernel wait and complain comes last.
        traces.sort(key=lambda trace: "destroying-a-queue-pair" in trace.name)
        ended = run_programs(target, self.compile_all(traces), device_of(target))
        self.assertEqual(len(ended), len(traces))
        for trace in traces:
            with self.subTest(trace=trace.name):
                self.deviates(trace, ended[name_of(trace)])

    def all_die(self, target):
        """The kernel, that is, which a program cannot tell: its last line says what it does."""
        traces = [trace for trace in findings.of_target(target) if self.KILLERS in trace.name]
        self.assertGreater(len(traces), 0, target)
        for trace, program in zip(traces, self.compile_all(traces).values()):
            with self.subTest(trace=trace.name):
                ended = run_programs(target, {"killer": program}, device_of(target))["killer"]
                self.assertIsNone(ended.code, ended.output)
                self.assertIn("making step", ended.output)
                self.assertIn("Kernel panic", ended.output)


class Findings(FindingsPrograms):
    """Also of faults that this target does not have: 0, or 4 where it lacks the feature, unless
    another fault shows in the same calls."""

    def test_exit_status(self):
        self.all_deviate(TARGET)

    def test_faults_of_other_targets(self):
        own = findings.of_target(TARGET)
        traces = [trace for trace in findings.traces()
                  if trace not in own and findings.has_program(trace)
                  and not findings.wants_rounds(trace)]
        self.assertGreater(len(traces), 0)
        ended = run_programs(TARGET, self.compile_all(traces), "rxe0")
        for trace in traces:
            self.nothing_made_up(trace, ended[name_of(trace)])

    def test_connected_by_rdma_cm(self):
        """As iWARP wants it; RoCE can be connected so, too."""
        traces = [trace for trace in findings.traces() if trace.name.startswith(("F4-", "F10-"))]
        programs = {name_of(trace): self.compiled(trace, ["--rdma-cm"], ["-lrdmacm"])
                    for trace in traces}
        self.assertEqual([p for p in programs.values() if isinstance(p, str)], [])
        ended = run_programs(TARGET, programs, "rxe0 10.9.9.1")
        for trace in traces:
            with self.subTest(trace=trace.name):
                self.deviates(trace, ended[name_of(trace)])

    def test_kernel_dies(self):
        self.all_die(TARGET)


class Elsewhere(FindingsPrograms):
    """Findings on the other targets."""

    def test_exit_status(self):
        for target in OTHER_TARGETS:
            with self.subTest(target=Path(target).name):
                self.all_deviate(target)

    def test_kernel_dies(self):
        for target in OTHER_TARGETS:
            with self.subTest(target=Path(target).name):
                self.all_die(target)


class Mended(Programs):
    """On a target that does not have the fault: exit status 0."""

    def test_exit_status(self):
        mended = [(target, findings.conforming_on(target)) for target in OTHER_TARGETS]
        self.assertTrue(any(traces for _, traces in mended))
        for target, traces in mended:
            self.all_conform(target, traces)

    def all_conform(self, target, traces):
        ended = (run_programs(target, self.compile_all(traces), device_of(target))
                 if traces else {})
        for trace in traces:
            with self.subTest(trace=trace.name):
                self.assertEqual(ended[name_of(trace)].code, 0, ended[name_of(trace)].output)


class Scenarios(Programs):
    """Scenarios tell of faults that this target does not have, or of none: each program ends with
    0 or 4, but for known findings, and then the oracle says the same of the trace's calls."""

    # Folders whose calls kill this target's kernel (F12), or hold it up for a minute (F13).
    LEFT_OUT = {"local_inv", "send_with_inv", "destroy_qp"}
    EACH = 7

    def test_nothing_is_made_up(self):
        traces = [trace for trace in sorted(SCENARIOS.rglob("*.mrt"))
                  if trace.parent.name not in self.LEFT_OUT][::self.EACH]
        ended = run_programs(TARGET, self.compile_all(traces), "rxe0")
        self.assertEqual(len(ended), len(traces))
        codes = [ended[name_of(trace)].code for trace in traces]
        self.assertGreater(codes.count(0), len(traces) / 3)
        for trace in traces:
            self.nothing_made_up(trace, ended[name_of(trace)])


class ManyObjects(Programs):
    """Traces of many objects conform on this target, and so their programs say."""

    def test_conforms(self):
        # This target has no regions on demand.
        traces = [trace for trace in sorted(LARGE.glob("*.mrt"))
                  if "ON_DEMAND" not in trace.read_text(encoding="utf-8")]
        self.assertGreater(len(traces), 4)
        ended = run_programs(TARGET, self.compile_all(traces), "rxe0", limit=300)
        for trace in traces:
            with self.subTest(trace=trace.name):
                self.assertEqual(ended[name_of(trace)].code, 0, ended[name_of(trace)].output)


class AllScenarios(Scenarios):
    """The same for each of them."""

    EACH = 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: MRPROOF_TARGET_DIR=IMAGE ci/repro_test.py PROGRAM; ci/test does it")
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    groups = {argument.split(".")[0] for argument in sys.argv[1:]}
    wanted = OTHER_TARGETS if {"Mended", "Elsewhere"} & groups else TARGET
    if not wanted and not any("Compiled" in argument for argument in sys.argv):
        print("skipped: no image; ci/test builds one and names it")
        sys.exit(77)
    unittest.main(verbosity=2)
