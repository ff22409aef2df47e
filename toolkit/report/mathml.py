r"""Formulas of the notebooks as MathML, which browsers show without a script.

latex2mathml does the work. It passes over what it does not know, so the result is
looked through here, and a formula that would be shown wrongly is refused by name
instead. Not allowed are ``\tag`` (write the number as text), ``\label``, ``\ref``,
macros of one's own, and environments other than those in `ENVIRONMENTS`.
"""

import contextlib
import html
import re
import unicodedata

# Environments that may be used, with the one that latex2mathml gets where it numbers
# lines or knows none.
MATRICES = (
    "matrix pmatrix bmatrix vmatrix Vmatrix cases array smallmatrix".split()
)
ENVIRONMENTS = (
    {name: name for name in MATRICES}
    | dict.fromkeys(("align", "align*", "aligned", "split"), "align*")
    | {"equation": "", "equation*": ""}
)

FORBIDDEN = re.compile(
    r"\\(tag|label|ref|eqref|newcommand|renewcommand|def|DeclareMathOperator|require"
    r"|notag|nonumber|displaylines|mathop|rm|not)\b\*?"
)
VARIANT = re.compile(
    r'<(m[ino]|mtext)((?: (?!mathvariant)[\w-]+="[^"]*")*)'
    r' mathvariant="([\w-]+)"([^>]*)>([^<]*)'
)
# Unicode names of mathematical alphabets; browsers that implement MathML Core know no
# other variant than "normal".
NAMES = "bold italic double-struck sans-serif monospace script fraktur".split()
VARIANTS = {name: [name.upper()] for name in NAMES}
VARIANTS["bold-italic"] = ["BOLD ITALIC", "BOLD"]  # for digits, upright only


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
        mathml = convert(
            _prepare(source), display="block" if display else "inline"
        )
        mathml = _browser_form(mathml)
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
    if found := FORBIDDEN.search(source):
        raise _UnsupportedTeX(found[0])
    bare = re.sub(r"\\[\\{}]", "", source)
    if bare.count("{") != bare.count("}"):
        raise _UnsupportedTeX("braces that do not pair")
    tex = re.sub(r"\\(begin|end)\{([^}]*)\}", _environment, source)
    # One word with a thin space is all that \operatorname and \arg are used for.
    tex = re.sub(r"\\arg\s*\\(max|min)(?![A-Za-z])", r"\\arg\1", tex)
    operator = r"\\operatorname\*?\{"
    tex = re.sub(
        operator + r"\s*arg\\[,;: ]?\s*(max|min)\s*\}", r"\\arg\1", tex
    )
    if re.search(operator + r"(?![A-Za-z0-9]+\})", tex):
        raise _UnsupportedTeX(r"\operatorname of more than one word")
    return tex


def _browser_form(mathml):
    """What latex2mathml gives, looked through, and as browsers show it right."""
    mathml = re.sub(r"&(?!#|\w+;)", "&amp;", mathml)
    for text in re.findall(r">([^<]+)<", mathml):
        if unknown := re.search(r"\\\w+|\\.?", text):
            raise _UnsupportedTeX(unknown[0])
        if text == "&amp;":
            raise _UnsupportedTeX("& outside an environment")
    mathml = VARIANT.sub(_alphabet_element, mathml)
    # Capital Greek letters stand upright in TeX; a lone letter in MathML is italic
    # unless it says so.
    capital = r"<mi>(&#x003(?:9[1-9A-F]|A[0-9]);)</mi>"
    return re.sub(capital, r'<mi mathvariant="normal">\1</mi>', mathml)


def _environment(found):
    if found[2] not in ENVIRONMENTS:
        raise _UnsupportedTeX(found[0])
    name = ENVIRONMENTS[found[2]]
    return f"\\{found[1]}{{{name}}}" if name else ""


def _alphabet_element(found):
    """An element with letters of a mathematical alphabet in place of `mathvariant`."""
    tag, before, variant, after, text = found.groups()
    if variant == "normal":
        return found[0]
    letters = []
    for letter in html.unescape(text):
        other = _alphabet_letter(letter, variant)
        if other is None and letter.isalnum():
            raise _UnsupportedTeX(f"{variant} {letter}")
        letters.append(other or html.escape(letter))
    return f"<{tag}{before}{after}>{''.join(letters)}"


def _alphabet_letter(letter, variant):
    """The letter of a mathematical alphabet, None where there is none."""
    # "LATIN SMALL LETTER X" -> "SMALL X", "GREEK SMALL LETTER MU" -> "SMALL MU",
    # "DIGIT ONE" as it is
    name = unicodedata.name(letter, "")
    name = re.sub(r"(LATIN |GREEK )?(SMALL|CAPITAL) LETTER ", r"\2 ", name)
    for style in VARIANTS.get(variant, []):
        # the second form: SCRIPT CAPITAL L and its like
        for kind in ("MATHEMATICAL ", ""):
            with contextlib.suppress(KeyError):
                return unicodedata.lookup(f"{kind}{style} {name}")
    return None
