// What check_pages.py asks a page about its controls; page.js comes before it.
"use strict";

// --- Focus -----------------------------------------------------------------------------------------------------------

const CONTROLS = "button, a[href], summary, input, select, textarea";

// What Tab must reach, in document order: every control, and what else asks for it. Of radio buttons of one name it
// reaches one.
checks.collectFocusable = () => {
  const names = new Set();
  const isFirstOfItsName = (element) => {
    if (element.type !== "radio") return true;
    const isNew = !names.has(element.name);
    names.add(element.name);
    return isNew;
  };
  checks.focusable = [...document.querySelectorAll(`${CONTROLS}, [tabindex]:not([tabindex="-1"])`)]
    .filter((element) => !element.disabled && element.type !== "hidden" && checks.isVisible(element))
    .filter(isFirstOfItsName);
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

const UNITS = { "": 1, ns: 1, us: 1e3, "\u00b5s": 1e3, "\u03bcs": 1e3, ms: 1e6, s: 1e9, "%": 1, x: 1, B: 1, KiB: 1024,
  MiB: 1024 ** 2, GiB: 1024 ** 3 };

// A cell's number: of data-value, or of a text such as "18.3 ns"; null where it has none.
const numberOf = (cell) => {
  const text = (cell.dataset.value ?? cell.textContent).trim();
  const match = text.match(/^([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\p{L}*|%)(?![\p{L}\d])/iu);
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

const rowsOfTables = () => [...document.querySelectorAll("main tbody tr")];

const frame = () => new Promise(requestAnimationFrame);

// Rows, or heads of columns, of tables that any choice of a select hides one of; nothing where none does.
const thatChoicesFilter = async (rows) => {
  const tables = new Set();
  for (const select of checks.filters.filter((element) => element.tagName === "SELECT")) {
    const first = select.selectedIndex;
    const choose = async (index) => {
      select.selectedIndex = index;
      for (const name of ["input", "change"]) select.dispatchEvent(new Event(name, { bubbles: true }));
      await frame();
    };
    for (let index = 0; index < select.options.length; ++index) {
      await choose(index);
      for (const row of rows) if (!checks.isVisible(row)) tables.add(row.closest("table"));
    }
    await choose(first);
  }
  return rows.filter((row) => tables.has(row.closest("table")));
};

checks.collectFilters = async () => {
  checks.filters = [...document.querySelectorAll("form[role=search] input, form[role=search] select, " +
    "search input, search select")].filter((element) => checks.isVisible(element) && element.type !== "submit");
  checks.rowsAtFirst = rowsOfTables().filter(checks.isVisible);
  const heads = [...document.querySelectorAll("main thead th:not(:first-child)")].filter(checks.isVisible);
  checks.filtered = await thatChoicesFilter(checks.rowsAtFirst);
  if (!checks.filtered.length) checks.filtered = await thatChoicesFilter(heads);
  if (!checks.filtered.length) checks.filtered = checks.rowsAtFirst;
  return checks.filters.map((element) => ({
    name: checks.name(element),
    kind: element.tagName === "SELECT" ? "select" : ["checkbox", "radio"].includes(element.type) ? "check" : "text",
  }));
};

checks.focusFilter = (index) => checks.filters[index].focus();

// After a filter for a text that no row has: the others are none of the filter's. Returns how many it hid.
checks.noteFiltered = () => {
  checks.filtered = checks.rowsAtFirst.filter((row) => !checks.isVisible(row));
  return checks.filtered.length;
};

// A word of the first row that is filtered.
checks.wordOfRow = () => {
  const row = checks.filtered[0];
  return (row.querySelector("th") || row).textContent.trim().split(/\s+/)[0];
};

// Of the filtered rows, how many are shown, and whether a status says so: of all of them, or of those outside figures,
// whose tables repeat them.
checks.shownRows = () => {
  const shown = checks.filtered.filter(checks.isVisible);
  const counts = [shown.length, shown.filter((row) => !row.closest("figure")).length];
  const status = [...document.querySelectorAll("[role=status], output")].map((said) => said.textContent).join(" ");
  const numbers = (status.match(/\d+/g) || []).map(Number);
  const none = /\bno(ne)?\b/i.test(status);
  return {
    rows: counts[0],
    hidden: checks.filtered.length - counts[0],
    status: status.trim().replace(/\s+/g, " "),
    said: counts.some((count) => numbers.includes(count) || (count === 0 && none)),
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
