"""ASAP (Mikhailiuk et al., ICPR 2020): TrueSkill, and the expected divergence of the beliefs after a vote.

1. Strength i has the prior N(0, 1/2); an answer is the sign of x_a - x_b + N(0, 1). Expectation propagation over all
   answers: messages from 0, 6 sweeps from the last beliefs, the messages of a sweep all from the same beliefs.
2. The gain of a pair is the expected KL(beliefs after its answer || beliefs now), where a wins with probability
   Phi((m_a - m_b) / sqrt(1 + v_a + v_b)). Beliefs after an answer: approximate, one update of both arms in which the
   noise has variance 2; or 4 more sweeps with one more answer, whose message is that of an equal answer, or 0.
3. A batch is the spanning tree with the largest gains, or the pair with the largest gain. The first tree, with less
   than K - 1 answers, is random.
"""

import math
from itertools import combinations

import numpy as np

from .arithmetic import first_wins
from .random_order import shuffled
from .spanning_tree import best_pair, random_tree, tree


def psi(x):
    """phi(x) / Phi(x)."""
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return density / np.array([math.erfc(-each / math.sqrt(2)) / 2 for each in x])


def sweep(answers, mean, precision, messages):
    """The messages of every answer (winner, loser) to both arms, (precision, mean), and the beliefs with them."""
    message_precision, message_mean = messages
    own = precision[answers] - message_precision
    own_mean = (precision[answers] * mean[answers] - message_precision * message_mean) / own
    # The difference of the strengths with noise, before and after the answer.
    variance = 1 + (1 / own).sum(axis=1)
    difference = own_mean[:, 0] - own_mean[:, 1]
    x = difference / np.sqrt(variance)
    new_mean = difference + np.sqrt(variance) * psi(x)
    new_precision = 1 / (variance * (1 - psi(x) * (psi(x) + x)))
    # What the answer says about the difference, and that about each arm.
    said = new_precision - 1 / variance
    said_mean = (new_mean * new_precision - difference / variance) / said
    message_precision = 1 / (1 + 1 / said[:, None] + 1 / own[:, ::-1])
    message_mean = np.stack((said_mean, -said_mean), axis=1) + own_mean[:, ::-1]
    precision, total = np.full(len(mean), 2.0), np.zeros(len(mean))
    np.add.at(precision, answers, message_precision)
    np.add.at(total, answers, message_precision * message_mean)
    return total / precision, precision, (message_precision, message_mean)


def sweeps(answers, mean, precision, messages, number):
    for _ in range(number):
        mean, precision, messages = sweep(answers, mean, precision, messages)
    return mean, precision, messages


def divergence(mean, precision, mean0, precision0):
    ratio = precision0 / precision
    return (ratio - 1 - np.log(ratio) + (mean - mean0) ** 2 * precision0).sum() / 2


def after_one_message(mean, precision, a, b):
    """The beliefs about all arms after a beats b, with noise 2."""
    mean, variance = mean.copy(), 1 / precision
    square = 2 + variance[a] + variance[b]
    x = (mean[a] - mean[b]) / math.sqrt(square)
    ratio = psi(np.array([x]))[0]
    now = variance.copy()
    mean[a] += now[a] / math.sqrt(square) * ratio
    mean[b] -= now[b] / math.sqrt(square) * ratio
    for arm in (a, b):
        variance[arm] = now[arm] * (1 - now[arm] / square * ratio * (ratio + x))
    return mean, 1 / variance


def after_sweeps(mean, precision, a, b, answers, messages):
    equal = np.flatnonzero((answers == (a, b)).all(axis=1))
    more = [np.vstack((each, each[equal[0]] if len(equal) else np.zeros(2))) for each in messages]
    return sweeps(np.vstack((answers, (a, b))), mean, precision, more, 4)[:2]


def gains(mean, precision, after):
    gain = np.zeros((len(mean), len(mean)))
    for a, b in combinations(range(len(mean)), 2):
        p = math.erfc(-(mean[a] - mean[b]) / math.sqrt(1 + 1 / precision[a] + 1 / precision[b]) / math.sqrt(2)) / 2
        won, lost = (divergence(*after(mean, precision, *pair), mean, precision) for pair in ((a, b), (b, a)))
        gain[a, b] = gain[b, a] = max(p * won + (1 - p) * lost, 1e-13)
    return gain


def run(P, horizon, policy, environment, mode="tree", approximate=True):
    K = len(P)
    answers, path, order = np.empty((0, 2), dtype=int), [], list(range(K))
    mean, precision = np.zeros(K), np.full(K, 2.0)
    while len(path) < horizon:
        if mode == "tree":
            order = shuffled(order, policy)
        if mode == "tree" and len(answers) < K - 1:
            batch = random_tree(order, policy)
        else:
            # Steps 1 and 2.
            none = np.zeros(answers.shape), np.zeros(answers.shape)
            mean, precision, messages = sweeps(answers, mean, precision, none, 6)
            full = lambda *now: after_sweeps(*now, answers, messages)  # noqa: B023, E731
            gain = gains(mean, precision, after_one_message if approximate else full)
            # Step 3.
            batch = tree(gain, order) if mode == "tree" else [best_pair(gain, policy)]
        for i, j in batch:
            winner, loser = (i, j) if first_wins(P, i, j, environment) else (j, i)
            answers = np.vstack((answers, (winner, loser)))
            path.append((i, j))
    return np.array(path[:horizon], dtype=int)
