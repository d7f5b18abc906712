"""``duelbench plot``."""

import os
import subprocess
import sys

from tests.commands import REPOSITORY


def test_plot_draws_without_numba(two_played):
    code = (
        "import sys; from duelbench.cli import main; "
        "main(['plot', 'results/two', '-f', 'png'], standalone_mode=False); "
        "assert 'numba' not in sys.modules and 'llvmlite' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", code]
    drawn = subprocess.run(command, check=True, cwd=two_played[0], env=environment, capture_output=True, text=True)
    assert drawn.stdout.split() == ["results/two/regret.png", "results/two/regret-loglog.png"]
    assert (two_played[0] / "results/two/regret.png").stat().st_size > 10_000
