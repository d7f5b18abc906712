"""Reference implementations of all algorithms, written from the papers: plain NumPy, slow, and independent.

The reference implementation of an algorithm is a function named like its class (``dts_plus`` for ``DtsPlus``), in any
module of this package:

    dts_plus(P, horizon, policy, environment, <the parameters of the class>)

It is a generator that yields the two arms of each round on the (K, K) preference matrix ``P``. It draws the algorithm's
choices from the generator ``policy``, and the outcomes of duels between different arms from ``environment``. If the
algorithm takes ties, it has one more parameter ``T``: the (K, K) probabilities of ties, or None.

A generator yields a duel after fighting it. If the algorithm declares something, the generator ends and returns the
winner; or None ("no winner") and the arm that plays on; or a list of tiers (lists of arms), best first.

A program and its reference often look alike, but they share no code: the reference follows the paper, duel by duel.
Comparing them shows that blocks of duels (one draw of the engine) equal single duels; that tests stop at the right
duel; that both make the same random choices in the same order; that the compiled types hold every number; and that the
declaration, its time and the later duels are right. If both misread the paper in the same way, only the examples worked
out by hand in ``tests/test_reference_by_hand.py`` can show it.

``conventions`` has shared code. ``ecw_rmed.lower_bound`` is not an algorithm.
"""
