"""Links of a page to the page before it and the page after it.

Pages come one by one, in any order, and a page that is not there yet must be no link. So each page keeps marked places
for these links, which are filled anew whenever another page comes, and which count for nothing in its digest.
"""

import html
import re
from urllib.parse import quote

__all__ = ["linked", "unlinked"]

PLACE = re.compile(rb"(<!-- neighbours -->)[^\n]*(<!-- /neighbours -->)")


def linked(page, before, after):
    """The page (bytes) with links to `before` and `after`: pairs of address and title, or None for no link."""
    links = _link("prev", "Previous", before) + _link("next", "Next", after)
    return PLACE.sub(lambda place: place[1] + links.encode() + place[2], page)


def unlinked(page):
    """The page (bytes) as it is whatever stands beside it."""
    return linked(page, None, None)


def _link(relation, word, neighbour):
    if neighbour is None:
        return ""
    address, title = neighbour
    title = html.escape(" ".join(title.split()))
    return f'<a rel="{relation}" href="{quote(address)}">{word}<span>: {title}</span></a>'
