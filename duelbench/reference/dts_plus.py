"""D-TS+ (Wu & Liu, NIPS 2016), section 4.3: D-TS with another rule for ties in line 11 of Algorithm 1."""

from . import dts
from .arithmetic import kl, pick


def estimated_regret(theta, i):
    """``R̃_i``, the sum over j != i with theta[i, j] != 1/2 of ``r̃[i, j] / D(theta[i, j] || 1/2)``."""
    K = len(theta)
    score = [dts.votes(theta, k) / (K - 1) for k in range(K)]
    total = 0.0
    for j in range(K):
        if j == i or theta[i][j] == 0.5:
            continue
        loss = max(score) - (score[i] + score[j]) / 2
        divergence = kl(theta[i][j])
        if loss > 0:
            # Within about 1e-8 of 1/2 the computed divergence, positive in truth, can round to nothing.
            total += loss / divergence if divergence > 0 else float("inf")
    return total


def first_candidate(theta, C, policy):
    A1 = dts.most_votes(theta, C)
    regret = {i: estimated_regret(theta, i) for i in A1}
    return pick([i for i in A1 if regret[i] == min(regret.values())], policy)


def run(P, horizon, policy, environment, alpha=0.51):
    return dts.play(P, horizon, policy, environment, alpha, first_candidate)
