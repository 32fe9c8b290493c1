"""The traces of FINDINGS.md, and the targets that each was seen on."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "expectations"


def traces():
    """All of them, F1 first."""
    return sorted(FOLDER.glob("F*.mrt"), key=lambda trace: int(re.match(r"F(\d+)", trace.name)[1]))


def seen_on(trace):
    """The names of the targets, from the trace's line "# seen on: TARGET, ..."."""
    line = re.search(r"^# seen on: (.+)$", trace.read_text(encoding="utf-8"), re.MULTILINE)
    if line is None:
        raise ValueError(f"{trace}: has no line '# seen on: TARGET, ...'; add one")
    return [name.strip() for name in line[1].split(",")]


def of_target(image):
    """The traces that the target of this image folder shows."""
    return [trace for trace in traces() if Path(image).name in seen_on(trace)]
