"""What a page would fetch from outside when it is opened."""

import re

from bs4 import BeautifulSoup

FETCHED = ["src", "srcset", "poster", "data", "background"]
LINKS = [
    f"{tag}[{key}]"
    for tag in ("link", "image", "use")
    for key in ("href", r"xlink\:href")
]
SAFE = "data:", "blob:", "#", "about:"


def external_loads(page):
    """Addresses that a browser would load; links that a reader may follow do not count."""
    soup = BeautifulSoup(page, "html.parser")
    results = [node[key] for key in FETCHED for node in soup.select(f"[{key}]")]
    results += [
        node.get("href", node.get("xlink:href"))
        for node in soup.select(", ".join(LINKS))
    ]
    styles = [node.text for node in soup("style")] + [
        node["style"] for node in soup.select("[style]")
    ]
    results += re.findall(
        r"(?:url\(|@import)\s*[\"']?([^\"')\s;]+)", "\n".join(styles)
    )
    return [
        address
        for address in results
        if address and not address.strip().startswith(SAFE)
    ]
