"""The page of the claims: filters count what they show, links lead to what they hide, columns can be read."""

from pytest import fixture, mark

from toolkit import claims


@fixture(scope="module")
def still(open_page, reports):
    """The page, for tests that leave it as it is."""
    return open_page(
        reports / "claims.html", viewport={"width": 1280, "height": 800}
    )


@fixture
def page(still):
    """The page as it is when it is open_page, also after the test."""
    address = still.url
    yield still
    still.set_viewport_size({"width": 1280, "height": 800})
    still.goto("about:blank")
    still.goto(address)


def choose(page, paper, verdict):
    page.get_by_label("Paper").select_option(paper)
    page.get_by_label("Verdict").select_option(verdict)


def visible_ids(page):
    rows = page.locator("tr[data-verdict]:visible")
    return rows.evaluate_all("rows => rows.map((row) => row.id)")


def test_filters_show_what_they_count(page, rows):
    told = page.get_by_role("status")
    assert told.inner_text() == f"{len(rows)} of {len(rows)} claims are shown."
    choose(page, "schulz", "differs")
    wanted = [
        row["id"]
        for row in rows
        if (row["paper"], row["verdict"]) == ("schulz", "differs")
    ]
    assert visible_ids(page) == wanted != []
    assert (
        told.inner_text() == f"{len(wanted)} of {len(rows)} claims are shown."
    )
    assert page.locator("h2:visible").all_inner_texts() == [
        claims.PAPERS["schulz"]
    ]
    page.get_by_label("Words").fill("RANK sphered")
    assert set(visible_ids(page)) < set(wanted)
    choose(page, "", "")
    assert "SL-01" in visible_ids(page) and len(visible_ids(page)) < 40


def test_the_filters_work_from_the_keyboard(page):
    page.get_by_label("Paper").focus()
    page.keyboard.press("ArrowDown")
    assert {id[:2] for id in visible_ids(page)} == {"SL"}
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("SL-07")
    assert visible_ids(page) == ["SL-07"]


def test_a_link_to_a_hidden_paper_shows_all_again(page, rows):
    page.get_by_label("Paper").select_option("self")
    page.get_by_role("link", name="Kudo").first.click()
    assert len(visible_ids(page)) == len(rows)
    assert abs(page.locator("h2#kudo").bounding_box()["y"]) < 50


def test_a_claim_has_an_address(page):
    page.goto(f"{page.url}#TR-03")
    assert 0 <= page.locator("#TR-03").bounding_box()["y"] < 800


def test_without_scripts_all_is_shown_and_no_filter(open_page, reports, rows):
    page = open_page(reports / "claims.html", java_script_enabled=False)
    assert (
        len(visible_ids(page)) == len(rows)
        and page.get_by_label("Words").is_hidden()
    )


@mark.parametrize("width, least", [(1280, 350), (900, 250), (390, 330)])
def test_what_the_paper_reports_has_a_wide_column(still, width, least):
    still.set_viewport_size({"width": width, "height": 800})
    cells = still.locator("tr[data-verdict] td:nth-child(2)")
    widths = cells.evaluate_all(
        "cells => cells.map((cell) => cell.clientWidth)"
    )
    assert min(widths) >= least
    assert still.evaluate("document.documentElement.scrollWidth") == width


def test_verdicts_have_signs_of_their_own(still):
    pairs = still.evaluate("""[...document.querySelectorAll("[data-verdict]")].map((row) =>
      [row.dataset.verdict, getComputedStyle(row.querySelector(".verdict"), "::before").content])""")
    assert (
        len({sign for _, sign in pairs})
        == 3
        == len({tuple(pair) for pair in pairs})
    )


def test_it_prints_on_a_few_pages(still):
    assert 5 < still.pdf(format="A4").count(b"/Type /Page\n") < 25
