"""The page of ``plot -f html`` in a headless Chromium, without a network: its content and its controls.

``DUELBENCH_CHROMIUM`` names the browser; else it is one on the PATH, or that of ``playwright install chromium``.
"""

import os
import shutil

import pytest

from tests.paged import READ, made, page

pytestmark = pytest.mark.slow
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")
DATA = "(id) => document.getElementById(id).data.map(({x, y, visible}) => ({x, y, visible}))"
AXIS = "([id, axis]) => { const {type, range} = document.getElementById(id)._fullLayout[axis]; return {type, range}; }"
PLACE = """([id, curve, point]) => {
  const plot = document.getElementById(id), {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
  const trace = plot.data[curve];
  return [box.x + xaxis._offset + xaxis.d2p(trace.x[point]), box.y + yaxis._offset + yaxis.d2p(trace.y[point])];
}"""
LATE, OTHER = 2, 3
"""Places of the traces of these algorithms in the panels of the first figure."""


@pytest.fixture(scope="module")
def browser():
    pytest.importorskip("plotly")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs `pip install playwright`")
    found = os.environ.get("DUELBENCH_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    with playwright.sync_playwright() as started:
        try:
            chromium = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"needs Chromium, see DUELBENCH_CHROMIUM: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
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
    tab.wait_for_selector("#numbers-table tbody tr")
    yield tab
    context.close()
    assert wrong == []
    assert asked == [path.as_uri()]


def column(tab, place):
    return tab.eval_on_selector_all(
        "#numbers-table tbody tr", f"rows => rows.map(r => r.children[{place}].textContent)"
    )


def test_figures_and_titles(opened):
    assert opened.title() == READ
    assert opened.inner_text("h1") == READ
    drawn = opened.eval_on_selector_all(".plot", "plots => plots.map(p => p.querySelectorAll('.main-svg').length > 0)")
    assert len(drawn) >= 13
    assert all(drawn)
    assert opened.locator("table.shares").count() == 1
    assert opened.locator("a[href]:not([href^='#'])").count() == 0
    said = opened.text_content("#figure-2-panel-1 .xtitle")
    assert said.replace(" ", "") == READ.replace(" ", "")  # on two lines


def test_scales(opened):
    opened.click("#figure-1-controls .scale-y button:text-is('log')")
    for panel in ("figure-1-panel-1", "figure-1-panel-2"):
        assert opened.evaluate(AXIS, [panel, "yaxis"])["type"] == "log"
        traces = opened.evaluate(DATA, panel)
        assert min(traces[0]["y"]) > 0  # the band of `late`
        assert traces[LATE]["y"] == [None, None, 7.25]
    opened.click("#figure-1-controls .scale-y button:text-is('linear')")
    opened.click("#figure-1-controls .scale-x button:text-is('linear')")
    assert opened.evaluate(AXIS, ["figure-1-panel-2", "xaxis"])["type"] == "linear"
    assert opened.evaluate(AXIS, ["figure-1-panel-2", "yaxis"])["type"] == "linear"
    assert opened.evaluate(DATA, "figure-1-panel-1")[LATE]["y"] == [0, 0, 7.25]


def test_series_are_switched_in_all_panels(opened):
    def shown():
        """Whether both panels show ``late`` and ``other``."""
        traces = [opened.evaluate(DATA, f"figure-1-panel-{panel}") for panel in (1, 2)]
        return [[panel[place]["visible"] is not False for place in (LATE, OTHER)] for panel in traces]

    late, other = (opened.locator("#figure-1-controls .series button").nth(place) for place in (0, 1))
    assert late.inner_text() == READ
    late.click()
    assert shown() == [[False, True]] * 2
    assert late.get_attribute("aria-pressed") == "false"
    late.click()
    assert shown() == [[True, True]] * 2
    other.dblclick()
    assert shown() == [[False, True]] * 2
    other.dblclick()
    assert shown() == [[True, True]] * 2
    opened.click("#figure-1-controls .series button.none")
    assert shown() == [[False, False]] * 2
    opened.click("#figure-1-controls .series button.all")
    assert shown() == [[True, True]] * 2


def test_mouse(opened):
    opened.locator("#figure-1-panel-2").scroll_into_view_if_needed()
    place = opened.evaluate(PLACE, ["figure-1-panel-2", OTHER, 1])
    opened.mouse.move(*place)
    opened.wait_for_selector("#figure-1-panel-2 .hovertext")
    said = opened.text_content("#figure-1-panel-2 .hovertext")
    assert "t = 100" in said
    assert "regret 74 ± 12.3 (s.e.)" in said
    assert opened.input_value("#numbers-dataset") == "d-arms=5"
    opened.mouse.click(*place)
    opened.wait_for_function("document.getElementById('numbers-t').textContent === '100'")
    assert opened.input_value("#numbers-dataset") == "d-arms=10"
    assert column(opened, 1) == ["0", "74"]
    first, last = opened.evaluate(AXIS, ["figure-1-panel-2", "xaxis"])["range"]
    opened.mouse.move(place[0] - 40, place[1] - 60)
    opened.mouse.down()
    opened.mouse.move(place[0] + 40, place[1] + 40, steps=5)
    opened.mouse.up()
    opened.wait_for_function(
        "([id, was]) => document.getElementById(id)._fullLayout.xaxis.range[0] > was", arg=["figure-1-panel-2", first]
    )
    assert opened.evaluate(AXIS, ["figure-1-panel-2", "xaxis"])["range"][1] < last


def test_table_of_numbers(opened):
    assert column(opened, 0) == [READ, "other"]
    assert column(opened, 1) == ["7.25", "370"]
    opened.click("#numbers-table thead th:nth-child(2)")
    opened.click("#numbers-table thead th:nth-child(2)")
    assert column(opened, 1) == ["370", "7.25"]
    opened.focus("#numbers-checkpoint")
    opened.keyboard.press("ArrowLeft")
    assert opened.inner_text("#numbers-t") == "100"
    assert column(opened, 1) == ["37", "0"]  # sorted as before
    assert column(opened, 7) == ["4", "4"]


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
