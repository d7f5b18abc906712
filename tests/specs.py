"""A spec with all features, and a minimal one."""

from duelbench.spec.model import Spec

DESIGN = """
name: dts-fig1a
title: "D-TS Fig. 1(a): MSLR, K = 5, Condorcet"
horizon: 1e6
runs: 500
seed: 2016
regret: [condorcet, copeland]
datasets:
  - mslr5-condorcet
  - {name: mslr-informational, submatrix: {size: 16, per_run: true, min_gap: 0.005}}
  - {file: data/my_matrix.csv}
  - {name: btl-uniform, label: BTL 100, arms: 100}
algorithms:
  - d-ts+
  - {name: rucb, fast: true, alpha: [0.51, 1.0], mode: [a, b]}
  - {name: btm, gamma: 1.3, horizons: sweep}
  - {name: sub/mine.py:MyPolicy}
  - {name: savage, horizons: [1e5, 1e3], label: SAVAGE, epsilon: [0]}
figures:
  - {kind: regret, x: linear}
  - {kind: std, normalize_by: d-ts+}
  - {kind: std, at: 1e5, regret: copeland}
"""


def minimal(**changes):
    return Spec.model_validate(
        {"name": "x", "horizon": 10, "runs": 1, "datasets": ["a"], "algorithms": ["b"], **changes}
    )
