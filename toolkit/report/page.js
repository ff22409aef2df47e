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
