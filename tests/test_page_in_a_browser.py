"""The page of ``plot -f html`` in a headless Chromium, without a network: its content and its controls."""

import pytest

from tests.paged import EVIL, READ, made, page

pytestmark = pytest.mark.slow
FULL = "(id) => document.getElementById(id)._fullData.map(({name, visible, y}) => [name, visible, y])"
PLACE = """([id, curve, point]) => {
  const plot = document.getElementById(id), trace = plot._fullData[curve], layout = plot._fullLayout;
  const xaxis = layout[trace.xaxis.replace("x", "xaxis")], yaxis = layout[trace.yaxis.replace("y", "yaxis")];
  const box = plot.getBoundingClientRect();
  return [box.x + xaxis._offset + xaxis.d2p(trace.x[point]), box.y + yaxis._offset + yaxis.d2p(trace.y[point])];
}"""
HIDDEN = """([id, count]) => {
  const plot = document.getElementById(id);
  return plot._fullData.filter(({visible}) => visible === "legendonly").length === count;
}"""
CURVES = (2, 3, 7, 8)
"""Places of the curves of `late` and `other` in both panels among the traces of the first figure."""
TABLE = "figure-11"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    pytest.importorskip("plotly")
    return page(made(tmp_path_factory.mktemp("page")))


@pytest.fixture
def opened(browser, path):
    """The page, just opened; at the end it has no errors and has requested nothing else."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    tab = context.new_page()
    wrong, asked = [], []
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(path.as_uri())
    tab.wait_for_selector(f"#{TABLE} .column-cell")
    yield tab
    context.close()
    assert wrong == []
    assert asked == [path.as_uri()]


def words(text):
    """The text of a title without the breaks between its lines."""
    return "".join(text.split())


def test_figures_and_titles(opened):
    assert opened.title() == READ
    assert opened.inner_text("h1") == READ
    drawn = opened.eval_on_selector_all(
        ".plotly-graph-div", "plots => plots.map(p => p.querySelectorAll('.main-svg').length > 0)"
    )
    assert drawn == [True] * 11
    assert opened.locator("a[href]:not([href^='#'])").count() == 0
    assert words(opened.text_content("#figure-2 .xtitle")) == words(READ)
    assert words(opened.locator("#figure-1 .legendtext").first.text_content()) == words(READ)
    assert words(opened.locator("#figure-1 .annotation-text").first.text_content()).startswith(words(READ))
    assert words(opened.locator("#figure-8 .ytick text").last.text_content()) == words(READ)
    assert opened.locator("#figure-8 .heatmap-label").all_text_contents() == ["100"] * 6 + ["–"] * 3


def test_legend_switches_curves_in_all_panels(opened):
    def shown():
        traces = opened.evaluate(FULL, "figure-1")
        return [traces[place][1] is True for place in CURVES]

    names = opened.locator("#figure-1 .legendtoggle")
    assert shown() == [True] * 4
    names.nth(0).click()
    opened.wait_for_function(HIDDEN, arg=["figure-1", 4])  # curves and bands
    assert shown() == [False, True, False, True]
    names.nth(0).click()
    opened.wait_for_function(HIDDEN, arg=["figure-1", 0])


def test_mouse(opened):
    opened.locator("#figure-1").scroll_into_view_if_needed()
    place = opened.evaluate(PLACE, ["figure-1", CURVES[3], 1])
    opened.mouse.move(*place)
    opened.wait_for_selector("#figure-1 .hovertext")
    said = opened.text_content("#figure-1 .hovertext")
    assert said == "otherround t: 100regret 74 ± 12.3 (s.e.)4 runs"


COLUMNS = """columns => columns.map(column => [...column.querySelectorAll('.column-cell')]
  .map(cell => [cell.getBoundingClientRect().y, cell.textContent])
  .sort(([a], [b]) => a - b).map(([_, text]) => text))"""
"""The cells of each column from top to bottom."""


def table(tab):
    """The heading and the cells of the first two columns of the table that is visible."""
    return [[words(cell) for cell in column] for column in tab.eval_on_selector_all(f"#{TABLE} .y-column", COLUMNS)[:2]]


def test_table_of_a_checkpoint(opened):
    names = ["algorithm", words(READ), "other"]
    assert table(opened) == [names, ["mean", "7.25", "370"]]
    opened.locator(f"#{TABLE} .updatemenu-header").click()
    entries = opened.locator(f"#{TABLE} .updatemenu-dropdown-button")
    assert entries.all_text_contents() == [f"{READ}, K = {arms}: copeland regret" for arms in (5, 10)]
    entries.nth(1).click()
    opened.wait_for_function(f"document.getElementById('{TABLE}')._fullData[1].visible === true")
    rail = opened.locator(f"#{TABLE} .slider-rail-touch-rect").bounding_box()
    opened.mouse.click(rail["x"] + rail["width"] / 2, rail["y"] + rail["height"] / 2)
    opened.wait_for_function(f"document.querySelector('#{TABLE} .slider-label').textContent === 'round t: 100'")
    opened.wait_for_function(f"document.getElementById('{TABLE}')._fullData[1].cells.values[1][1] === '74'")
    assert table(opened) == [names, ["mean", "0", "74"]]


def test_spec_and_versions(opened):
    text = opened.locator("details pre").first
    assert not text.is_visible()
    opened.locator("summary").first.click()
    assert text.inner_text() == f"title: {EVIL}\n"


def test_browser_loads_nothing_else(browser, path):
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(path.as_uri())
    refused = tab.evaluate(
        """async () => {
          const refused = [];
          document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
          document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = true" }));
          document.body.append(Object.assign(new Image(), { src: "https://example.org/a.png" }));
          await fetch("https://example.org").catch(() => {});
          await new Promise((done) => setTimeout(done, 200));
          return [window.ran === true, refused.sort()];
        }"""
    )
    context.close()
    assert refused == [False, ["connect-src", "img-src", "script-src-elem"]]
