"""What providers choose where the rules leave a choice, side by side: ci/fingerprints, or reports.

A file of ci/fingerprints is what `mrproof fingerprint` prints of a full run on that target:
DRIVER-TARGET.txt.
"""

import html
import re
from pathlib import Path

from markdown import output_of

CI = Path(__file__).resolve().parent.parent
NOTHING = '<i>-</i>'
VERDICTS = ("deviates", "crash", "hang", "kernel_warning")


class Print:
    """One column: its name, what was tested, and the entries with the call that shows each."""

    def __init__(self, name, text):
        self.name, self.entries = name, {}
        first, *lines = text.splitlines()
        self.about = first.removeprefix("# mrproof fingerprint v1").strip()
        for line in lines:
            entry, _, call = line.partition("  ")
            self.entries.setdefault(entry, call.strip())

    def answers(self, rule):
        """[(answer, call)]: what was chosen by this rule."""
        return [(entry.partition(": ")[2] or "taken", call) for entry, call in self.entries.items()
                if entry.partition(": ")[0] == rule]


class Prints:
    """All columns, and the targets that have none."""

    def __init__(self, columns, missing):
        self.columns, self.missing = columns, missing

    def entries(self):
        return sorted({entry for column in self.columns for entry in column.entries})

    def rules(self):
        """Those by which somebody chose."""
        return sorted({entry.partition(": ")[0] for entry in self.entries()
                       if re.match(r"\w+\.\w+(: |$)", entry)})

    def chosen(self, rule):
        return any(column.answers(rule) for column in self.columns)

    def table(self, rows):
        """[(HTML of the first cell, anchor, [HTML of a cell])] as a table."""
        head = "".join(f"<th>{html.escape(c.name)}</th>" for c in self.columns)
        return (f'<div class="wide choices"><table><tr><th></th>{head}</tr>' + "".join(
            f'<tr{anchor}><td>{first}</td>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            for first, anchor, cells in rows) + "</table></div>")

    def choice_rows(self, known):
        """Two lists of rows: rules by which not all that met them chose the same, and the rest."""
        different, alike = [], []
        for rule in self.rules():
            cells = [column.answers(rule) for column in self.columns]
            answers = {tuple(answer for answer, _ in cell) for cell in cells if cell}
            first = f"<code>{rule.replace('.', '.<wbr>')}</code>"
            if rule in known:
                first = f'<a href="{known[rule]}">{first}</a>'
            row = (first, f' id="{rule}"', ["<br>".join(
                f'<span title="{html.escape(call)}">{html.escape(answer)}</span>'
                for answer, call in cell) or NOTHING for cell in cells])
            (different if len(answers) > 1 else alike).append(row)
        return different, alike

    def marked(self, begins):
        """Rows of the entries that begin so: who has them, and in which finding's trace."""
        rows = []
        for entry in filter(lambda entry: entry.startswith(begins), self.entries()):
            calls = [column.entries.get(entry) for column in self.columns]
            numbers = sorted({int(found[1]) for call in calls if call and (
                found := re.search(r"# expectations/F(\d+)-", call))})
            traces = ", ".join(f'<a href="f{number}.html">F{number}</a>' for number in numbers)
            rows.append((html.escape(entry.removeprefix("claims ")) + (
                f" (in the trace of {traces})" if traces else ""), "", [
                    NOTHING if call is None else f'<span title="{html.escape(call)}">yes</span>'
                    for call in calls]))
        return rows

    def page(self, known):
        """The whole page."""
        about = "".join(f"<li><b>{html.escape(c.name)}</b>: {html.escape(c.about)}</li>"
                        for c in self.columns)
        missing = "".join(f"<li><b>{name}</b>: no fingerprint is kept of this target</li>"
                          for name in self.missing)
        different, alike = self.choice_rows(known)
        return (
            "<h1>Fingerprints</h1><p>Where the rules leave a choice, each provider has its own "
            "answer. A cell has what a full run met; - says that it met nothing. Point at an "
            "answer to see the call. Where several answers stand, the provider gives each of them "
            'somewhere. <a href="gaps.html">Why there is a choice</a>.</p><ul>'
            f"{about}{missing}</ul><h2>Where they differ</h2>{self.table(different)}"
            f"<h2>Where they agree</h2>{self.table(alike)}<h2>What they claim</h2>"
            f"{self.table(self.marked('claims '))}<h2>Where they deviate</h2>"
            '<p>That is no choice: <a href="findings.html">findings</a>, and what follows from '
            f"them.</p>{self.table(self.marked(VERDICTS))}")


def all_of(program, reports):
    """The fingerprints of all targets, and of these report folders."""
    kept = {file.stem.partition("-")[2]: file for file in sorted(
        CI.glob("fingerprints/*.txt"), key=lambda file: file.stem)}
    targets = sorted(file.stem for file in CI.glob("targets/*.toml"))
    columns = [Print(name, file.read_text(encoding="utf-8")) for name, file in kept.items()]
    columns += [Print(Path(report).resolve().name, output_of([program, "fingerprint", report]))
                for report in reports]
    return Prints(columns, [name for name in targets if name not in kept])
