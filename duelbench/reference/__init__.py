"""Every algorithm again, literally from its paper: plain NumPy, slow, and independent of the rest of the package.

A module has the name of the algorithm's class, ``dts_plus`` that of ``DtsPlus``, and a function

    run(P, horizon, policy, environment, <the parameters of the class>) -> path

that plays on the (K, K) preference matrix ``P``, draws the algorithm's choices from the generator ``policy`` and the
outcomes of duels between different arms from ``environment``, and returns the (horizon, 2) arms of the rounds. Where
the algorithm takes ties it has one more parameter ``T``, the (K, K) matrix of their probabilities, or None. Where the
algorithm declares a winner the module has ``explore``, with the same parameters, see ``exploration``.

``arithmetic``, ``copeland_counts``, ``ucb``, ``best_arm``, ``batches``, ``merging``, ``random_order``, ``sprt`` and
``ppr`` have what several share; ``interleaving`` and ``copeland_lower_bound`` transcribe what is no algorithm.
"""
