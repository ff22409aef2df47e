"""Which TeX the notebooks may use, and that the rest is refused by name."""

import xml.etree.ElementTree as ET

from pytest import mark, raises

from toolkit.report.mathml import to_mathml

ALLOWED = [
    r"X \in \mathbb{R}^{n \times d}",
    r"\hat{Y} = U_k \Sigma_k V_k^\top",
    r"\frac{\sum_{i=1}^{k} w_i}{\sum_{i=1}^{l} w_i}",
    r"\left( \frac12 \right)^2 \quad \text{if } x > 0",
    r"\lVert x \rVert, \langle a, b \rangle, \|x\|",
    r"\operatorname{tr}(A) + \operatorname{rank} X",
    r"\operatorname*{argmax}_x f, \arg\min_y g, \argmax_z h",
    r"\mathbf{x}, \mathcal{L}, \mathbb{R}, \mathsf{T}, \mathfrak{g}, \mathrm{tr}",
    r"\tilde{x}, \bar{x}, \widehat{x}, \overline{x}, x', \dot{x}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
    r"\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
    r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
    r"\begin{align} a &= b \\ c &= d \end{align}",
    r"\begin{equation} a \end{equation}",
    r"a \leq b, a \succeq 0, \ell, \odot, \lambda, \Lambda, \ldots, \cdots",
    r"\underbrace{a}_{b}, \sqrt[3]{x}, \binom{n}{k}, \min_{A \in S}",
    r"a \qquad \text{(2.20)}",
    r"50\,\%",
]


@mark.parametrize("tex", ALLOWED)
@mark.parametrize("display", [False, True])
def test_allowed_tex_becomes_well_formed_mathml_without_tex_in_it(tex, display):
    tree = ET.fromstring(to_mathml(tex, display=display))
    assert tree.tag.endswith("math") and tree.get("alttext") == " ".join(
        tex.split()
    )
    assert tree.get("display") == ("block" if display else "inline")
    shown = "".join(tree.itertext())
    # a brace is how cases are drawn
    assert not set("\\&{}_") & set(shown) - {"{" if "cases" in tex else ""}
    # browsers know no other
    assert {e.get("mathvariant") for e in tree.iter()} <= {None, "normal"}


REFUSED = {
    r"a \tag{3}": r"\tag",
    r"\label{x} a": r"\label",
    r"\eqref{x}": r"\eqref",
    r"\foo x": r"\foo",
    r"\newcommand{\a}{b} \a": r"\newcommand",
    r"\operatorname{two\ words} x": r"\operatorname of more than one word",
    r"\text{a\_b}": r"\_b",
    r"\begin{foo} a \\ b \end{foo}": r"\\ outside",
    r"\boldsymbol{\mu}": "bold-italic μ",
    r"\mathcal{LA}": "script L",
    r"\frac{a": "braces",
    r"a & b": "& outside",
    r"\mathop{\rm argmax}": r"\mathop",
    r"\not= b": r"\not",
    r"\left( a": "ExtraLeftOrMissingRightError",
    r"x_": "Missing",
    "": "NoAvailableTokensError",
}


@mark.parametrize("tex", REFUSED)
def test_what_would_be_shown_wrongly_is_refused_with_the_formula_and_the_reason(
    tex,
):
    with raises(ValueError) as caught:
        to_mathml(tex)
    assert REFUSED[tex] in str(caught.value) and repr(tex) in str(caught.value)


def test_letters_of_mathematical_alphabets_and_capital_greek_ones_upright():
    tex = r"\mathbf{x}\mathbb{R}\mathcal{L}\Lambda\lambda"
    tree = ET.fromstring(to_mathml(tex))
    assert "".join(tree.itertext()) == "𝐱ℝℒΛλ"
    variants = {e.text: e.get("mathvariant") for e in tree.iter()}
    assert variants["Λ"] == "normal" and variants["λ"] is None


def test_aligned_lines_are_rows_of_a_table_and_carry_no_numbers():
    tree = ET.fromstring(
        to_mathml(r"\begin{align} a &= b \\ c &= d \end{align}")
    )
    rows = [element for element in tree.iter() if element.tag.endswith("mtr")]
    assert len(rows) == 2 and "(1)" not in "".join(tree.itertext())
