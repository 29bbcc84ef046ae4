// Tables that sort by their headers, and the filter of the pairs.
(() => {
  "use strict";
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  // Numbers by value and before words; empty cells last in either direction.
  function key(cell, kind) {
    const text = cell.dataset.v ?? cell.textContent.trim();
    const number = text === "" ? NaN : Number(text);
    if (Number.isFinite(number)) return { rank: 0, number, text };
    return { rank: text === "" || kind === "number" ? 2 : 1, number, text };
  }

  function compare(a, b, sign) {
    if (a.rank === 2 || b.rank === 2) return a.rank - b.rank;
    if (a.rank !== b.rank) return sign * (a.rank - b.rank);
    return sign * (a.rank === 0 ? a.number - b.number : words.compare(a.text, b.text));
  }

  function sort(table, column, head) {
    const descending = head.getAttribute("aria-sort") === "ascending";
    for (const other of all("th[aria-sort]", table.tHead)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: key(row.cells[column], head.dataset.kind) }));
    rows.sort((a, b) => compare(a.key, b.key, descending ? -1 : 1));
    body.append(...rows.map((entry) => entry.row));
  }

  for (const table of all("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, column, head));
    });
  }

  const filter = document.getElementById("filter");
  const found = document.getElementById("found");
  function apply() {
    const wanted = filter.value.trim().toLowerCase();
    const table = all("table.pairs").find((candidate) => !candidate.closest("[hidden]"));
    if (!table) {
      found.textContent = "";
      return;
    }
    let shown = 0;
    // What the slider hides is not looked through.
    const rows = Array.from(table.tBodies[0].rows).filter((row) => !row.classList.contains("below"));
    for (const row of rows) {
      row.hidden = wanted !== "" && !Array.from(row.cells).some((cell) => cell.textContent.toLowerCase().includes(wanted));
      if (!row.hidden) shown += 1;
    }
    found.textContent = wanted === "" ? `${rows.length} pairs` : `${shown} of ${rows.length} pairs`;
  }
  filter.addEventListener("input", apply);
  document.addEventListener("run", apply);
  document.addEventListener("sift", apply);
  filter.closest(".filter").hidden = false;
  apply();
})();
