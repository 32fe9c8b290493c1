"""Draws how figures grow, as one SVG file, by gnuplot (package gnuplot-nox)."""

import shutil
import subprocess
import tempfile
from pathlib import Path

STYLE = """set terminal svg size 1080,360 dynamic background rgb 'white' font 'sans-serif,12'
set output '%s'
set multiplot layout 1,%d
set grid
set key top left
"""


class GrowthError(Exception):
    """It cannot be drawn; the text says why."""


def check():
    """Throws GrowthError where nothing can be drawn; better before all is measured."""
    if shutil.which("gnuplot") is None:
        raise GrowthError("the drawing takes gnuplot: apt-get install gnuplot-nox")


def draw(panels, file):
    """Each panel is (title, label of x, label of y, what is logarithmic, {name: [(x, y), ...]},
    how these are drawn)."""
    with tempfile.TemporaryDirectory() as folder:
        script = STYLE % (str(file).replace("'", "''"), len(panels))
        for number, (title, x, y, logarithmic, lines, style) in enumerate(panels):
            script += (f"set title '{title}'\nset xlabel '{x}'\nset ylabel '{y}'\nunset logscale\n"
                       + (f"set logscale {logarithmic}\nset format {logarithmic[0]} '%.0s%c'\n"
                          if logarithmic else "set format x '%g'\n")
                       + "set yrange [0:*]\n" * ("y" not in logarithmic)
                       + "set autoscale y\n" * ("y" in logarithmic))
            parts = []
            for place, (name, points) in enumerate(lines.items()):
                data = Path(folder) / f"{number}-{place}"
                data.write_text("".join(f"{a} {b}\n" for a, b in sorted(points)), encoding="utf-8")
                parts.append(f"'{data}' with {style} pt 7 ps 0.5 title '{name}'")
            script += "plot " + ", ".join(parts) + "\n"
        subprocess.run(["gnuplot"], input=script, text=True, check=True)
