// What check_pages.py asks a page about its controls; page.js comes before it.
"use strict";

// --- Focus -----------------------------------------------------------------------------------------------------------

const CONTROLS = "button, a[href], summary, input, select, textarea";

// What Tab must reach, in document order: every control, and what else asks for it.
checks.collectFocusable = () => {
  checks.focusable = [...document.querySelectorAll(`${CONTROLS}, [tabindex]:not([tabindex="-1"])`)]
    .filter((element) => !element.disabled && element.type !== "hidden" && checks.isVisible(element));
  checks.looksBefore = checks.focusable.map(looksOf);
  return checks.focusable.map(checks.name);
};

const LOOKS = ["outlineStyle", "outlineWidth", "outlineColor", "boxShadow", "backgroundColor", "borderTopColor",
  "borderBottomColor", "borderTopWidth", "borderBottomWidth", "textDecorationLine", "color"];
const looksOf = (element) => {
  const style = getComputedStyle(element);
  return Object.fromEntries(LOOKS.map((key) => [key, style[key]]));
};

// Why it is not visible that the element has the focus; empty where it is.
const unseen = (element, before) => {
  const now = looksOf(element);
  const leastContrast = 3; // of what tells a control's state: WCAG 2.2, 1.4.11
  const changed = LOOKS.filter((key) => now[key] !== before[key]);
  const hasOutline = now.outlineStyle !== "none" && parseFloat(now.outlineWidth) > 0;
  const others = changed.filter((key) => !key.startsWith("outline"));
  if (!hasOutline && !others.length) return "has no visible focus indicator";
  if (others.length || now.outlineStyle === "auto") return "";
  const behind = checks.background(element.parentElement || element);
  const low = checks.contrast(now.outlineColor, behind) < leastContrast;
  return low ? `has a focus indicator of low contrast, ${now.outlineColor} on ${behind}` : "";
};

const covered = (element) => {
  const box = element.getClientRects()[0];
  if (!box) return "is not shown when it has the focus";
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  if (box.width > innerWidth || box.height > innerHeight) return "";
  const top = document.elementFromPoint(x, y);
  if (!top) return "is outside the window when it has the focus";
  const isOwn = element.contains(top) || top.contains(element) || (element.labels && [...element.labels].includes(top));
  return isOwn ? "" : `is covered by ${checks.name(top)} when it has the focus`;
};

// Where the focus is: {index: among the collected or -1, findings}; null where no element has it.
checks.focused = () => {
  const element = document.activeElement;
  if (!element || element === document.body || element === document.documentElement) return null;
  const index = checks.focusable.indexOf(element);
  if (index < 0) return { index, findings: [] };
  const reasons = [unseen(element, checks.looksBefore[index]), covered(element)].filter((reason) => reason);
  return { index, findings: reasons.map((reason) => `${checks.name(element)} ${reason}`) };
};

// --- Tables ----------------------------------------------------------------------------------------------------------

checks.collectSorters = () => {
  checks.sorters = [...document.querySelectorAll("thead th button, th button")].filter(checks.isVisible);
  return checks.sorters.map(checks.name);
};

checks.focusSorter = (index) => checks.sorters[index].focus();

const UNITS = { "": 1, ns: 1, us: 1e3, ms: 1e6, s: 1e9, "%": 1, x: 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

// A cell's number, such as that of "18.3 ns"; null where it has none.
const numberOf = (cell) => {
  const match = cell.textContent.trim().match(/^([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\p{L}*|%)(?![\p{L}\d])/iu);
  return match && match[2] in UNITS ? Number(match[1]) * UNITS[match[2]] : null;
};

// The table of a sorter as it stands.
checks.sorted = (index) => {
  const header = checks.sorters[index].closest("th");
  const table = header.closest("table");
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const cells = rows.map((row) => row.cells[header.cellIndex]).filter((cell) => cell);
  return {
    direction: header.getAttribute("aria-sort"),
    others: [...table.querySelectorAll("th[aria-sort]")].filter((other) => other !== header &&
      other.getAttribute("aria-sort") !== "none").length,
    texts: cells.map((cell) => cell.textContent.trim()),
    numbers: cells.map(numberOf),
    hasFocus: document.activeElement === checks.sorters[index],
  };
};

// --- Filters ---------------------------------------------------------------------------------------------------------

checks.collectFilters = () => {
  const controls = document.querySelectorAll("form[role=search] input, form[role=search] select");
  checks.filters = [...controls].filter(checks.isVisible);
  return checks.filters.map((element) => ({ name: checks.name(element), kind: element.tagName }));
};

// What it filters are the rows of the table that its form names.
checks.focusFilter = (index) => {
  checks.filtered = [...document.getElementById(checks.filters[index].form.dataset.table).tBodies[0].rows];
  checks.filters[index].focus();
};

// A word of the first row that is filtered.
checks.wordOfRow = () => {
  const row = checks.filtered[0];
  return (row.querySelector("th") || row).textContent.trim().split(/\s+/)[0];
};

// Of the filtered rows, how many are shown, and whether a status says so.
checks.shownRows = () => {
  const rows = checks.filtered.filter(checks.isVisible).length;
  const status = [...document.querySelectorAll("[role=status]")].map((said) => said.textContent).join(" ");
  return {
    rows,
    hidden: checks.filtered.length - rows,
    status: status.trim().replace(/\s+/g, " "),
    said: (status.match(/\d+/g) || []).map(Number).includes(rows),
  };
};

// Axe takes a minute for thousands of rows, which are alike. Leaves so many in each part of a table of those that have
// the same elements of the same classes.
checks.shortenTables = (most) => {
  for (const body of document.querySelectorAll("tbody")) {
    const counts = {};
    for (const row of [...body.rows]) {
      const kind = [row, ...row.querySelectorAll("*")].map((element) => element.tagName + element.classList).join();
      counts[kind] = (counts[kind] || 0) + 1;
      if (counts[kind] > most) row.remove();
    }
  }
};
