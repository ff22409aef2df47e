// What scrolls sideways is reached by keyboard, and only that: it depends on the width of the screen and on what is open.
const watched = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const each of document.querySelectorAll("main pre, main .scroll, main math[display=block]"))
  if (!each.closest(".toolkit-explorer")) watched.observe(each);

// Figures enlarge to their own size or the window's width, whichever is more.
const figures = [...document.querySelectorAll("main figure > img")];
if (figures.length) {
  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.innerHTML = '<button type="button">Close</button><img alt="">';
  const [close, picture] = dialog.children;
  close.onclick = () => dialog.close();
  document.body.append(dialog);
  figures.forEach((figure, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "enlarge";
    button.textContent = "Enlarge";
    button.setAttribute("aria-label", `Enlarge figure ${i + 1}`);
    button.onclick = () => {
      picture.src = figure.src;
      picture.alt = figure.alt;
      dialog.setAttribute("aria-label", `Figure ${i + 1}`);
      dialog.showModal(); // Escape closes it and the focus goes back, by the browser
    };
    figure.onclick = () => {
      button.focus({ preventScroll: true });
      button.click();
    };
    figure.after(button);
  });
}

// A column of a table sorts by a press on its name: numbers by value, and once more the other way round.
const valueOf = (cell) => {
  const text = cell?.textContent.trim() ?? "";
  const number = parseFloat(text.replaceAll(",", ""));
  return text === "" ? Infinity : Number.isNaN(number) ? text : number;
};
const compare = (a, b) => (typeof a === typeof b ? (a < b ? -1 : +(a > b)) : typeof a === "number" ? -1 : 1);
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  if (table.tBodies[0].rows.length < 3) continue;
  heads.forEach((head, j) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (down ? -1 : 1) * compare(valueOf(a.cells[j]), valueOf(b.cells[j])));
      table.tBodies[0].append(...rows);
    };
  });
}
