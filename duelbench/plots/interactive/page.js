"use strict";
// Draws the figures of the page and the table of a checkpoint from the payload, without any network request.
(() => {
  const payload = JSON.parse(document.getElementById("payload").textContent);
  const CONFIG = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["lasso2d", "select2d"] };
  const FONT = { family: "system-ui, sans-serif", size: 13, color: "#1a1a1a" };
  const GRID = { gridcolor: "#e4e4e4", zeroline: false, linecolor: "#888", ticks: "outside" };

  function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function toggle(text, pressed, onclick) {
    const button = element("button", { type: "button", onclick }, text);
    button.setAttribute("aria-pressed", pressed);
    return button;
  }

  // ---- Figures

  // A logarithmic axis cannot show zero: a band is cut off at its floor there, and curves have a gap.
  function fitted({ x, y, meta }, scales) {
    const least = meta.floor ?? 0;
    return {
      x: scales.x === "log" ? x.map((each) => (each > 0 ? each : null)) : x,
      y: scales.y === "log" ? y.map((each) => (each > least ? each : least || null)) : y,
    };
  }

  function draw(figure) {
    const plots = figure.panels.map((panel) => {
      const plot = document.getElementById(panel.id);
      const data = panel.data.map((trace) => ({ ...trace, ...fitted(trace, figure.scales ?? {}) }));
      const layout = {
        ...panel.layout,
        xaxis: { ...GRID, ...panel.layout.xaxis, automargin: true },
        yaxis: { ...GRID, ...panel.layout.yaxis, automargin: true },
        font: FONT,
        margin: { l: 60, r: 15, t: 10, b: 50 },
        showlegend: false,
        hovermode: "closest",
        hoverlabel: { align: "left", bgcolor: "#ffffff", font: { color: "#1a1a1a" } },
      };
      Plotly.newPlot(plot, data, layout, CONFIG);
      if (panel.dataset !== null) {
        plot.on("plotly_click", (event) => checkpoints.pick(panel.dataset, event.points[0].x));
      }
      return { plot, originals: panel.data, dataset: panel.dataset };
    });
    const controls = document.getElementById(`${figure.id}-controls`);
    if (figure.scales) {
      controls.append(scaleSwitch(figure, plots, "x"), scaleSwitch(figure, plots, "y"));
    }
    if (figure.series.length) {
      controls.append(seriesSwitches(figure, plots));
    }
    return plots;
  }

  function scaleSwitch(figure, plots, axis) {
    const buttons = ["log", "linear"].map((scale) =>
      toggle(scale, figure.scales[axis] === scale, () => {
        for (const [i, name] of ["log", "linear"].entries()) {
          buttons[i].setAttribute("aria-pressed", name === scale);
        }
        const layout = {
          [`${axis}axis.type`]: scale,
          [`${axis}axis.exponentformat`]: scale === "log" ? "power" : "SI",
          [`${axis}axis.autorange`]: true,
        };
        figure.scales[axis] = scale;
        for (const { plot, originals } of plots) {
          const changes = originals.map((trace) => fitted(trace, figure.scales));
          Plotly.update(plot, { x: changes.map(({ x }) => x), y: changes.map(({ y }) => y) }, layout);
        }
      }),
    );
    const group = element("fieldset", {}, `${axis === "x" ? "horizontal" : "vertical"} axis`, ...buttons);
    group.className = `scale-${axis}`;
    return group;
  }

  // A click hides or shows a series in all panels; a double click shows it alone, and another one shows all again.
  function seriesSwitches(figure, plots) {
    const shown = figure.series.map(() => true);
    const buttons = figure.series.map((series, i) => {
      const button = toggle("", true, () => {
        shown[i] = !shown[i];
        update();
      });
      button.ondblclick = () => {
        const alone = shown.every((each, j) => each === (j === i));
        shown.forEach((_, j) => (shown[j] = alone || j === i));
        update();
      };
      button.append(sample(series), document.createTextNode(series.title));
      return button;
    });
    function update() {
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", shown[i]));
      for (const { plot } of plots) {
        Plotly.restyle(plot, { visible: plot.data.map((trace) => shown[trace.meta.series]) });
      }
    }
    const all = element("button", { className: "all", type: "button", onclick: () => (shown.fill(true), update()) }, "all");
    const none = element("button", { className: "none", type: "button", onclick: () => (shown.fill(false), update()) }, "none");
    const group = element("fieldset", {}, ...buttons, all, none);
    group.className = "series";
    return group;
  }

  function sample(series) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const dash = series.dash === "solid" ? "none" : series.dash.replaceAll("px", "");
    const attributes = { x1: 0, x2: 34, y1: 6, y2: 6, stroke: series.color, "stroke-width": series.width, "stroke-dasharray": dash };
    Object.entries(attributes).forEach(([name, value]) => line.setAttribute(name, value));
    Object.entries({ width: 34, height: 12, "aria-hidden": true }).forEach(([name, value]) => svg.setAttribute(name, value));
    svg.append(line);
    return svg;
  }

  // ---- The table of a checkpoint

  const checkpoints = (() => {
    const { columns, datasets, algorithms, counted, series } = payload.summary;
    const table = document.getElementById("numbers-table");
    const option = ([value, text]) => element("option", { value }, text);
    const kinds = [...new Set(series.map((each) => each.regret))];
    const dataset = element("select", { id: "numbers-dataset" }, ...datasets.map(option));
    const kind = element("select", { id: "numbers-regret" }, ...kinds.map((each) => option([each, each])));
    const slider = element("input", { id: "numbers-checkpoint", type: "range", min: 0, step: 1 });
    const said = element("output", { id: "numbers-t" });
    document.getElementById("numbers-controls").append(
      element("label", {}, "dataset", dataset),
      element("label", {}, "regret", kind),
      element("label", {}, counted, slider, said),
    );

    const here = () => series.filter((each) => each.dataset === dataset.value && each.regret === kind.value);
    const rounds = () => [...new Set(here().flatMap((each) => each.t))].sort((a, b) => a - b);

    function format(name, value) {
      if (value === null || value === undefined) return "–";
      if (name === "runs") return value.toLocaleString("en");
      if (["declared", "right", "recommended_right", "right_low", "right_high", "overlap", "within"].includes(name)) {
        return `${(100 * value).toFixed(1)} %`;
      }
      return value.toLocaleString("en", { maximumSignificantDigits: name === "sem" ? 3 : 5 });
    }

    function show() {
      const ts = rounds();
      slider.max = ts.length - 1;
      const t = ts[slider.value];
      said.textContent = t === undefined ? "" : t.toLocaleString("en");
      const head = ["algorithm", ...columns.map(([, text]) => text)].map((text) => element("th", { scope: "col" }, text));
      const lines = here().map((each) => {
        const place = each.t.indexOf(t);
        const cells = columns.map(([name]) => {
          const value = place < 0 ? null : each[name][place];
          const cell = element("td", {}, format(name, value));
          if (value !== null) Object.assign(cell, { title: value }).dataset.value = value;
          return cell;
        });
        return element("tr", {}, element("th", { scope: "row" }, algorithms[each.algorithm]), ...cells);
      });
      const sorted = table.dataset.column;
      table.replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...lines));
      if (sorted !== undefined) sort(table, Number(sorted), table.dataset.direction);
      mark(t);
    }

    // A vertical line in the figures at the checkpoint of the table.
    function mark(t) {
      for (const each of drawn.flat()) {
        if (each.dataset === null) continue;
        const line = { type: "line", yref: "paper", y0: 0, y1: 1, x0: t, x1: t, line: { color: "#999", width: 1, dash: "dot" } };
        Plotly.relayout(each.plot, { shapes: each.dataset === dataset.value && t !== undefined ? [line] : [] });
      }
    }

    function pick(label, t) {
      dataset.value = label;
      const place = rounds().indexOf(t);
      if (place >= 0) {
        slider.max = rounds().length - 1;
        slider.value = place;
      }
      show();
    }

    function last() {
      slider.max = Math.max(0, rounds().length - 1);
      slider.value = slider.max;
      show();
    }
    dataset.onchange = last;
    kind.onchange = show;
    slider.oninput = show;
    return { pick, last };
  })();

  function sort(table, column, direction) {
    const value = (row) => {
      const cell = row.children[column];
      const number = Number(cell.dataset.value ?? cell.textContent);
      return column === 0 ? cell.textContent : Number.isNaN(number) ? Infinity : number;
    };
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en") : a < b ? -1 : a > b ? 1 : 0);
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(value(a), value(b)) * (direction === "down" ? -1 : 1));
    body.append(...rows);
    Object.assign(table.dataset, { column, direction });
    [...table.tHead.rows[0].cells].forEach((cell, i) => {
      cell.ariaSort = i !== column ? "none" : direction === "down" ? "descending" : "ascending";
    });
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("thead th");
      if (!cell) return;
      const again = table.dataset.column === String(cell.cellIndex) && table.dataset.direction === "up";
      sort(table, cell.cellIndex, again ? "down" : "up");
    });
  }

  const drawn = payload.figures.map(draw);
  checkpoints.last();
})();
