// What scrolls sideways is reached by keyboard, and only that: it depends on the width of the screen and on what is open.
const watched = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const each of document.querySelectorAll("main pre, main .scroll, main math[display=block]"))
  if (!each.closest(".toolkit-explorer")) watched.observe(each);

// A displayed formula that is a little too wide is drawn smaller; of the rest, what is cut is reached by scrolling.
for (const formula of document.querySelectorAll("main math[display=block]")) {
  const ratio = formula.clientWidth / formula.scrollWidth;
  if (ratio < 1) formula.style.fontSize = `${1.05 * Math.max(0.75, 0.99 * ratio)}em`;
}

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

// A column of a table sorts by a press on its name: numbers by value, then the other way round, then as it was.
const valueOf = (cell) => {
  const text = cell?.textContent.trim() ?? "";
  const number = parseFloat(text.replaceAll(",", ""));
  return text === "" ? Infinity : Number.isNaN(number) ? text : number;
};
const compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? (a < b ? -1 : +(a > b)) : `${a}`.localeCompare(`${b}`, undefined, { numeric: true });
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const original = [...table.tBodies[0].rows];
  if (original.length < 5) continue;
  heads.forEach((head, j) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const next = { null: "ascending", ascending: "descending" }[head.getAttribute("aria-sort")];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      const rows = [...original];
      if (next) {
        head.setAttribute("aria-sort", next);
        const sign = next === "descending" ? -1 : 1;
        rows.sort((a, b) => sign * compare(valueOf(a.cells[j]), valueOf(b.cells[j])));
      }
      table.tBodies[0].append(...rows);
    };
  });
}
