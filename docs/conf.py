"""The documentation site: the pages of the repository where they are, and the reference from docstrings.

Sphinx reads the repository itself (``make docs``), so no page is copied. Links to other files of the repository become
links to its address.
"""

import importlib.metadata
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
ADDRESS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Homepage"]

project = "duelbench"
author = project_copyright = "The duelbench authors"
release = importlib.metadata.version("duelbench")
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["README.md", "*/README.md", "results/*.md", "CHANGELOG.md", "docs/**.md", "docs/**.ipynb"]
exclude_patterns = [".*", "build", "dist", "results/*/**"]

myst_enable_extensions = ["html_image"]
myst_heading_anchors = 6
nb_execution_mode = "off"  # the tests run the notebook and compare
numpydoc_show_class_members = False
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"  # numpydoc has the types

highlight_language = "none"  # of blocks without a language: commands
html_theme = "furo"
html_title = f"duelbench {release}"
html_copy_source = html_show_sphinx = False

CONTENTS = """

```{toctree}
:hidden:
:caption: Use
:glob:

docs/which-tool
docs/tutorials/*
docs/howto/*
docs/compared
```

```{toctree}
:hidden:
:caption: Reference

configs/README
datasets/README
results/README
duelbench/README
docs/api
```

```{toctree}
:hidden:
:caption: Results

results/GALLERY
results/REPRODUCTION
results/LEADERBOARD
```

```{toctree}
:hidden:
:caption: Project

CHANGELOG
docs/CONTRIBUTING
tests/README
```
"""


def _adapt(app, name, source):
    """Link files that are not pages to the repository, and add the table of contents to the first page."""
    page = Path(app.env.doc2path(name))

    def target(match):
        place, hash_, anchor = match[2].partition("#")
        file = (page.parent / place).resolve()
        if not place or not file.exists() or app.env.path2doc(file) in app.env.found_docs or file.suffix == ".png":
            return match[0]
        kind = "tree" if file.is_dir() else "blob"
        return f"{match[1]}{ADDRESS}/{kind}/main/{file.relative_to(ROOT).as_posix()}{hash_}{anchor}"

    source[0] = re.sub(r"(\]\()(?!https?:)([^)\s]+)", target, source[0])
    if name == root_doc:
        source[0] += CONTENTS


def _add_index(app, error):
    """Make the address of the site lead to its first page."""
    if error is None and app.builder.format == "html":
        page = f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={root_doc}.html"><title>duelbench</title>\n'
        Path(app.outdir, "index.html").write_text(page, encoding="utf-8")


def setup(app):
    """Connect the functions above."""
    app.connect("source-read", _adapt)
    app.connect("build-finished", _add_index)
