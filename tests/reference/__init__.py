"""Every algorithm again, literally from its paper: plain NumPy, slow, and independent of the rest of the package.

The reference implementation of an algorithm is the function with the name of its class, ``dts_plus`` for ``DtsPlus``
(underscores apart), in any module:

    dts_plus(P, horizon, policy, environment, <the parameters of the class>)

It is a generator that plays on the (K, K) preference matrix ``P``, draws the algorithm's choices from the generator
``policy`` and the outcomes of duels between different arms from ``environment``, and yields the arms of one round after
the other. Where the algorithm takes ties it has one more parameter ``T``, the (K, K) matrix of their probabilities, or
None.

Where the algorithm declares a winner, the generator ends: it yields a duel once that has been fought, and returns the
winner; or None, where there is no winner, and the arm that is held all the same; or a list of tiers, which are lists of
arms, best first.

A program and its reference often have the same shape. The reference is written from the paper alone, duel by duel, and
shares no code with the program; so their comparison still shows that blocks of duels, which are one draw of the engine,
equal duels one by one, with tests stopped at the right duel; that both make the same random choices in the same order;
that the compiled types hold every number; and that what is declared, when, and what is played afterwards are right. It
cannot show that both have not misread the paper in the same way: for this there are examples worked out by hand, in
``tests/test_reference_by_hand.py``.

``conventions`` has what all share. ``ecw_rmed.lower_bound`` is no algorithm.
"""
