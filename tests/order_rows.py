"""Rows of the catalogue's table (catalogue.py): algorithms that learn the order of all arms, or the best of them."""

from tests.rows import LOSER_WINS, TIED, Line, Row, Runs, everywhere, to_the_winner, wider

ROWS = {
    "mallows-mpr": Row(
        "mallows-mpr",
        {},
        (everywhere(1000), to_the_winner(), Runs(("order of 9", "order of 16"), 3000)),
        (
            {"delta": 0.06},
            wider("mallows_mpr_radius", "1.1"),
            Line("mallows_mpr", "- 0.91392 * K", "- K"),
            Line("mallows_mpr", "math.ceil(len(arms) / 2)", "len(arms) // 2"),
            Line("mallows_mpr", "return merged + upper + lower", "return merged + lower + upper[::-1]"),
        ),
    ),
    "mallows-mpr, rash": Row("mallows-mpr", {"delta": 0.9}, (everywhere(1000), to_the_winner(1500, 3))),
    "probe-rank": Row(
        "probe-rank",
        {},
        (everywhere(2000), to_the_winner(), Runs(("arithmetic8", "tennis8"), 5000)),
        (
            {"delta": 0.06},
            Line("probe_rank", "> 2**-smallest / 2", "> 2**-smallest / 3"),
            Line("top_down", " and (i, j) not in T and", " and"),
            Line("top_down", "(i in U or j in U) and ", ""),
        ),
    ),
    "probe-rank, rash": Row(
        "probe-rank",
        {"delta": 0.9},
        (everywhere(1000), to_the_winner(1500, 3), Runs(("btl",), 6000)),
        (Line("probe_rank", " if taus.get(pair, 1) == smallest]", "]"),),
    ),
    "probe-rank-se": Row(
        "probe-rank-se",
        {},
        (everywhere(2000), to_the_winner()),
        (
            {"delta": 0.06},
            wider("probe_rank_se_radius", "1.1"),
            Line("probe_rank_se", "n[i][j] == 2**s and ", ""),
            Line("top_down", " and (i, j) not in T and", " and"),
        ),
    ),
    "probe-rank-se, rash": Row("probe-rank-se", {"delta": 0.9}, (everywhere(1000), to_the_winner(1500, 3))),
    "iir": Row(
        "iir",
        {},
        (everywhere(2000), to_the_winner(15_000)),
        (
            {"delta": 0.06},
            {"as_published": True},
            Line("iir", "inside(low, high, 1 - Q ** (1 / 2))", "inside(low, high, 1 - Q ** (1 / 3))"),
            Line("iir", "if counters[low] > 1 + s / 2", "if counters[low] > s / 2"),
        ),
    ),
    # Endless walks, and coins at the end of a comparison, where outcomes are even.
    "iir, rash": Row(
        "iir",
        {"delta": 0.9},
        (everywhere(5000), to_the_winner(5000), Runs(("two equal arms", "small gaps"), 30_000)),
        (
            Line("atc", "policy.random() < 0.5 if w / n == 0.5 else ", ""),
            Line("iir", "2 ** -(t + 1)", "2**-2"),
            Line("iir", "counters[low] -= 1", "pass"),
        ),
    ),
    "iir, as published": Row(
        "iir",
        {"as_published": True, "delta": 0.5},
        (everywhere(2000), to_the_winner(15_000)),
        ({"as_published": False}, Line("iir", ">= 1 + 5 * T / 16", ">= 1 + T")),
    ),
    "plpac-ampr": Row(
        "plpac-ampr",
        {},
        (everywhere(1500), to_the_winner(4000, 2)),
        (
            {"delta": 0.06},
            {"epsilon": 0.4},
            wider("plpac_ampr_radius", "1.1"),
            Line("plpac_ampr", "3 * (m + 1)", "0.5 * (m + 1)"),
        ),
    ),
    "plpac-ampr, slack": Row(
        "plpac-ampr",
        {"epsilon": 0.4, "delta": 0.9},
        (everywhere(1500), to_the_winner()),
        ({"epsilon": 0.3}, Line("plpac_ampr", "sorted(shuffled(arms, policy)", "sorted(arms")),
    ),
    "eqs": Row(
        "eqs",
        {},
        (everywhere(1000), to_the_winner()),
        (
            {"delta": 0.09},
            Line("eqs_on", "delta / (n * (n - 1))", "delta / n"),
            Line("eqs_on", "int(policy.random() * n)", "0"),
        ),
    ),
    "eqs, two": Row(
        "eqs",
        {"top": 2, "epsilon": 0.3, "delta": 0.9},
        (everywhere(1000), to_the_winner(3000, 2), Runs(("btl", "order of 9"), 5000, 2)),
        (
            {"top": 1},
            {"epsilon": 0.25},
            Line("eqs_on", "(up + middle)[:k]", "(middle + up)[:k]"),
            Line("eqs_on", "len(up) - len(middle)\n", "len(up)\n"),
        ),
        fewest=3,
    ),
    "tks": Row(
        "tks",
        {},
        (everywhere(1000), to_the_winner(10_000)),
        ({"delta": 0.09}, LOSER_WINS),
    ),
    "tks, two": Row(
        "tks",
        {"top": 2, "epsilon": 0.45, "delta": 0.9},
        (everywhere(1000), to_the_winner(10_000), Runs(("no difference", "btl", "order of 9"), 10_000, 2)),
        (
            {"epsilon": 0.4},
            Line("tks_on", "0.8**t", "0.7**t"),
            Line("tks_on", "delta_t / k", "delta_t"),
            Line("tks_on", "shuffled(R, policy), []", "R, []"),
            Line("tks_on", "start : start + 2 * k", "start : start + k + 1"),
        ),
        fewest=3,
    ),
    "seeks": Row(
        "seeks",
        {},
        (everywhere(1000), to_the_winner(10_000)),
        ({"delta": 0.09}, {"inner": "eqs"}),
    ),
    # The stages of "two" go on when half of its arms are accepted; small gaps reach the limits of comparisons.
    "seeks, four": Row(
        "seeks",
        {"top": 4, "delta": 0.9},
        (everywhere(1000), Runs(("order",), 10_000, 2), Runs(("two",), 150_000)),
        (
            Line("seeks", "R, t = kept, t", "R, t = kept[: K * (len(accepted) < missing)], t"),
            Line("seeks", "worst=True", "worst=False"),
            Line("seeks", "epsilon / 3, epsilon / 3, epsilon / 3, level", "epsilon / 3, 0.0, epsilon / 3, level"),
            Line("seeks", "(len(R) - 1)", "len(R)"),
        ),
        fewest=5,
    ),
    "seeks, eqs": Row(
        "seeks",
        {"inner": "eqs", "top": 2, "delta": 0.9},
        (everywhere(1000), to_the_winner(10_000), Runs(("small gaps",), 60_000)),
        fewest=3,
    ),
    "pbr-copeland": Row(
        "pbr-copeland", {}, (everywhere(2000), to_the_winner()), ({"delta": 0.09}, wider("pbr_copeland_radius"))
    ),
    "pbr-copeland, ties": Row(
        "pbr-copeland",
        {"delta": 0.9},
        (Runs(TIED, 3000, 2),),
        (Line("pbr_copeland", "wins[j][i] += 1 - share", "wins[j][i] += 1 - math.ceil(share)"),),
    ),
    "pbr-copeland, two": Row(
        "pbr-copeland",
        {"top": 2, "delta": 0.9},
        (everywhere(2000), to_the_winner(3000, 2), Runs(("order of 9", "btl"), 15_000), Runs(("tennis8",), 6000)),
        (
            {"top": 1},
            Line("pbr_copeland", "K - 1 - z[j] < w[i]", "K - z[j] < w[i]"),
            Line("pbr_copeland", "K - 1 - z[i] < w[j]", "K - z[i] < w[j]"),
            Line("pbr_copeland", "if not (i in settled and j in settled)", ""),
            Line("pbr_copeland", "i in discarded, -w[i])", "i in discarded, w[i])"),
        ),
        fewest=3,
    ),
}
