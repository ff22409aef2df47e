"""The page of each kind of table, and of explorers, has the headings, contents, controls and keys that stand here."""

from pytest import importorskip, mark, param

importorskip("anywidget")
from .small_pages import make_page

SLOW = {"values", "labels", "distances", "similarities", "model"}
TABLES = "classes values labels distances similarities model"
KINDS = [
    param(kind, marks=mark.slow) if kind in SLOW else kind
    for kind in [*TABLES.split(), "explorer", "bars"]
]

# What stands on which pages. Numbers, classes and the best model depend on data.
PARTS = [
    (
        TABLES,
        [
            "Data",
            "Maps",
            "Method",
            "Models",
            "Relevant columns",
            "Data: column distinct",
            "Data: column distribution",
            "Data: column kind",
            "Data: column missing",
            "Data: column used",
            "Data: column values",
            "Data: sentences",
            "Maps: column classifier",
            "Maps: column error",
            "Maps: column interval",
            "Maps: column level",
            "Maps: column protocol",
            "Maps: column rows",
            "Maps: sentences",
            "Method: code",
            "Method: column classifier",
            "Method: column error",
            "Method: column interval",
            "Method: column level",
            "Method: column protocol",
            "Method: column rows",
            "Method: sentences",
            "Models: sentences",
            "Relevant columns: sentences",
            "first: column baseline",
            "first: column interval or level",
            "first: column measured on",
            "first: column value",
            "first: explorer",
            "first: notes",
            "first: sentences",
            "button of a column: sort",
            "fold All errors of this page; references",
            "fold Contents",
            "fold Equivalent code",
            "link Link to this section",
            "link Skip to the content",
            "list fitted to: a permuted target",
            "list fitted to: no target",
            "list fitted to: the target",
        ],
    ),
    (
        "classes values labels model",
        [
            "Maps: picture Linear projection",
            "Relevant columns: column criteria met",
            "Relevant columns: column error of the model with the column permuted",
            "Relevant columns: column forest importance",
            "Relevant columns: column in every equivalent model",
            "Relevant columns: column lower bound",
            "Relevant columns: column null level",
            "Relevant columns: column null level of the forest",
            "Relevant columns: column p-value",
            "Relevant columns: column p-value of association",
            "Relevant columns: column relevance",
            "Relevant columns: column upper bound",
            "Relevant columns: picture Measures of",
            "button Close",
            "button Enlarge figure",
        ],
    ),
    (
        "classes distances similarities model",
        [
            "Models: column accuracy",
            "Models: column predicted class",
            "Models: column rows",
        ],
    ),
    (
        "values distances similarities model",
        ["Models: column model", "Models: column row", "Models: column truth"],
    ),
    ("distances similarities model", ["Models: column probability"]),
    ("classes values distances similarities model", ["Models: explorer"]),
    (
        TABLES + " explorer bars",
        [
            "button Box: drag to select",
            "button Fit: show the whole picture",
            "button Lasso: drag to select",
            "button Reset everything",
            "button Save as CSV",
            "button Save as PNG",
            "button Save as SVG",
            "button Zoom in",
            "button Zoom out",
            "fold Keys, mouse and touch",
            "list What a new selection does: add to selection",
            "list What a new selection does: new selection",
            "list What a new selection does: remove from selection",
            "key + - 0",
            "key Arrows",
            "key Click",
            "key Double click",
            "key Drag",
            "key Enter",
            "key Escape",
            "key Touch",
            "key a, c",
        ],
    ),
    (
        TABLES + " explorer",
        [
            "button Copy code of this setting",
            "list Colour by",
            "search Find a sample",
        ],
    ),
    (
        "classes labels distances similarities model explorer",
        ["button of a class"],
    ),
    ("explorer", ["check box flag", "list how: a", "list how: b"]),
    ("model", ["list model: LogisticRegression"]),
    (
        "classes values distances similarities",
        [
            "list model: 5 nearest neighbours",
            "list model: linear model",
            "list model: random forest",
        ],
    ),
    ("bars", ["search Find a feature"]),
    ("explorer bars", ["slider size"]),
    (
        "labels",
        [
            "Models: column area under ROC",
            "Models: column baseline",
            "Models: column error",
            "Models: column rows with it",
        ],
    ),
]

# What a page has, in a browser, in words.
FIND_PARTS = r"""() => {
  const items = [], clean = (text) => text.replace(/[\u00b6\d]+/g, "").replace(/\s+/g, " ").trim();
  const kinds = { A: "link", SUMMARY: "fold", TEXTAREA: "text box", range: "slider", checkbox: "check box" };
  const MODELS = /random forest|linear model|nearest neighbours|LogisticRegression/;
  let part = "first";
  const add = (kind, text) => items.push(text);
  const controls = "button, select, input, textarea, summary, .skip, .anchor";
  // the first rows have the columns of the table itself
  const isRows = (node) => /^The first/.test(node.closest("table").previousElementSibling?.textContent ?? "");
  for (const node of document.querySelectorAll(`h2, h4, figure > img, thead th, pre, .scroll p, dt, ${controls}`)) {
    const [tag, text] = [node.tagName, clean(node.textContent)];
    const label = clean(node.getAttribute("aria-label") ?? node.closest("label")?.textContent ?? text);
    if (tag === "H2") add("heading", (part = text));
    else if (tag === "H4" && text) add("content", `${part}: explorer`);
    else if (tag === "PRE") add("content", `${part}: code`);
    else if (tag === "P") add("content", `${part}: ${node.matches(".remark") ? "notes" : "sentences"}`);
    else if (tag === "IMG") add("content", `${part}: picture ${clean(node.alt.split(/[\d.]/)[0])}`);
    else if (tag === "TH" && text && !isRows(node)) add("content", `${part}: column ${text.replace(MODELS, "model").replace(/(predicted) .+/, "$1 class")}`);
    else if (tag === "BUTTON" && node.closest("th")) add("control", "button of a column: sort");
    else if (tag === "DT") add("key", `key ${node.textContent}`);
    else if (node.closest("[aria-label=classes]")) add("control", "button of a class");
    else if (tag === "SELECT" && label === "Colour by") add("control", `list ${label}`);
    else if (tag === "SELECT") for (const { text } of node.options) add("control", `list ${label}: ${text}`);
    else if (node.matches(controls)) add("control", `${kinds[tag] ?? kinds[node.type] ?? node.type} ${label}`);
  }
  return items;
}"""


@mark.parametrize("kind", KINDS)
def test_a_page_has_its_contents_and_controls(chromium, tmp_path, kind):
    expected = set()
    for kinds, items in PARTS:
        if kind in kinds.split():
            expected.update(items)
    page = chromium.new_page()
    page.goto(make_page(kind, tmp_path).as_uri())
    page.locator("canvas[data-drawn]").first.wait_for()
    items = page.evaluate(FIND_PARTS)
    page.close()
    assert sorted(set(items)) == sorted(expected)
