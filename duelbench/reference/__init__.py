"""Every algorithm again, literally from its paper: plain NumPy, slow, and independent of the rest of the package.

The reference implementation of an algorithm is the function with the name of its class, ``dts_plus`` for ``DtsPlus``
(underscores apart), in any module:

    dts_plus(P, horizon, policy, environment, <the parameters of the class>) -> path

It plays on the (K, K) preference matrix ``P``, draws the algorithm's choices from the generator ``policy`` and the
outcomes of duels between different arms from ``environment``, and returns the (horizon, 2) arms of the rounds. Where
the algorithm takes ties it has one more parameter ``T``, the (K, K) matrix of their probabilities, or None.

Where the algorithm declares a winner the function is a generator of its exploration: it yields the arms of one duel
after the other, once that has been fought, and returns the winner; or None, where there is no winner, and the arm that
is held all the same; or a list of tiers, which are lists of arms, best first.

``conventions`` has what all share. ``ecw_rmed.lower_bound`` and ``interleaving`` are no algorithms.
"""
