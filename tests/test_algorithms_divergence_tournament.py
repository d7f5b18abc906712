"""A tournament that follows its results, against one computed anew."""

import numpy as np
import pytest

from duelbench.algorithms.divergence.closed_form import optimal_cost
from duelbench.algorithms.divergence.constraints import gains
from duelbench.algorithms.divergence.tournament import count_results, no_results, refresh


@pytest.mark.parametrize("arms", [2, 5, 12])
def test_a_tournament_kept_up_to_date_is_one_computed_anew(arms):
    rng = np.random.default_rng(arms)
    kept = no_results(arms)
    for step in range(600):
        i, j = rng.choice(arms, 2, replace=False)
        count = int(rng.integers(1, 4))
        count_results(kept, i, j, int(rng.integers(count + 1)), count)
        if step % 7 and step > 5:
            continue
        refresh(kept)
        anew = no_results(arms)
        for a in range(arms):
            for b in range(a + 1, arms):
                if n := kept.wins[a, b] + kept.wins[b, a]:
                    count_results(anew, a, b, kept.wins[a, b], n)
        refresh(anew)
        for name in ("wins", "sign", "kl", "evidence", "losses", "summary"):
            assert np.array_equal(getattr(kept, name), getattr(anew, name)), name
        for a in range(arms):
            losses, won = anew.losses[a], gains(anew, a)
            assert won == (anew.sign[a] > 0).sum()
            for name, members in (("superiors", losses), ("inferiors", won)):
                assert np.array_equal(getattr(kept, name)[a, :members], getattr(anew, name)[a, :members]), name
            if losses == anew.summary[0].least_losses:
                assert optimal_cost(kept, a) == optimal_cost(anew, a)
