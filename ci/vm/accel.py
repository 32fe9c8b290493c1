"""Decides whether the guest can run on the processor (kvm) or has to be emulated (tcg).

That /dev/kvm opens does not mean that a guest gets anywhere under it, so a short boot finds out.
The answer holds until the machine, its kernel, QEMU or the guest's kernel changes.
"""

import hashlib
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from packages import TargetError, run

SIGN_OF_LIFE = (b"Linux version", 10)  # a kernel that starts at all says so within seconds
PASSED = (b"mrproof: probe passed", 20)


def _probe(boot):
    """True when a guest under kvm reaches its first process."""
    with tempfile.TemporaryDirectory() as folder:
        channel, console = Path(folder, "channel"), Path(folder, "console")
        console.touch()
        with open(channel, "wb") as file:
            file.truncate(1 << 20)
        words = [boot, channel, console, "mrproof.probe", "earlyprintk=ttyS0", "loglevel=7"]
        guest = subprocess.Popen(words, env={**os.environ, "MRPROOF_ACCEL": "kvm"},
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        start = time.monotonic()
        try:
            for sign, limit in (SIGN_OF_LIFE, PASSED):
                while sign not in console.read_bytes():
                    if guest.poll() is not None and sign not in console.read_bytes():
                        return False
                    if time.monotonic() - start > limit:
                        return False
                    time.sleep(0.05)
            return True
        finally:
            guest.kill()
            guest.wait()


def _machine_key(kernel_key):
    qemu = run(["qemu-system-x86_64", "--version"], "install the qemu-system-x86 package")
    facts = [kernel_key, qemu, os.uname().release, os.uname().machine]
    for file in ("/proc/sys/kernel/random/boot_id", "/etc/machine-id"):
        facts.append(Path(file).read_text(encoding="utf-8") if os.path.exists(file) else "")
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def choose(boot, kernel_key, record, say):
    """"kvm" or "tcg"; the answer of the last probe is kept in the file `record`."""
    forced = os.environ.get("MRPROOF_ACCEL")
    if forced:
        if forced not in ("kvm", "tcg"):
            raise TargetError(f"MRPROOF_ACCEL is '{forced}'; set it to kvm or tcg, or unset it")
        return forced
    key = _machine_key(kernel_key)
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    if record.exists():
        known = json.loads(record.read_text(encoding="utf-8"))
        if known.get("key") == key:
            return known["accelerator"]
    say("trying hardware acceleration")
    answer = "kvm" if _probe(boot) else "tcg"
    say("hardware acceleration works" if answer == "kvm" else
        "hardware acceleration does not work on this machine, emulating")
    record.write_text(json.dumps({"key": key, "accelerator": answer}), encoding="utf-8")
    return answer
