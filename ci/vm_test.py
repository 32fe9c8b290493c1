#!/usr/bin/env python3
"""Tests on a real kernel driver in the virtual machine: findings replay, and nothing is lost when a
worker, QEMU or the guest's kernel dies in the middle of a run.

    ci/vm_test.py PROGRAM [unittest arguments]

MRPROOF_TARGET_DIR names the image of debian-bookworm (ci/test sets it); without it: exit 77. Iwarp
wants those of siw and siw-sid among those of other targets in MRPROOF_OTHER_TARGET_DIRS, separated
by colons, and Sanitized that of kasan (ci/test --long). Each test boots guests of its own; a whole
run takes about five minutes under emulation.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci/vm"))

import findings  # noqa: E402

PROGRAM = ""
TARGET = os.environ.get("MRPROOF_TARGET_DIR", "")
SIW = [folder for folder in os.environ.get("MRPROOF_OTHER_TARGET_DIRS", "").split(":")
       if Path(folder).name in ("siw", "siw-sid")]
SANITIZED = [folder for folder in os.environ.get("MRPROOF_OTHER_TARGET_DIRS", "").split(":")
             if Path(folder).name == "kasan"]
EXPECTATIONS = ROOT / "ci/expectations"


def mrproof(*arguments, limit=300):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=limit, check=False)


def in_guest(command):
    """Arguments that run a shell command in the guest beside the agent."""
    return ["--kernel-argument", f'mrproof.background="{command}"']


class Run(unittest.TestCase):
    """A walk in the guest that something happens to."""

    def setUp(self):
        self.out = Path(tempfile.mkdtemp(prefix="mrproof-vm-"))
        self.addCleanup(shutil.rmtree, self.out)

    def walk(self, *arguments, steps=8000,
             known=EXPECTATIONS / "rxe-debian-bookworm-fails.txt", limit=300):
        done = mrproof("run", "--target", TARGET, "--steps", steps, "--out", self.out, "--expect",
                       known, *arguments, limit=limit)
        self.output = done.stdout + done.stderr
        self.report = json.loads((self.out / "report.json").read_text())
        return done.returncode

    def incident(self, text):
        for incident in self.report["incidents"]:
            if text in incident["text"]:
                return incident
        self.fail(f"no incident tells of '{text}':\n{self.output}")

    def journal_reaches(self, incident):
        """The journal holds every step before the one that the incident is about."""
        steps = set()
        for line in (self.out / "journal.jsonl").read_text().splitlines():
            record = json.loads(line)
            if record["record"] == "step" and record["case"] == incident["case"]:
                steps.add(record["step"])
            # Both guests may have panicked, with one text.
            if record == {**record, "record": "incident", "text": incident["text"],
                          "case": incident["case"]}:
                break
        self.assertTrue(steps.issuperset(range(incident["step"])), sorted(steps))

    def test_undisturbed(self):
        code = self.walk()
        self.assertEqual(code, 0, self.output)
        self.assertEqual(self.report["cases"]["finished"], self.report["cases"]["planned"])
        self.assertEqual(self.report["target"]["driver"], "rxe")
        self.assertTrue(self.report["target"]["kernel"].startswith("6.1."))
        self.assertEqual(self.report["target"]["rdma_core"], "44.0")

    def test_repeats(self):
        """To the bit, times included, however busy this machine is; with another seed the keys are
        others."""
        def run(*arguments):
            self.assertEqual(self.walk("--quick", *arguments), 0, self.output)
            return (self.out / "journal.jsonl").read_text()

        first = run()
        self.assertEqual(first, run())
        self.assertNotEqual(first, run("--guest-seed", 2))

    def test_wire(self):
        """RC hides what a wire loses, and what it loses is the same each time. What netem does not
        know is told in a line."""
        def run():
            self.assertEqual(self.walk("--quick", "--wire", "loss 5%", steps=2000), 0, self.output)
            return (self.out / "journal.jsonl").read_text()

        first = run()
        self.assertEqual(first, run())
        self.assertIn("wire loss 5%", self.report["target"]["place"])
        self.assertEqual(self.report["target"]["device"], "rxe0@lossy")
        unknown = mrproof("run", "--target", TARGET, "--wire", "lose 5%", "--out", self.out / "no")
        self.assertEqual(unknown.returncode, 2)
        self.assertRegex(unknown.stderr, "does not come up: netem lose 5%: .*; see .*console")

    def test_guests(self):
        """Two guests do what one does with each half of the cases, and the report and the journal
        are those of one run."""
        def run(*arguments, out):
            done = mrproof("run", "--target", TARGET, "--steps", 2000, "--out", out, "--expect",
                           EXPECTATIONS / "rxe-debian-bookworm-fails.txt", *arguments)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            lines = (out / "journal.jsonl").read_text().splitlines()
            cases = [json.loads(line) for line in lines if '"record":"case"' in line]
            return cases, [line for line in lines if '"record":"step"' in line]

        cases, steps = run(out=self.out / "both")
        self.assertEqual([case["index"] for case in cases], list(range(10)))
        halves = [run("--guests", 1, "--shard", f"{i}/2", out=self.out / f"half-{i}")
                  for i in (1, 2)]
        self.assertEqual(sorted(steps), sorted(halves[0][1] + halves[1][1]))
        report = json.loads((self.out / "both/report.json").read_text())
        self.assertIn("2 guests", report["target"]["place"])
        self.assertEqual(report["cases"]["finished"], 10)
        for deviation in report["deviations"]:
            self.assertTrue((self.out / "both" / deviation["trace"]).exists(), deviation)
        self.assertEqual(list((self.out / "both").glob("guest-*.jsonl")), [])

    def test_resume(self):
        """A run of two guests that was cut short goes on with what each has left to do."""
        self.assertEqual(self.walk("--time", 1, steps=40000), 0, self.output)
        self.assertTrue(self.report["cut_short"])
        begun = self.report["cases"]["finished"]
        self.assertEqual(len(list(self.out.glob("guest-?-journal.jsonl"))), 2)
        self.assertEqual(self.walk("--resume", steps=40000), 0, self.output)
        self.assertEqual(self.report["cases"]["finished"], 200)
        self.assertLess(begun, 200)
        lines = map(json.loads, (self.out / "journal.jsonl").read_text().splitlines())
        self.assertEqual([line["index"] for line in lines if line["record"] == "case_end"],
                         list(range(200)))
        self.assertEqual(list(self.out.glob("guest-*.jsonl")), [])

    def test_driver_coverage(self):
        """A longer run reaches all that a shorter one does, and another guest the same."""
        def reached(steps):
            self.assertEqual(self.walk("--driver-coverage", steps=steps), 0, self.output)
            self.assertIn("instructions reached: ib_core ", self.output)
            self.assertIn("Reached of the driver", (self.out / "report.html").read_text())
            return {f["function"]: f["reached"] for f in self.report["driver_coverage"]}

        few, again, more = reached(50), reached(50), reached(4000)
        self.assertEqual(few, again)
        self.assertTrue(all(more[name] >= count for name, count in few.items()))
        self.assertGreater(more["rxe_reg_user_mr"], 0)
        self.assertGreater(sum(more.values()), sum(few.values()))
        table = mrproof("reached", self.out, "--functions")
        self.assertRegex(table.stdout, r"\n +rxe_reg_user_mr +\d+ +\d+\.\d %\n")
        code = mrproof("run", "--target", TARGET, "--steps", 50, "--out", self.out / "plain")
        self.assertEqual(mrproof("reached", self.out / "plain").returncode, 2, code)

    def test_guided(self):
        """What reaches something new is kept, short; a guest in which its trace is replayed reaches
        that, too. The cases are the same each time."""
        self.assertEqual(self.walk("--guided", 0.2, "--repeat", 2, steps=1000, limit=900), 0,
                         self.output)
        self.assertIn("2 runs, byte for byte the same", self.output)
        corpus = [file.name for file in (self.out / "corpus").glob("*.mrt")]
        kept = self.report["guided"]["kept"]
        self.assertEqual(sorted(corpus), sorted(Path(one["trace"]).name for one in kept))
        self.assertIn("Led by what was reached", (self.out / "report.html").read_text())
        short = [one for one in kept if one["alone"]]
        self.assertTrue(short and all(one["steps"] <= 20 for one in short), kept)
        self.assertEqual(self.walk("--driver-coverage", "--scenarios", self.out / "corpus",
                                   steps=1), 0, self.output)
        reached = {f["function"] for f in self.report["driver_coverage"] if f["reached"] > 0}
        for one in short:
            for line in one["first_reached"]:
                self.assertIn(line.split()[1], reached)

    def test_races(self):
        """In a full run an expected race is made again and again, in a guest of its own; it has to
        be met there."""
        folder = self.out / "races"
        folder.mkdir()
        (folder / "race.mrt").write_text("""# mrproof trace v1
# seen on: debian-bookworm
given guest(seed 3, processors 1, preempt)
given rounds(5)
given pd0
given qp0(pd0) <-> qp1(pd0)
rdma_write(qp0, 0x0, buf0+0, 1, 0x0, 0x0) -> LOC_QP_OP_ERR qp=ERR peer=RTS
! deviates rdma_write.loc_qp_op_err status outcome_known
""")
        overlapping = ("rdma_read.retry_exc_err/status/peer_ready,Deviates  # F48\n"
                       "or rdma_read.none/none/-,KernelWarning@rxe_comp.c:rxe_completer  # F49\n")
        shown = "rdma_write.loc_qp_op_err/status/outcome_known,Deviates  # a race\n"

        def run(text):
            known = self.out / "race-fails.txt"
            known.write_text(overlapping + text)
            return self.walk("--full", "--scenarios", folder, steps=1, known=known)

        def told():
            return [one for one in self.report["deviations"]
                    if one["rule"] == "rdma_write.loc_qp_op_err"]

        self.assertEqual(run("race " + shown), 0, self.output)
        deviation, = told()
        self.assertEqual(deviation["case"], "races/race")
        self.assertIn("given guest(seed 3, processors 1, preempt)",
                      (self.out / deviation["trace"]).read_text())
        self.assertIn('"case":"races/race"', (self.out / "journal.jsonl").read_text())
        self.assertEqual(run(shown), 0, "expected as no race, it is made once, as any other is")
        trace = self.out / told()[0]["trace"]
        self.assertIn("given guest(seed 1, ", trace.read_text())
        self.assertEqual(run("race send.ok/accepted/length_permitted,Deviates  # a race\n" +
                             "or " + shown), 0, "no race is expected that is told of")
        another = "race send.ok/bytes/nothing_forbids,Deviates  # another\n"
        self.assertEqual(run("race " + shown + another), 1)
        self.assertIn("expected and never met (mended? then take it out): race send.ok",
                      self.output)

    def test_fresh(self):
        """Each case has a guest of its own, and so does the same in whatever order."""
        one = ["--fresh", "--guests", 1, "--case-steps", 20]
        self.assertEqual(self.walk(*one, steps=100), 0, self.output)
        self.assertEqual(self.report["cases"]["finished"], 5)
        # One more where the guest had to be booted, to be saved.
        self.assertIn(len(list(self.out.glob("console-*.log"))), (5, 6))

    def test_time_is_the_guests(self):
        """A guest's second ends a run long before its plan is done."""
        self.assertEqual(self.walk("--time", 1, steps=10_000_000), 0, self.output)
        self.assertTrue(self.report["cut_short"])

    def test_difference_is_told(self):
        """Two processors and this machine's time: no run is like another. Now and then such an
        emulator gets stuck, for which mrproof has limits of its own, of minutes."""
        code = self.walk("--no-repeat", "--repeat", 2, steps=400, limit=900)
        self.assertEqual(code, 2, self.output)
        self.assertRegex(self.output, r"journal.jsonl:\d+: run 2 of the plan was not the same: ")

    def test_panic(self):
        code = self.walk(*in_guest("sleep 2; echo c >/proc/sysrq-trigger"), steps=40000)
        incident = self.incident("Kernel panic")
        self.assertEqual(code, 1, self.output)
        self.assertTrue(any(i["verdict"] == "crash" for i in self.report["incidents"]))
        # No call is named when the panic came while a case was being set up.
        self.assertTrue(incident["call"] or incident["step"] == 0)
        self.journal_reaches(incident)
        # All cases but those that the panics cost.
        self.assertGreater(self.report["cases"]["finished"], 30)

    def test_worker_killed(self):
        kill = "for p in /proc/[0-9]*; do grep -q w[o]rker $p/cmdline && kill -9 ${p##*/}; done"
        code = self.walk(*in_guest(f"sleep 2; {kill}"), steps=40000)
        incident = self.incident("signal 9")
        self.assertEqual(incident["verdict"], "inconclusive")
        self.assertEqual(code, 0, self.output)
        self.journal_reaches(incident)
        self.assertEqual(self.report["cases"]["finished"], self.report["cases"]["planned"])

    def test_qemu_killed(self):
        killer = threading.Thread(target=self.kill_qemu)
        killer.start()
        code = self.walk()
        killer.join()
        incident = self.incident("virtual machine ended: signal 9")
        self.assertEqual(code, 0, self.output)
        self.journal_reaches(incident)
        self.assertEqual(self.report["cases"]["finished"], self.report["cases"]["planned"])

    def kill_qemu(self):
        """Kills the QEMUs that have this test's channels, once steps are being made."""
        journal = self.out / "guest-1-journal.jsonl"
        limit = time.monotonic() + 120
        while time.monotonic() < limit:
            if journal.exists() and journal.stat().st_size > 10000:
                break
            time.sleep(0.05)
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = process.read_bytes()
            except OSError:
                continue
            if b"qemu-system" in words.split(b"\0")[0] and str(self.out).encode() in words:
                os.kill(int(process.parent.name), signal.SIGKILL)

    def own_image(self):
        """The target's image in a folder of its own, without saved guests."""
        image = self.out / "image"
        image.mkdir()
        for file in Path(TARGET).iterdir():
            if not file.name.startswith("saved-"):
                (image / file.name).symlink_to(file)
        return image

    def test_saved_guest_is_damaged(self):
        """Guests are booted then, which is told, and the next run saves another one."""
        image = self.own_image()

        def run():
            done = mrproof("run", "--target", image, "--steps", 200, "--out", self.out / "report",
                           "--expect", EXPECTATIONS / "rxe-debian-bookworm-fails.txt")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stderr

        for _ in range(2):
            self.assertEqual(run(), "")
            saved, = [file for file in image.glob("saved-*") if not file.suffix]
            os.truncate(saved, saved.stat().st_size // 2)
            self.assertIn(f"{saved}: no guest that can be begun from: ", run())

    def test_kernel_without_ports(self):
        """Its guest cannot stop the machine: it is asked and answered while that runs."""
        code = self.walk(*in_guest("busybox rm /dev/port"), steps=400)
        self.assertEqual(code, 0, self.output)

    def test_boot_stands_still(self):
        """The first boot hangs; the run goes on in a second one."""
        image = self.own_image()
        boot = image / "boot"
        boot.unlink()
        boot.write_text(f"""#!/bin/bash
if mkdir {image}/hung 2>/dev/null; then : >"${{!#}}"; exec sleep 1000; fi
exec {TARGET}/boot "$@"
""")
        boot.chmod(0o755)
        done = mrproof("run", "--target", image, "--steps", 200, "--out", self.out,
                       "--driver-coverage", "--expect",
                       EXPECTATIONS / "rxe-debian-bookworm-fails.txt")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((image / "hung").exists())

    def test_hang_is_shrunk(self):
        """What hangs for 30 s in a run takes seconds each time that it is tried again."""
        scenarios = self.out / "scenarios"
        scenarios.mkdir()
        trace = next(EXPECTATIONS.glob("F1-*.mrt")).read_text().splitlines()
        send = next(i for i, line in enumerate(trace) if line.startswith("send("))
        trace[send:send] = ["pd1 = alloc_pd() -> ok",
                            "mr1 = reg_mr(pd1, buf1+64, 64, LOCAL_WRITE) -> ok",
                            "post_recv(qp0, mr0.lkey, buf0+0, 8) -> ok"]
        (scenarios / "long.mrt").write_text("\n".join(trace) + "\n")
        done = mrproof("run", "--target", TARGET, "--steps", 1, "--out", self.out / "report",
                       "--scenarios", scenarios, "--shrink")
        report = json.loads((self.out / "report/report.json").read_text())
        hangs = [i for i in report["incidents"] if i["verdict"] == "hang"]
        self.assertEqual(len(hangs), 1, done.stdout + done.stderr)
        self.assertEqual(hangs[0]["shrunk"]["steps"], 2, hangs)
        print(f"shrunk in {hangs[0]['shrunk']['seconds']:.1f} s")


class Findings(unittest.TestCase):
    """Each trace of FINDINGS.md still shows its deviation on this target."""

    def test_replay(self):
        traces = findings.of_target(TARGET)
        self.assertGreaterEqual(len(traces), 5)
        for trace in traces:
            with self.subTest(trace=trace.name):
                if not findings.can_show(TARGET, trace):
                    self.skipTest("this QEMU repeats guests of one processor only")
                # A race is met in its own time.
                done = mrproof("replay", trace, "--target", TARGET, limit=1500)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                last = done.stdout.strip().splitlines()[-1]
                self.assertTrue(last.startswith("reproduced: "), done.stdout)


def console_of(image, command):
    """What the guest's console shows when the command runs in the agent's place."""
    with tempfile.TemporaryDirectory(prefix="mrproof-vm-") as folder:
        channel, console = Path(folder) / "channel", Path(folder) / "console"
        channel.write_bytes(b"\0" * (1 << 20))
        subprocess.run([Path(image) / "boot", channel, console, f'mrproof.command="{command}"'],
                       timeout=300, check=True)
        return console.read_text(errors="replace")


class Iwarp(unittest.TestCase):
    """A device that only the RDMA CM can connect."""

    def setUp(self):
        self.assertEqual({Path(image).name for image in SIW}, {"siw", "siw-sid"})
        self.out = Path(tempfile.mkdtemp(prefix="mrproof-vm-"))
        self.addCleanup(shutil.rmtree, self.out)

    def test_walk(self):
        for image in SIW:
            with self.subTest(target=Path(image).name):
                self.walk(image)

    def walk(self, image):
        done = mrproof("run", "--target", image, "--steps", 2000, "--out", self.out, "--expect",
                       EXPECTATIONS / f"siw-{Path(image).name}-fails.txt")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads((self.out / "report.json").read_text())
        self.assertEqual(report["cases"]["finished"], report["cases"]["planned"])
        self.assertEqual(report["target"]["driver"], "siw")
        self.assertIn("IWARP", report["capabilities"]["features"])
        taken = {rule["rule"] for rule in report["rules"] if rule["judged"]}
        # Of each kind, that it reaches the other end, and that it was refused there or here.
        for verb in ("rdma_write", "rdma_read", "send"):
            self.assertLessEqual({f"{verb}.ok", f"{verb}.terminated"}, taken)

    def test_findings(self):
        shown = [(image, trace) for image in SIW for trace in findings.of_target(image)]
        self.assertGreaterEqual(len(shown), 20)
        for image, trace in shown:
            with self.subTest(target=Path(image).name, trace=trace.name):
                if not findings.can_show(image, trace):
                    self.skipTest("this QEMU repeats guests of one processor only")
                done = mrproof("replay", trace, "--target", image, limit=900)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                last = done.stdout.strip().splitlines()[-1]
                self.assertTrue(last.startswith("reproduced: "), done.stdout)


class Sanitized(unittest.TestCase):
    """A kernel that complains of the use of memory that was freed."""

    def test_who_freed_it(self):
        self.assertEqual(len(SANITIZED), 1)
        trace = EXPECTATIONS / "F13-destroying-a-queue-pair-under-a-window.mrt"
        done = mrproof("replay", trace, "--target", SANITIZED[0])
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        places = re.findall(r"BUG: KASAN: (.*)\+0x", done.stdout)
        self.assertGreater(len(places), 3)
        self.assertEqual(len(places), len(set(places)), "one of each place")
        _, told = done.stdout.split("BUG: KASAN: use-after-free in __rxe_put+", 1)
        freed = told.split("Freed by task", 1)[1].split("BUG:", 1)[0]
        self.assertIn("ib_destroy_qp_user+", freed)
        self.assertNotIn("kasan_", freed)


class TwoProcesses(unittest.TestCase):
    """Initiator and responder in processes of their own, on one device."""

    DEVICE = "rxe0@two-processes"

    def setUp(self):
        self.out = Path(tempfile.mkdtemp(prefix="mrproof-vm-"))
        self.addCleanup(shutil.rmtree, self.out)

    def replay(self, name, *lines):
        """What a trace of the pair qp0(pd0), qp1(pd1 in process 1) shows."""
        trace = self.out / f"{name}.mrt"
        trace.write_text("\n".join([
            "# mrproof trace v1", "given pd0", "given pd1 in process 1",
            "given qp0(pd0) <-> qp1(pd1)", *lines]) + "\n")
        return mrproof("replay", trace, "--target", TARGET, "--device", self.DEVICE)

    def test_walk(self):
        """Nothing but what is known of this target, and calls of all kinds reach the other one."""
        out, expected = self.out / "report", self.out / "rxe-two-processes-fails.txt"
        known = EXPECTATIONS / "rxe-debian-bookworm-fails.txt"
        # Their buffers are shared memory, as those of two hosts.
        expected.write_text(known.read_text() +
                            (EXPECTATIONS / "two-hosts-fails.txt").read_text())
        shutil.copy(known.with_name(known.name.replace("fails", "skips")),
                    self.out / "rxe-two-processes-skips.txt")
        done = mrproof("run", "--target", TARGET, "--device", self.DEVICE, "--steps", 4000, "--out",
                       out, "--expect", expected)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads((out / "report.json").read_text())
        self.assertEqual(report["cases"]["finished"], report["cases"]["planned"])
        self.assertEqual(report["target"]["device"], self.DEVICE)
        taken = {rule["rule"] for rule in report["rules"] if rule["judged"]}
        self.assertLessEqual({"rdma_write.ok", "rdma_read.ok", "send.ok", "post_bind_mw.ok",
                              "rdma_write.rem_access_err", "rdma_write.loc_prot_err"}, taken)
        self.assertIn("given pd1 in process 1", (out / "journal.jsonl").read_text())

    def test_foreign_window(self):
        """F11 between processes: one takes the other's window away by its own queue pair."""
        done = mrproof("replay",
                       ROOT / "model/scenarios/local_inv/ok-not-of-the-other-process.mrt",
                       "--target", TARGET, "--device", self.DEVICE)
        self.assertIn("! deviates local_inv.ok accepted invalidates_same_pd", done.stdout,
                      done.stderr)

    def test_crash(self):
        """F12, by the other process's queue pair: the run tells of it at this step."""
        done = self.replay("crash", "mw0 = alloc_mw(pd1, TYPE_2) -> ok", "local_inv(qp1, mw0.rkey)")
        self.assertIn("crash at step 2: ", done.stdout, done.stderr)

    def test_hang(self):
        """F1, of the other process's queue pair: the completion never comes."""
        done = self.replay(
            "hang", "mr0 = reg_mr(pd1, buf0+0, 2048, 0) -> ok",
            "send(qp1, mr0.lkey, buf0+0, 2049)")
        self.assertIn("! hang send", done.stdout, done.stderr)


class Devices(unittest.TestCase):
    """Guests that run something else in the agent's place."""

    def test_bad_input(self):
        """An unknown device, port or GID and a device without permission: one line each, exit
        code 2."""
        text = console_of(TARGET, "; ".join([
            "/bin/mrproof run --device foo --out /tmp/a",
            "echo unknown=$?",
            "/bin/mrproof run --device rxe0@port=2 --out /tmp/c",
            "echo port=$?",
            "/bin/mrproof run --device rxe0@gid=77 --out /tmp/d",
            "echo gid=$?",
            "echo nobody:x:65534:65534::/:/bin/sh >/etc/passwd",
            "busybox ln -s busybox /bin/sh",
            "busybox chmod 777 /tmp",
            "busybox chmod 600 /dev/infiniband/uverbs0",
            "busybox su nobody -c '/bin/mrproof run --device rxe0 --out /tmp/b'",
            "echo forbidden=$?"]))
        self.assertIn("mrproof: no RDMA device 'foo'; present: rxe0", text)
        self.assertIn("unknown=2", text)
        self.assertIn("mrproof: device 'rxe0' has no port 2, but ports 1 to 1", text)
        self.assertIn("port=2", text)
        self.assertIn("mrproof: port 1 of device 'rxe0' has no GID 77; there are: 0 1", text)
        self.assertIn("gid=2", text)
        self.assertIn("mrproof: no permission to open /dev/infiniband/uverbs0", text)
        self.assertIn("forbidden=2", text)

    def test_other_gid(self):
        """Packets of IPv6, by the GID of the port's own address there."""
        with tempfile.TemporaryDirectory() as out:
            done = mrproof("run", "--target", TARGET, "--device", "rxe0@gid=0", "--steps", 500,
                           "--out", out, "--expect", EXPECTATIONS / "rxe-debian-bookworm-fails.txt")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = json.loads(Path(out, "report.json").read_text())
        self.assertEqual(report["target"]["device"], "rxe0@gid=0")
        self.assertGreater(report["counts"]["conforms"], 300)

    def test_fork_protection(self):
        """libibverbs protects memory on fork where that is asked for, and only there."""
        trace = ROOT / "model/scenarios/rereg_mr/err_dont_fork_new-of-a-terabyte.mrt"
        for device, code in ("rxe0", "ERR_CMD EOPNOTSUPP"), ("rxe0@fork", "ERR_DONT_FORK_NEW"):
            with self.subTest(device=device):
                done = mrproof("replay", trace, "--target", TARGET, "--device", device)
                self.assertIn(f"-> refused {code}", done.stdout, done.stderr)
                self.assertIn("dereg_mr(mr0) -> ok", done.stdout)

    def test_verbs_device(self):
        program = Path(PROGRAM).parent.parent / "impl" / "impl_test"
        build = Path(TARGET).parent.parent
        description = build / "verbs-test.toml"
        original = (ROOT / "ci/targets/debian-bookworm.toml").read_text()
        description.write_text(original.replace('"debian-bookworm"', '"verbs-test"'))
        subprocess.run([ROOT / "ci/build-target", description, "--program", program, "--build",
                        build], check=True, capture_output=True)
        # The scenarios' files are not in the guest.
        text = console_of(build / "targets/verbs-test", "MRPROOF_DEVICE=rxe0 "
                          "GTEST_FILTER=-SimScenarios.* /bin/mrproof")
        self.assertIn("[  PASSED  ] ", text)
        self.assertNotIn("[  FAILED  ] ", text)
        self.assertNotIn("[  SKIPPED ] ", text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: MRPROOF_TARGET_DIR=IMAGE ci/vm_test.py PROGRAM; ci/test does it")
    groups = {argument.split(".")[0] for argument in sys.argv[2:]}
    if not (SIW if "Iwarp" in groups else TARGET):
        print("skipped: no image; ci/test builds one and sets MRPROOF_TARGET_DIR")
        sys.exit(77)
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
