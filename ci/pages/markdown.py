"""Documents of the tree (Markdown) as HTML: by cmark-gfm, and what that lacks, anchors."""

import html
import re
import subprocess

FENCE = re.compile(r"^ *(```|~~~)")


class SiteError(Exception):
    """There is no site; the text says why, in one line."""


def output_of(command, **more):
    """What a program prints. It may say that something deviates (1), but not that it cannot."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    except OSError as error:
        raise SiteError(f"{command[0]}: {error.strerror}") from None
    if done.returncode not in (0, 1):
        raise SiteError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def lines_of(text):
    """Each line, and whether it is text: not part of a block of code."""
    code = False
    for line in text.splitlines():
        fence = FENCE.match(line) is not None
        yield line, not (code or fence)
        code ^= fence


def slug(heading):
    """The anchor of a heading, as the links of the documents have it."""
    words = html.unescape(re.sub(r"<[^>]+>", "", heading)).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def with_anchors(page):
    """Headings with their anchors; one that is there already gets a number."""
    seen = {}

    def named(found):
        name = slug(found[2])
        seen[name] = seen.get(name, -1) + 1
        name += f"-{seen[name]}" if seen[name] else ""
        return f'<h{found[1]} id="{name}">{found[2]}</h{found[1]}>'
    return re.sub(r"<h([1-6])>(.*?)</h\1>", named, page, flags=re.S)


def to_html(text):
    """The document as HTML, without links resolved."""
    page = output_of(["cmark-gfm", "--unsafe", "-e", "table", "-t", "html"], input=text)
    page = re.sub(r"<thead>\s*<tr>\s*(<th[^>]*></th>\s*)+</tr>\s*</thead>", "", page)
    page = page.replace("<table>", '<div class="wide"><table>')
    page = page.replace("</table>", "</table></div>")
    page = re.sub(r"<pre>(?=<code)", '<pre tabindex="0">', page)
    return with_anchors(re.sub(r"<!--.*?-->\n?", "", page, flags=re.S))


def outside_code(page, change):
    """The page, with its text changed where that is no code, heading or link already."""
    out, depth = [], 0
    for piece in re.split(r"(<[^>]+>)", page):
        if piece.startswith("<"):
            if re.match(r"<(a|code|pre|h[1-6]|script|style|svg)\b", piece):
                depth += 1
            elif re.match(r"</(a|code|pre|h[1-6]|script|style|svg)>", piece):
                depth -= 1
            out.append(piece)
        else:
            out.append(piece if depth else change(piece))
    return "".join(out)


def sections(text):
    """(heading, text) of each part that begins with a heading of the first or second order; what
    stands before the first of them has the heading ""."""
    parts = [("", [])]
    for line, is_text in lines_of(text):
        if is_text and re.match(r"##? ", line):
            parts.append((line.lstrip("# "), []))
        parts[-1][1].append(line)
    return [(heading, "\n".join(lines) + "\n") for heading, lines in parts]
