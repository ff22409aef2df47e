r"""Formulas of the notebooks as MathML, which browsers show without a script.

latex2mathml does the work. It ignores unknown commands, so the result is checked here,
and a formula that would be shown wrongly is refused by name. Not allowed are ``\tag``
(write the number as text), ``\label``, ``\ref``, new macros, lines outside matrices and
aligned equations, and alphabets such as ``\mathbf`` and ``\mathcal`` of anything but
one Latin letter: browsers that implement MathML Core have no styles, and Unicode only
has letters.
"""

import html
import re

FORBIDDEN = re.compile(
    r"\\(tag|label|ref|eqref|newcommand|renewcommand|def|DeclareMathOperator|require"
    r"|notag|nonumber|displaylines|mathop|rm|not)\b\*?"
)
STYLED = re.compile(r'mathvariant="(?!normal")([\w-]+)"[^>]*>([^<]*)')


class _UnsupportedTeX(Exception):
    """What of a formula would be shown wrongly."""


def to_mathml(tex, display=False):
    r"""A ``<math>`` element for one formula without its dollars.

    A ValueError names what would be shown wrongly. `display` puts it on a line of its
    own. The attribute ``alttext`` is the TeX source.
    """
    from latex2mathml.converter import convert

    source = " ".join(tex.split())
    try:
        kind = "block" if display else "inline"
        mathml = _browser_form(convert(_prepare(source), display=kind))
    except _UnsupportedTeX as error:
        raise ValueError(
            f"The formula {source!r} uses {error}, which reports cannot show; write it"
            " another way."
        ) from None
    except Exception as error:
        # latex2mathml has a dozen exceptions of its own, most without a message
        raise ValueError(
            f"The formula {source!r} cannot be read as TeX ({type(error).__name__})."
        ) from None
    return mathml.replace(
        "<math ", f'<math alttext="{html.escape(source)}" ', 1
    )


def _prepare(source):
    """TeX as latex2mathml reads it right."""
    forbidden = FORBIDDEN.search(source)
    if forbidden:
        raise _UnsupportedTeX(forbidden[0])
    bare = re.sub(r"\\[\\{}]", "", source)
    if bare.count("{") != bare.count("}"):
        raise _UnsupportedTeX("braces that do not pair")
    if re.search(r"\\operatorname\*?\{(?![A-Za-z0-9]+\})", source):
        raise _UnsupportedTeX(r"\operatorname of more than one word")
    # The library knows no `aligned`, and numbers the lines of `align`.
    tex = re.sub(r"\\(begin|end)\{align(ed)?\}", r"\\\1{align*}", source)
    return re.sub(r"\\arg\s*\\(max|min)(?![A-Za-z])", r"\\arg\1", tex)


def _browser_form(mathml):
    """What latex2mathml gives, looked through, and as browsers show it right."""
    mathml = re.sub(r"&(?!#|\w+;)", "&amp;", mathml)
    for text in re.findall(r">([^<]+)<", mathml):
        if unknown := re.search(r"\\\w+|\\.?", text):
            raise _UnsupportedTeX(unknown[0])
        if text == "&amp;":
            raise _UnsupportedTeX("& outside an environment")
    if 'linebreak="newline"' in mathml:
        raise _UnsupportedTeX(r"\\ outside an environment")
    if styled := STYLED.search(mathml):
        variant, text = styled.groups()
        raise _UnsupportedTeX(f"{variant} {html.unescape(text)}")
    # Capital Greek letters stand upright in TeX; a lone letter in MathML is italic
    # unless it says so.
    capital = r"<mi>(&#x003(?:9[1-9A-F]|A[0-9]);)</mi>"
    return re.sub(capital, r'<mi mathvariant="normal">\1</mi>', mathml)
