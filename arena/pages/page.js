"use strict";
// Folded parts that links open, tables that sort and filter, and charts whose marks tell what they stand for: on hover, by arrow keys, aloud.
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

  const FEW = 12; // rows that need no filter
  const filterBy = (table, words, told) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...table.tBodies[0].rows];
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
    }
    const left = rows.filter((row) => !row.hidden).length;
    told.textContent = wanted.length ? `${left} of ${rows.length} rows` : "";
  };

  for (const scroll of document.querySelectorAll(".scroll")) {
    const table = scroll.querySelector("table");
    if (!table?.tHead || table.tBodies[0].rows.length <= FEW) continue;
    const bar = document.createElement("p");
    bar.className = "filter";
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "Filter rows";
    field.setAttribute("aria-label", `Filter rows of: ${table.caption?.textContent ?? "table"}`);
    const told = document.createElement("span");
    told.setAttribute("role", "status");
    field.addEventListener("input", () => filterBy(table, field.value, told));
    bar.append(field, told);
    scroll.before(bar);
  }

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) reveal();
  });
  reveal();

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
