"""The pages of the project, with their code blocks, tables and headings."""

import re

import pytest

from tests.comparison import ROOT

READMES = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("[!.]*/README.md"))]
_DOCS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/**/*.md"))
}
DOCS = [page for page, text in _DOCS.items() if "```text\n" in text]
"""Pages whose blocks belong together: test_documentation runs them."""
PAGES = [
    "README.md",
    *READMES,
    "CHANGELOG.md",
    *(page for page in _DOCS if page not in DOCS),
    "results/GALLERY.md",
    "results/REPRODUCTION.md",
]


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def fences(page):
    """Return (language, text) of all code blocks of a page, "" for blocks without a language."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text_of(page), re.S | re.M)


def blocks(language, pages=PAGES):
    """Return (page, text) of all code blocks in a language, "" for blocks without one."""
    return [(page, text) for page in pages for kind, text in fences(page) if kind == language]


def numbered(examples):
    """Return pytest parameters for examples, named by page and place."""
    return [pytest.param(text, id=f"{page}:{number}") for number, (page, text) in enumerate(examples, start=1)]


def rows(page, heading):
    """Return the cells of the first table after a heading, without the header row."""
    section = text_of(page).partition(f" {heading}\n")[2]
    assert section, f"{page} has no section {heading!r}"
    table = re.search(r"^\|.*\n\|[-|]+\|\n((?:\|.*\n)+)", section, re.M)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def code_in(cell):
    return re.findall(r"`([^`]+)`", cell)


def anchors(page):
    """Return GitHub's anchors of the headings of a page."""
    prose = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.*)$", prose, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
