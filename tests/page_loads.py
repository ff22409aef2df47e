"""What a page would fetch from outside when it is opened."""

import re
from html.parser import HTMLParser


def external_loads(page):
    """Addresses that a browser would load; links that a reader may follow do not count."""
    parser = Loads()
    parser.feed(page)
    parser.close()
    return parser.found


class Loads(HTMLParser):
    ATTRIBUTES = {"src", "srcset", "poster", "data", "background"}
    SAFE = ("data:", "blob:", "#", "about:")

    def __init__(self):
        super().__init__()
        self.found, self.in_style = [], False

    def handle_starttag(self, tag, attributes):
        self.in_style = tag == "style"
        for key, value in attributes:
            fetched = key in self.ATTRIBUTES or (key in ("href", "xlink:href") and tag in ("link", "image", "use"))
            if fetched and value and not value.strip().startswith(self.SAFE):
                self.found.append(value)
            if key == "style":
                self.read_style(value or "")

    def handle_endtag(self, tag):
        self.in_style = self.in_style and tag != "style"

    def handle_data(self, data):
        if self.in_style:
            self.read_style(data)

    def read_style(self, text):
        for address in re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')\s;]+)", text):
            if not address.startswith(self.SAFE):
                self.found.append(address)
