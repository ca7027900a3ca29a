'use strict';
// Sorts tables by a column and filters the rows of the grid; the page is complete without it.
document.documentElement.classList.add('js');

// "81.4 us", "1.2x", "34%", "3.2 MiB": the figure a cell begins with, in its smallest unit; what has none comes last.
const units = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12, KiB: 1024, MiB: 1048576, GiB: 1073741824 };
function figureOf(text) {
  const found = /^\s*([-+]?[0-9.]+)\s*([A-Za-z]*)/.exec(text);
  return found ? parseFloat(found[1]) * (units[found[2]] || 1) : Infinity;
}

function sort(table, index, button) {
  const head = button.parentElement;
  const descending = head.getAttribute('aria-sort') === 'ascending';
  for (const other of head.parentElement.children) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const body = table.tBodies[0];
  const rows = Array.from(body.rows).map((row) => ({ row, text: row.cells[index].textContent }));
  // Names in the first column may begin with figures: it is sorted by them where all do.
  const figures = rows[index > 0 ? 'some' : 'every'](({ text }) => figureOf(text) !== Infinity);
  rows.sort((a, b) => {
    const order = figures ? figureOf(a.text) - figureOf(b.text) || 0 : a.text.localeCompare(b.text, 'en');
    return descending ? -order : order;
  });
  for (const { row } of rows) body.append(row);
}

for (const table of document.querySelectorAll('table.sortable')) {
  Array.from(table.tHead.rows[0].cells).forEach((head, index) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => sort(table, index, button));
  });
}

for (const form of document.querySelectorAll('form[role=search]')) {
  const table = document.getElementById(form.dataset.table);
  const said = form.querySelector('[role=status]');
  form.addEventListener('submit', (event) => event.preventDefault());
  const rows = Array.from(table.tBodies[0].rows);
  form.addEventListener('input', () => {
    const wanted = Array.from(form.querySelectorAll('select')).filter((select) => select.value !== '');
    const text = form.querySelector('input').value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !wanted.every((select) => row.dataset[select.name] === select.value) ||
        !row.textContent.toLowerCase().includes(text);
      if (!row.hidden) ++shown;
    }
    said.textContent = shown + ' of ' + rows.length + ' rows shown';
  });
}
