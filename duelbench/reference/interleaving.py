"""Probabilistic interleaving (Hofmann, Whiteson, de Rijke, CIKM 2011) and a cascading user, step by step.

The list first, all of it, with a coin for each place; then the user; then the clicks are counted by coin.
"""

CLICK = {
    "perfect": ([0.0, 0.2, 0.4, 0.8, 1.0], [0.0] * 5),
    "navigational": ([0.05, 0.3, 0.5, 0.7, 0.95], [0.2, 0.3, 0.5, 0.7, 0.9]),
    "informational": ([0.4, 0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.4, 0.5]),
}


def softmax(ranking, shown):
    """P(d) of the documents not shown yet: 1 / rank(d)^3, normalised."""
    weight = {d: 1 / (place + 1) ** 3 for place, d in enumerate(ranking) if d not in shown}
    return {d: w / sum(weight.values()) for d, w in weight.items()}


def interleave(rankings, cutoff, rng):
    """The list, and by place which of the two rankers contributed."""
    shown, by = [], []
    while len(shown) < min(cutoff, len(rankings[0])):
        ranker = int(rng.integers(2))
        P = softmax(rankings[ranker], shown)
        shown.append(int(rng.choice(list(P), p=list(P.values()))))
        by.append(ranker)
    return shown, by


def clicks(shown, grades, model, rng):
    """The places that a user clicks."""
    click, stop = CLICK[model]
    clicked = []
    for place, d in enumerate(shown):
        if rng.random() < click[grades[d]]:
            clicked.append(place)
            if rng.random() < stop[grades[d]]:
                break
    return clicked


def compare(rankings, grades, model, cutoff, rng):
    """1 if the first ranker wins, 0 if it loses, 1/2 if neither."""
    shown, by = interleave(rankings, cutoff, rng)
    clicked = clicks(shown, grades, model, rng)
    first = sum(by[place] == 0 for place in clicked)
    return 1.0 if 2 * first > len(clicked) else 0.5 if 2 * first == len(clicked) else 0.0


def expected(rankings, grades, model, cutoff, shown=(), lead=0):
    """The mean of ``compare``, from all coins, documents, clicks and stops; ``lead``: clicks for the first so far."""
    result = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
    if len(shown) == min(cutoff, len(grades)):
        return result
    total = 0.0
    for ranker, sign in ((0, 1), (1, -1)):
        for d, p in softmax(rankings[ranker], shown).items():
            click, stop = CLICK[model][0][grades[d]], CLICK[model][1][grades[d]]
            after = lead + sign
            stopped = 1.0 if after > 0 else 0.5 if after == 0 else 0.0
            on = stop * stopped
            if click * (1 - stop) > 0:
                on += (1 - stop) * expected(rankings, grades, model, cutoff, (*shown, d), after)
            off = expected(rankings, grades, model, cutoff, (*shown, d), lead) if click < 1 else 0.0
            total += 0.5 * p * (click * on + (1 - click) * off)
    return total
