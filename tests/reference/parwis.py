"""PARWiS (Sheth, Rajkumar, ICDM 2021)."""

import numpy as np

from .conventions import first_wins, pick, shuffled

TOLERANCE = 1e-9


def parwis(P, horizon, policy, environment, budget=None, pairs="exact"):
    """PARWiS (Sheth, Rajkumar, ICDM 2021): the winner after a small number of duels.

    1. First K - 1 duels: the first arm of a random permutation is the champion; it meets the next arm in order; the
       winner is the champion.
    2. Score: a Markov chain on K + 1 states, one of them a ghost with one win and one loss against every arm. For i !=
       j with n[i,j] > 0: M[i,j] = (w[j,i]/n[i,j])/K (from i to j when j wins); the diagonal fills the row. pi = its
       stationary distribution.
    3. top = argmax pi over arms (ties at random). For each other j: d1 = |pi(after one more win of top over j) - pi|,
       d2 the same for a win of j, in the 2-norm, ghost included; disruption (pi_top d1 + pi_j d2)/(pi_top + pi_j).
    4. Duel (top, argmax disruption) (ties at random, to 1e-9). Update; repeat. Declare top when the budget is spent.
       pairs: random-top: top meets a random other arm; top-two: the second highest score.
    """
    K = len(P)
    w = np.zeros((K + 1, K + 1))
    w[:K, K] = w[K, :K] = 1
    order = shuffled(range(K), policy)
    champion = order[0]
    duels = 0
    while budget is None or duels < budget:
        if duels < K - 1:
            # Step 1.
            first, second = champion, order[duels + 1]
        else:
            # Step 2.
            pi = stationary(w)
            # Step 3.
            first = best_of(range(K), pi[:K], policy)
            others = [j for j in range(K) if j != first]
            # Step 4.
            if pairs == "exact":
                second = best_of(others, [disruption(w, pi, first, j) for j in others], policy)
            elif pairs == "top-two":
                second = best_of(others, pi[others], policy)
            else:
                second = pick(others, policy)
        won = first_wins(P, first, second, environment)
        w[(first, second) if won else (second, first)] += 1
        if not won and duels < K - 1:
            champion = second
        duels += 1
        yield first, second
    return best_of(range(K), stationary(w)[:K], policy)


def stationary(w):
    """Step 2. ``w``: (K + 1, K + 1) wins; the ghost is last."""
    K = len(w) - 1
    n = w + w.T
    M = np.divide(w.T, n, out=np.zeros(w.shape), where=n > 0) / K
    np.fill_diagonal(M, 0.0)
    np.fill_diagonal(M, 1 - M.sum(axis=1))
    # pi (I - M) = 0, one of these equations replaced by sum pi = 1.
    A = (np.eye(K + 1) - M).T
    A[-1] = 1.0
    return np.linalg.solve(A, np.eye(K + 1)[-1])


def one_more_win(w, i, j):
    w = w.copy()
    w[i, j] += 1
    return w


def disruption(w, pi, top, j):
    d1 = np.linalg.norm(stationary(one_more_win(w, top, j)) - pi)
    d2 = np.linalg.norm(stationary(one_more_win(w, j, top)) - pi)
    return (pi[top] * d1 + pi[j] * d2) / (pi[top] + pi[j])


def best_of(arms, values, policy):
    most = max(values)
    return pick([arm for arm, value in zip(arms, values, strict=True) if value >= most - TOLERANCE], policy)
