r"""Formulas of the notebooks as MathML, which every current browser shows without a script.

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
    "matrix",
    "pmatrix",
    "bmatrix",
    "vmatrix",
    "Vmatrix",
    "cases",
    "array",
    "smallmatrix",
)
ENVIRONMENTS = {name: name for name in MATRICES} | {"equation": None, "equation*": None}
ENVIRONMENTS |= {name: "align*" for name in ("align", "align*", "aligned", "split")}

REFUSED = re.compile(
    r"\\(tag|label|ref|eqref|newcommand|renewcommand|def|DeclareMathOperator|require|notag|nonumber|displaylines|mathop|rm|not)\b\*?"
)
STYLED = re.compile(
    r'<(m[ino]|mtext)((?: (?!mathvariant)[\w-]+="[^"]*")*)'
    r' mathvariant="([\w-]+)"([^>]*)>([^<]*)'
)
# Unicode names of mathematical alphabets; browsers that implement MathML Core know no
# other variant than "normal".
VARIANTS = {
    name: name.upper()
    for name in ("bold", "italic", "double-struck", "sans-serif", "monospace", "script")
}
VARIANTS |= {"fraktur": "FRAKTUR", "bold-italic": "BOLD ITALIC"}


def to_mathml(tex, display=False):
    r"""A ``<math>`` element for one formula without its dollars; a ValueError names what would be shown wrongly.

    `display` puts it on a line of its own. The attribute ``alttext`` is the TeX source.
    """
    source = " ".join(tex.split())

    def refuse(what):
        raise ValueError(
            f"The formula {source!r} uses {what}, which reports cannot show; write it"
            " another way."
        )

    if found := REFUSED.search(source):
        refuse(found[0])
    bare = re.sub(r"\\[\\{}]", "", source)
    if bare.count("{") != bare.count("}"):
        refuse("braces that do not pair")
    prepared = re.sub(
        r"\\(begin|end)\{([^}]*)\}", lambda found: _environment(found, refuse), source
    )
    # One word with a thin space is all that \operatorname and \arg are used for.
    prepared = re.sub(r"\\arg\s*\\(max|min)(?![A-Za-z])", r"\\arg\1", prepared)
    prepared = re.sub(
        r"\\operatorname\*?\{\s*arg\\[,;: ]?\s*(max|min)\s*\}", r"\\arg\1", prepared
    )
    if re.search(r"\\operatorname\*?\{(?![A-Za-z0-9]+\})", prepared):
        refuse(r"\operatorname of more than one word")

    from latex2mathml.converter import convert

    try:
        mathml = convert(prepared, display="block" if display else "inline")
    except Exception as error:
        # latex2mathml has a dozen exceptions of its own, most without a message
        raise ValueError(
            f"The formula {source!r} cannot be read as TeX ({type(error).__name__})."
        ) from None
    mathml = re.sub(r"&(?!#|\w+;)", "&amp;", mathml)
    for text in re.findall(r">([^<]+)<", mathml):
        if unknown := re.search(r"\\\w+|\\.?", text):
            refuse(unknown[0])
        if text == "&amp;":
            refuse("& outside an environment")
    mathml = STYLED.sub(lambda found: _styled(found, refuse), mathml)
    # Capital Greek letters stand upright in TeX; a lone letter in MathML is italic
    # unless it says so.
    mathml = re.sub(
        r"<mi>(&#x003(?:9[1-9A-F]|A[0-9]);)</mi>",
        r'<mi mathvariant="normal">\1</mi>',
        mathml,
    )
    return mathml.replace("<math ", f'<math alttext="{html.escape(source)}" ', 1)


def _environment(found, refuse):
    if found[2] not in ENVIRONMENTS:
        refuse(found[0])
    given = ENVIRONMENTS[found[2]]
    return f"\\{found[1]}{{{given}}}" if given else ""


def _styled(found, refuse):
    """An element whose ``mathvariant`` is replaced by letters of the mathematical alphabet."""
    tag, before, variant, after, text = found.groups()
    if variant == "normal":
        return found[0]
    letters = []
    for letter in html.unescape(text):
        # "LATIN SMALL LETTER X" -> "SMALL X", "GREEK SMALL LETTER MU" -> "SMALL MU",
        # "DIGIT ONE" as it is
        plain = re.sub(
            r"(LATIN |GREEK )?(SMALL|CAPITAL) LETTER ",
            r"\2 ",
            unicodedata.name(letter, ""),
        )
        # for digits, upright only
        styles = [VARIANTS.get(variant, "?")] + ["BOLD"] * (variant == "bold-italic")
        names = [
            f"{kind}{style} {plain}"
            for style in styles
            for kind in ("MATHEMATICAL ", "")
        ]
        styled = html.escape(letter)
        for name in reversed(names):  # the second form: SCRIPT CAPITAL L and its like
            with contextlib.suppress(KeyError):
                styled = unicodedata.lookup(name)
        if letter.isalnum() and styled == letter:
            refuse(f"{variant} {letter}")
        letters.append(styled)
    return f"<{tag}{before}{after}>{''.join(letters)}"
