"use strict";
// Tables that sort, and charts whose marks tell what they stand for: on hover, by arrow keys, aloud.
(() => {
  const figure = (text) => {
    const found = text.replace(/−/g, "-").match(/-?\d+(\.\d+)?(e[-+]?\d+)?/i);
    return found ? Number(found[0]) : null;
  };

  const sortBy = (table, head) => {
    const column = head.cellIndex;
    const words = head.classList.contains("word");
    const before = head.getAttribute("aria-sort");
    const first = words ? "ascending" : "descending";
    const other = words ? "descending" : "ascending";
    const order = before === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    const keyed = [...table.tBodies[0].rows].map((row) => {
      const text = row.cells[column].textContent.trim();
      return { row, key: words ? text : figure(text) };
    });
    keyed.sort((a, b) => {
      const gone = (x) => x.key === null || x.key === "";
      if (gone(a) || gone(b)) return gone(a) - gone(b);
      return sign * (words ? a.key.localeCompare(b.key, "en", { numeric: true }) : a.key - b.key);
    });
    table.tBodies[0].append(...keyed.map((entry) => entry.row));
    for (const each of head.parentElement.cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
  };

  for (const table of document.querySelectorAll("table")) {
    for (const head of table.tHead?.rows[0].cells ?? []) {
      head.querySelector("button")?.addEventListener("click", () => sortBy(table, head));
    }
  }

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);
  const MARK = "[aria-roledescription][aria-label]";

  const hide = () => {
    tip.hidden = true;
    for (const mark of document.querySelectorAll("svg.chart .shown")) mark.classList.remove("shown");
  };

  const show = (mark) => {
    hide();
    mark.classList.add("shown");
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    const box = mark.getBoundingClientRect();
    const left = Math.min(box.left + box.width / 2 + 10, innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${above > 4 ? above : box.bottom + 8}px`;
  };

  for (const chart of document.querySelectorAll("svg.chart")) {
    const marks = [...chart.querySelectorAll(MARK)];
    let at = -1;
    chart.addEventListener("pointerover", (event) => {
      const mark = event.target.closest(MARK);
      if (mark && mark !== chart) show(mark);
      else hide();
    });
    chart.addEventListener("pointerleave", hide);
    chart.addEventListener("blur", hide);
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step || !marks.length) return;
      event.preventDefault();
      at = at < 0 && step < 0 ? marks.length - 1 : (at + step + marks.length) % marks.length;
      show(marks[at]);
    });
  }
})();
