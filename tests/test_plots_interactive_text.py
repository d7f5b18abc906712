"""Text of a page: readable, and no markup."""

import json
from html import unescape

import pytest

from duelbench.plots.interactive.text import embedded, heading, label, readable, words


@pytest.mark.parametrize(
    ("title", "said"),
    [
        (r"D-TS$^+$ ($\alpha = 10^{-3}$)", "D-TS⁺ (α = 10⁻³)"),
        (r"$\hat{p}_{12} \leq \frac{1}{2}$", "p̂₁₂ ≤ 1/2"),
        (r"$\bar{\theta}$ of $\sqrt{K}$, $\zeta^*$, $x_{\max}$", "θ̄ of √(K), ζ*, x_max"),
        (r"a^2 and x_1 cost \$5", "a^2 and x_1 cost $5"),
        ("one $ and 10^{6}", "one $ and 10^{6}"),
    ],
)
def test_mathematics_is_unicode_and_what_is_none_stays(title, said):
    assert readable(title) == said


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a & b &lt; c", "'\" onload='x'", "%{x} <br> ü"])
def test_text_is_no_markup_and_reads_the_same(text):
    for escaped in (words(text), heading(text), label(text)):
        assert unescape(escaped) == text
        assert "<" not in escaped
        assert ">" not in escaped
    assert not {'"', "'"} & set(words(text))
    assert "%{" not in label(text)


def test_a_payload_does_not_end_its_element_and_reads_back():
    payload = {"</script><!--": ["&", 0.1, None, "ü"]}
    said = embedded(payload)
    assert not {"<", ">", "&"} & set(said)
    assert json.loads(said) == payload
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded(float("nan"))
