// Sorting by a click on a heading, filtering by text and by outcome. Each report on a page looks after itself.
for (const report of document.querySelectorAll(".qdsl-report:not([data-ready])")) {
  report.dataset.ready = "yes";
  const body = report.querySelector(".rows tbody");
  const headings = [...report.querySelectorAll(".rows th")];
  const rows = [...body.rows];
  let outcome = null;

  const value = (row, column, numeric) => {
    const text = row.cells[column].dataset.value;
    return numeric ? (text === "" ? null : Number(text)) : text;
  };
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));

  const sort = (column) => {
    const heading = headings[column];
    const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const numeric = heading.dataset.sort === "number";
    headings.forEach((other) => other.setAttribute("aria-sort", "none"));
    heading.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
    rows.sort((x, y) => {
      const [a, b] = [value(x, column, numeric), value(y, column, numeric)];
      if (a === null || b === null) return (a === null) - (b === null); // empty cells last, either way round
      return sign * compare(a, b);
    });
    body.append(...rows);
  };

  const filter = () => {
    const wanted = report.querySelector(".filter").value.toLowerCase();
    for (const row of rows) {
      const shown = row.textContent.toLowerCase().includes(wanted) && (outcome === null || row.classList.contains(outcome));
      row.hidden = !shown;
    }
  };

  headings.forEach((heading, column) => {
    heading.addEventListener("click", () => sort(column));
    heading.addEventListener("keydown", (event) => event.key === "Enter" && sort(column));
  });
  report.querySelector(".filter").addEventListener("input", filter);
  for (const chip of report.querySelectorAll(".chip")) {
    chip.addEventListener("click", () => {
      outcome = outcome === chip.dataset.outcome ? null : chip.dataset.outcome;
      report.querySelectorAll(".chip").forEach((other) => other.classList.toggle("active", other.dataset.outcome === outcome));
      filter();
    });
  }
}
