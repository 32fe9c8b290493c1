#!/usr/bin/env python3
"""Tests of two hosts: guests joined by a network, each with a kernel and a device of its own.

    ci/two_hosts_test.py PROGRAM [unittest arguments]

MRPROOF_TARGET_DIR names the image of debian-bookworm (ci/test sets it); without it: exit 77.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "ci/vm"))

import guest_programs  # noqa: E402
import packages  # noqa: E402

PROGRAM = ""
TARGET = os.environ.get("MRPROOF_TARGET_DIR", "")
EXPECTATIONS = ROOT / "ci/expectations"


def mrproof(*arguments, limit=300):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=limit, check=False)


def in_guests(command):
    """Arguments that run a shell command in either guest, some seconds after the two have begun to
    talk; in the peer's, $peer is 2."""
    talk = "/bin/busybox netstat -tn | /bin/busybox grep -q :7471.*ESTABLISHED"
    return ["--kernel-argument",
            f'mrproof.background="until {talk}; do sleep 1; done; sleep 4; {command}"']


class TwoHosts(unittest.TestCase):
    """Initiator and responder in guests of their own, joined by a network."""

    ON_HOSTS = ["# mrproof trace v1", "given pd0", "given pd1 on host 1",
                "given qp0(pd0) <-> qp1(pd1)"]

    def setUp(self):
        self.out = Path(tempfile.mkdtemp(prefix="mrproof-vm-"))
        self.addCleanup(shutil.rmtree, self.out)

    def replay(self, *lines, arguments=()):
        trace = self.out / "trace.mrt"
        trace.write_text("\n".join([*self.ON_HOSTS, *lines]) + "\n")
        return mrproof("replay", trace, "--target", TARGET, "--peer-target", TARGET, *arguments)

    def run_with(self, *arguments):
        expected = self.out / "rxe-two-fails.txt"
        known = EXPECTATIONS / "rxe-debian-bookworm-fails.txt"
        expected.write_text(known.read_text() +
                            (EXPECTATIONS / "two-hosts-fails.txt").read_text())
        shutil.copy(known.with_name(known.name.replace("fails", "skips")),
                    self.out / "rxe-two-skips.txt")
        done = mrproof("run", "--target", TARGET, "--peer-target", TARGET, "--out",
                       self.out / "report", "--expect", expected, *arguments)
        file = self.out / "report/report.json"
        self.assertTrue(file.exists(), done.stdout + done.stderr)
        return done, json.loads(file.read_text())

    def accuses_nobody(self, report):
        self.assertEqual([i for i in report["incidents"] if i["verdict"] != "inconclusive"], [])

    def test_walk(self):
        """Nothing but what is known of this target, by the calls of either host."""
        done, report = self.run_with("--steps", 3000)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(report["cases"]["finished"], report["cases"]["planned"])
        self.assertTrue(report["target"]["device"].endswith("+two-hosts"))
        self.assertIn("given pd1 on host 1", (self.out / "report/journal.jsonl").read_text())
        taken = {rule["rule"] for rule in report["rules"] if rule["judged"]}
        self.assertLessEqual({"rdma_write.ok", "rdma_read.ok", "send.ok", "post_bind_mw.ok",
                              "rdma_write.rem_access_err", "rdma_write.loc_prot_err"}, taken)
        known = [d for d in report["deviations"] if d["reason"].startswith("F5:")]
        times = sum(d["count"] for d in known), sum(d["count_of_process_1"] for d in known)
        self.assertTrue(0 < times[1] < times[0], times)

    def test_what_arrives_is_seen(self):
        """Each host's memory has what the other one's device and program stored."""
        done = self.replay(
            "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok",
            "mr1 = reg_mr(pd1, buf1+0, 4096, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ) -> ok",
            "rdma_write(qp0, mr0.lkey, buf0+0, 4096, mr1.rkey, buf1+0)",
            "fill(buf1+0, 100, 0x11)",
            "rdma_read(qp0, mr0.lkey, buf0+0, 100, mr1.rkey, buf1+0)")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("SUCCESS"), 2, done.stdout)

    def test_the_peer_panics(self):
        """F12 on the other host: a crash at this step, and whose."""
        done = self.replay("mw0 = alloc_mw(pd1, TYPE_2) -> ok", "local_inv(qp1, mw0.rkey)")
        self.assertIn("crash at step 2: the peer's machine: Kernel panic", done.stdout,
                      done.stderr)

    def test_the_link_is_cut(self):
        """Five seconds are waited for; after thirty the run ends, and nobody is accused."""
        # What the peer sends is lost; were it both, it would be for longer than said, since on a
        # busy machine one of the two begins later.
        cut = ("[ $peer = 2 ] && /bin/tc qdisc change dev eth0 root netem loss 100% && sleep {} && "
               "/bin/tc qdisc change dev eth0 root netem delay 1us")
        done, report = self.run_with("--steps", 2000, "--wire", "delay 1us",
                                     *in_guests(cut.format(5)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(report["cases"]["finished"], report["cases"]["planned"])
        shutil.rmtree(self.out / "report")
        done, report = self.run_with("--steps", 2000, "--wire", "delay 1us",
                                     *in_guests(cut.format(60)))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("does not answer any more: its link is cut", done.stderr)
        self.accuses_nobody(report)

    def test_the_peers_clock_is_wrong(self):
        """It jumps back and forth during the run, which nothing goes by."""
        set_it = "/bin/busybox date -s @{} >/dev/console"
        done, report = self.run_with("--steps", 3000, *in_guests(
            f"[ $peer = 2 ] && {set_it.format(978307200)} && sleep 3 && "
            f"{set_it.format(2208988800)}"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.accuses_nobody(report)
        consoles = "".join(console.read_text(errors="replace")
                           for console in (self.out / "report").glob("console*.log"))
        self.assertRegex(consoles, "UTC 2001(.|\n)*UTC 2040")

    def test_the_peer_is_killed(self):
        """The program at the other end is gone, and with it its guest, which a new one may replace:
        that is told, and nobody is accused."""
        kill = "[ $peer = 2 ] && /bin/busybox killall -9 mrproof"
        done, report = self.run_with("--steps", 2000, *in_guests(kill))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("peer at 10.9.9.2:7471", done.stderr)
        self.accuses_nobody(report)


class BySsh(unittest.TestCase):
    """The peer is started by ssh, of OpenSSH, on another machine, whose server is dropbear."""

    PACKAGES = ["openssh-client", "dropbear-bin"]
    # Of what they depend on, where the image lacks it.
    PARTS = re.compile(r"(libc6|zlib1g)$|lib(com-err|crypt1|gmp|gssapi|k5crypto|keyutils|krb5"
                       r"|pcre2|selinux|ssl3|tomcrypt|tommath)")
    LIBRARY = re.compile(r"lib.+\.so\.[0-9]+")
    # root needs no password there; whose key the server has is not asked.
    BEGIN = """export LD_LIBRARY_PATH=/programs/lib PATH=/programs/tools:/bin HOME=/tmp/home
echo root::0:0:root:/tmp/home:/bin/sh >/etc/passwd
/bin/busybox mkdir -p /etc/dropbear /tmp/home/.ssh /usr/bin
/bin/busybox ln -sf busybox /bin/sh
/bin/busybox ln -sf /bin/busybox /usr/bin/env
unset MRPROOF_PEER
"""
    SERVER = BEGIN + "dropbear -F -E -R -B\n"
    RUN = BEGIN + """echo "StrictHostKeyChecking no" >/tmp/home/.ssh/config
for try in 1 2 3 4 5 6 7 8 9; do
    ssh -o BatchMode=yes 10.9.9.2 true && break
    /bin/busybox sleep 3
done
mrproof run --device rxe0 --steps 300 --no-journal --out /tmp/report --peer 10.9.9.2:rxe0
echo "status of the run: $?"
mrproof run --device rxe0 --steps 300 --out /tmp/other --peer 10.9.9.2:rxe7
echo "status of the other: $?"
"""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="mrproof-vm-"))
        self.addCleanup(shutil.rmtree, self.folder)
        with open(ROOT / f"ci/targets/{Path(TARGET).name}.toml", "rb") as file:
            suite = tomllib.load(file)["userspace"]["suite"]
        downloads = ROOT / "build/downloads"
        rows = packages.fetch(suite, self.PACKAGES, self.PARTS, downloads, print)
        packages.unpack(rows, downloads, self.folder / "root", print)
        self.files = {f"tools/{name}": next((self.folder / "root/usr").rglob(f"*bin/{name}"))
                      for name in ("ssh", "dropbear")}
        initrd = Path(TARGET, "initrd").read_bytes()
        self.files |= {f"lib/{name[0]}": path
                       for path in (self.folder / "root").rglob("lib*.so.*")
                       if not path.is_symlink() and (name := self.LIBRARY.match(path.name))
                       and f"/{name[0]}\0".encode() not in initrd}

    def guest(self, number, script):
        """One of the two, which runs the script and ends."""
        folder = self.folder / str(number)
        folder.mkdir()
        (folder / "script").write_text(script)
        archive = guest_programs.archive_of({}, "", 1, files={**self.files,
                                                              "script": folder / "script"})
        guest_programs.furnish(folder, TARGET, archive)
        wire = [self.folder / f"wire{n}" for n in (number, 3 - number)]
        guest = subprocess.Popen([
            folder / "boot", "--no-repeat", f"--link={number},{wire[0]},{wire[1]}",
            folder / "channel", folder / "console", f"peer={number}",
            'mrproof.command="/bin/busybox sh /programs/script"'])
        self.addCleanup(guest.wait)
        self.addCleanup(guest.kill)
        return guest, folder / "console"

    def test_a_run(self):
        self.guest(2, self.SERVER)
        guest, console = self.guest(1, self.RUN)
        guest.wait(300)
        text = console.read_text(errors="replace")
        self.assertIn("status of the run: 1", text)  # what is known of rxe is not expected here
        self.assertRegex(text, r"deviates .*by this host, [1-9]\d* by its peer")
        self.assertRegex(text, r"the peer at 10.9.9.2:\d+: no RDMA device 'rxe7'; present: rxe0")
        self.assertIn("status of the other: 2", text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: MRPROOF_TARGET_DIR=IMAGE ci/two_hosts_test.py PROGRAM; ci/test does it")
    if not TARGET:
        print("skipped: no image; ci/test builds one and sets MRPROOF_TARGET_DIR")
        sys.exit(77)
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
