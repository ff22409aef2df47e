"""A report of a notebook whose outputs would load from a server: the browser asks the server for nothing."""

import time

from nbformat.v4 import (
    new_code_cell,
    new_markdown_cell,
    new_notebook,
    new_output,
)
from pytest import mark

from toolkit.report.export import notebook_page

from .pages import wait_until

CONTENT = """
<script src="{0}/a.js"></script><script type="module" src="{0}/b.js"></script><link rel="stylesheet" href="{0}/c.css">
<style>@import "{0}/d.css"; h1 {{ background: url({0}/e.png) }}</style><p style="background: url({0}/f.png)">x</p>
<img src="{0}/g.png"><img srcset="{0}/h.png 1x"><object data="{0}/i.svg"></object><iframe src="{0}/j.html"></iframe>
<svg><image href="{0}/k.png"></image></svg><video src="{0}/l.mp4" autoplay></video>
<script>fetch("{0}/m"); new Image().src = "{0}/n.png"; document.title = "scripts run";</script>
"""


@mark.parametrize("policy", [True, False])
def test_the_policy_of_a_report_stops_every_load(
    open_page, server, tmp_path, policy
):
    """Without the policy the same page does ask, which shows that the server would have noticed."""
    output = new_output(
        "display_data", data={"text/html": CONTENT.format(server.address)}
    )
    cells = [new_markdown_cell("# T"), new_code_cell("1", outputs=[output])]
    page, _ = notebook_page(new_notebook(cells=cells), "x")
    if not policy:
        page = page.replace("Content-Security-Policy", "nothing")
    path = tmp_path / "page.html"
    path.write_text(page, "utf-8")
    shown = open_page(path)
    wait_until(shown, "document.title === 'scripts run'")
    # where nothing stops the loads, they come sooner
    deadline = time.monotonic() + (0.5 if policy else 60)
    while time.monotonic() < deadline and len({*server.asked}) < 14:
        shown.wait_for_timeout(20)
    files = {path.strip("/")[0] for path in server.asked}
    assert files == (set() if policy else set("abcdefghijklmn"))
