"""How far a command is, where there is no terminal."""

import re

from duelbench.cli.progress import Progress


class Clock:
    """A time that passes when it is told to."""

    now = 100.0

    def __call__(self):
        return self.now


def lines(capsys, seconds, step):
    """What is said in so many seconds, at a constant rate, half of the work being there before."""
    clock, total = Clock(), 1_000_000
    with Progress(total, "votes", bar=False, clock=clock) as progress:
        progress.show(total // 2, total)
        for passed in range(step, seconds + 1, step):
            clock.now = 100.0 + passed
            progress.show(total // 2 + total // 2 * passed // seconds, total)
    return capsys.readouterr().err.splitlines()


def test_a_line_now_and_then(capsys):
    said = lines(capsys, 3600, 1)
    assert 8 <= len(said) <= 14
    assert said[0] == " 50% of 1,000,000 votes after 30 s, about 60 min to go"
    shares = [int(re.match(r" *(\d+)%", line)[1]) for line in said]
    assert shares == sorted(shares)
    assert max(shares) < 100


def test_what_is_over_soon_says_nothing(capsys):
    assert lines(capsys, 29, 1) == []


def test_long_ones_say_something_every_half_hour(capsys):
    assert 45 <= len(lines(capsys, 24 * 3600, 10)) <= 60


def test_a_bar_is_no_lines(capsys):
    with Progress(10, bar=True) as progress:
        progress.show(4, 10)
        progress.show(10, 10)
    assert " of 10" not in capsys.readouterr().err
