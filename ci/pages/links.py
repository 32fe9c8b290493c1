"""What is wrong with a folder of HTML: links to nowhere, names given twice, use of the network."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads or goes to.
REFERENCES = {"href", "src", "srcset", "action", "data", "poster", "background", "formaction"}
# In a style or a script. A drawing's name space is no address.
NETWORK = re.compile(r"(?:https?:)?//(?!www\.w3\.org/)[\w.-]+\.\w+|@import|\bfetch\(|XMLHttpRequest"
                     r"|WebSocket|sendBeacon")


class Page(HTMLParser):
    """The names and the references of a page."""

    def __init__(self, file):
        super().__init__()
        self.names, self.links, self.inside, self.loaded = [], [], "", []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        for key, value in attrs:
            if key in ("id", "name") and tag != "meta":
                self.names.append(value)
            elif key.split(":")[-1] in REFERENCES:
                self.links.append(value or "")
            elif key == "style":
                self.loaded.append(value or "")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in ("style", "script"):
            self.loaded.append(data)


def dead(page, link, pages, folder):
    """What is wrong with one link of a page, or nothing."""
    parts = urlsplit(link)
    if parts.scheme == "data":
        return ""
    if parts.scheme or parts.netloc or link.startswith("/"):
        return "leaves the site"
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not file.is_relative_to(folder):
        return "leaves the site"
    if not file.is_file():
        return "leads to no file"
    if parts.fragment and (file not in pages or unquote(parts.fragment) not in pages[file].names):
        return "leads to no such place"
    return ""


def problems(folder):
    """A line for each thing that is wrong: PAGE: what."""
    folder = Path(folder).resolve()
    pages = {file: Page(file) for file in sorted(folder.rglob("*.html"))}
    lines = []
    for file, page in pages.items():
        name = file.relative_to(folder)
        lines += [f"{name}: {link}: {why}" for link in sorted(set(page.links))
                  if (why := dead(file, link, pages, folder))]
        lines += [f"{name}: #{twice}: is there twice" for twice in sorted(set(page.names))
                  if page.names.count(twice) > 1]
        lines += [f"{name}: {found[0]}: refers to the network" for text in page.loaded
                  if (found := NETWORK.search(text))]
    return lines
