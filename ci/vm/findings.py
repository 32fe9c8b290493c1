"""The traces of FINDINGS.md, and the targets that each was seen on."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "expectations"


# The findings whose programs end with 0 on a target that does not have the fault. Others cannot run
# there, since it lacks the feature, or meet another finding at the same step, as F5's does F15.
CONFORMING = {"debian-trixie": ["F1", "F6", "F18"], "siw-sid": ["F23"]}


def traces():
    """All of them, F1 first."""
    return sorted(FOLDER.glob("F*.mrt"), key=lambda trace: int(re.match(r"F(\d+)", trace.name)[1]))


def seen_on(trace):
    """The names of the targets, from the trace's line "# seen on: TARGET, ..."."""
    line = re.search(r"^# seen on: (.+)$", trace.read_text(encoding="utf-8"), re.MULTILINE)
    if line is None:
        raise ValueError(f"{trace}: has no line '# seen on: TARGET, ...'; add one")
    return [name.strip() for name in line[1].split(",")]


# Races that their programs meet within two minutes.
MET = ("F43-", "F48-")


def wants_rounds(trace):
    """Whether it shows a race, which its program does not meet each time."""
    return "given rounds(" in trace.read_text(encoding="utf-8")


def is_met(trace):
    """Whether its program shows it, by what is known."""
    by_chance = wants_rounds(trace) and not trace.name.startswith(MET)
    return has_program(trace) and not by_chance and not wants_wire(trace)


def wants_wire(trace):
    """Whether packets have to be lost, or to take their time, for its program to meet it."""
    return re.search(r"^given guest\(.*wire ", trace.read_text(encoding="utf-8"), re.M) is not None


def has_program(trace):
    """Whether calls show it, and not what is left of them: of that no C program tells."""
    return "\n! deviates reset." not in trace.read_text(encoding="utf-8")


def wants_processors(trace):
    """How many processors the guest has that the trace is for."""
    found = re.search(r"^given guest\(.*processors (\d+)", trace.read_text(encoding="utf-8"), re.M)
    return int(found[1]) if found else 1


def can_show(image, trace):
    """Whether the image's guests have as many processors as the trace wants."""
    facts = json.loads(Path(image, "target.json").read_text(encoding="utf-8"))
    return wants_processors(trace) <= facts["processors"]


def of_target(image):
    """The traces that the target of this image folder shows."""
    return [trace for trace in traces() if Path(image).name in seen_on(trace)]


def conforming_on(image):
    """The traces whose programs end with 0 on the target of this image folder."""
    numbers = CONFORMING.get(Path(image).name, [])
    return [trace for trace in traces() if trace.name.split("-")[0] in numbers]
