// The claims of one paper, of one verdict, or with certain words.
{
  const filters = document.querySelector(".filters");
  const [paper, verdict, words] = filters.querySelectorAll("select, input");
  const sections = [...document.querySelectorAll("section[data-paper]")];
  const rows = [...document.querySelectorAll("tr[data-verdict]")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const section of sections) {
      let some = false;
      for (const row of section.querySelectorAll("tr[data-verdict]")) {
        const fits = [paper.value || section.dataset.paper, verdict.value || row.dataset.verdict];
        const shown = fits[0] === section.dataset.paper && fits[1] === row.dataset.verdict
          && wanted.every((word) => texts.get(row).includes(word));
        row.hidden = !shown;
        count += shown;
        some ||= shown;
      }
      section.hidden = !some;
    }
    filters.querySelector("output").value = `${count} of ${rows.length} claims are shown.`;
  };

  filters.hidden = false;
  filters.addEventListener("input", show);
  document.addEventListener("click", (event) => { // a link to what is hidden shows all again
    const address = event.target.closest("a")?.getAttribute("href");
    if (!address?.startsWith("#") || !document.querySelector(address)?.closest("[hidden]")) return;
    paper.value = verdict.value = words.value = "";
    show();
  });
  show();
}
