"""A figure may show only some of the algorithms; they keep their looks."""

import json

from duelbench.plots.figures import regret_figure
from duelbench.plots.results import RegretFigure, Results


def test_only_the_named_curves_are_drawn_and_look_as_ever(tmp_path):
    labels = ["a", "b", "c"]
    spec = {
        "horizons": [100],
        "regret": ["copeland"],
        "datasets": [{"label": "d", "title": "D", "arms": 2}],
        "algorithms": [{"label": label} for label in labels],
        "figures": [],
    }
    (tmp_path / "manifest.json").write_text(json.dumps({"spec": spec}))
    rows = [f"d,{label},copeland,{t},2,{t},1,1,{t},{t},{t},{t},{t},,," for label in labels for t in (1, 10, 100)]
    columns = "dataset,algorithm,regret,t,runs,mean,std,sem,q05,q25,q50,q75,q95,declared,duels_to_declaration,right"
    (tmp_path / "summary.csv").write_text("\n".join([columns, *rows]) + "\n")
    results = Results(tmp_path)
    everything = regret_figure(RegretFigure(), results)
    some = regret_figure(RegretFigure(algorithms=("c", "a")), results)

    def colours(figure):
        return [line.get_color() for line in figure.axes[0].lines]

    all_colours = colours(everything)
    assert len(set(all_colours)) == 3
    assert colours(some) == [all_colours[2], all_colours[0]]
    assert [text.get_text() for text in some.legends[0].get_texts()] == ["c", "a"]
