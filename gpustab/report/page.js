
"use strict";
// Whatever a word is, it reaches the page as textContent only, so that none can be markup.
const $ = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...inside) => { const made = Object.assign(document.createElement(tag), properties); made.append(...inside); return made; };
const count = (n) => n.toLocaleString("en");
const compare = (a, b, down) => { // no value comes last, whichever way round
  if (a !== a || b !== b) return a !== a ? (b !== b ? 0 : 1) : -1;
  return (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1);
};
const point = (heads, chosen, down) => heads.forEach((head) => head === chosen ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));

// Small tables: a click on a head sorts by it, numbers as numbers.
for (const head of document.querySelectorAll("table.sortable th")) head.firstChild.onclick = () => {
  const table = head.closest("table"), column = head.cellIndex, down = head.getAttribute("aria-sort") !== "descending";
  const value = (row) => { const text = row.cells[column].textContent, n = Number.parseFloat(text.replace(/,/g, "").replace("−", "-")); return text === "–" ? NaN : head.className === "n" && n === n ? n : text; };
  const rows = [...table.tBodies[0].rows].map((row) => [value(row), row]).sort((a, b) => compare(a[0], b[0], down));
  table.tBodies[0].replaceChildren(...rows.map((pair) => pair[1]));
  point([...head.parentNode.children], head, down);
};

// All words: opened from one island of numbers when the page is.
const SIZE = 25;
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}
async function numbers(column, size) {
  const planes = await unpacked(column.data), none = 256 ** column.bytes - 1, values = new Float64Array(size);
  for (let plane = 0, weight = 1; plane < column.bytes; plane++, weight *= 256) for (let i = 0; i < size; i++) values[i] += planes[plane * size + i] * weight;
  return values.map((code) => code === none ? NaN : (code + column.low) / column.scale);
}
async function opened(data, group) { // once, when a group is first looked at
  if (group.columns) return group;
  const owner = group.same < 0 ? group : data.groups[group.same];
  owner.list ??= JSON.parse(new TextDecoder().decode(await unpacked(owner.words)));
  group.list = owner.list;
  group.columns = await Promise.all(group.numbers.map((column) => numbers(column, group.size)));
  if (group.near) group.lists = JSON.parse(new TextDecoder().decode(await unpacked(group.near)));
  return group;
}
function digits(column) { return Math.max(0, Math.round(Math.log10(column.scale))); }
function shown(value, places) { return value !== value ? "–" : value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places }); }

async function words() {
  const data = JSON.parse($("data").textContent), state = { group: 0, column: data.first, down: data.first >= 0, page: 0, query: "" }, head = $("all").tHead.rows[0], body = $("all").tBodies[0];
  let order = [];
  const titles = ["word", ...data.columns];
  titles.forEach((title, k) => head.append(make("th", { className: k ? "n" : "" }, make("button", { type: "button", textContent: title, onclick: () => change({ column: k - 1, down: state.column === k - 1 ? !state.down : k > 0 }) }))));
  if (data.groups.length > 1) data.groups.forEach((group, k) => $("groups").append(make("label", { className: group.style }, make("input", { type: "radio", name: "group", checked: !k, onchange: () => change({ group: k }) }), " " + group.name)));
  function open(group, i) {
    $("word").textContent = group.list[i];
    $("said").textContent = data.columns.map((title, k) => title + " " + shown(group.columns[k][i], digits(group.numbers[k]))).join(", ");
    $("lattice").replaceChildren(...(group.lists ? [lattice(group, i)] : []));
    $("panel").className = group.style;
    if (!$("panel").open) $("panel").showModal();
    $("panel").scrollTop = 0;
  }
  function lattice(group, i) { // neighbours of one word: a row each, a column for every run
    const runs = [...group.runs.keys()], near = group.lists[i];
    if (!near.length) return make("p", { className: "note", textContent: "No neighbours are listed: none is in the lists of two runs, or the word is not among the 10,000 most frequent." });
    const table = make("table", {}, make("tr", {}, make("th", { textContent: "neighbour" }), ...runs.map((run) => make("th", { className: "there", textContent: run, title: group.runs[run] }))));
    for (let k = 0; k < near.length; k += 2) {
      const word = near[k], inside = near[k + 1];
      table.append(make("tr", {}, make("td", {}, make("button", { type: "button", textContent: group.list[word], onclick: () => open(group, word) })), ...runs.map((run) => inside[run] === "1" ? make("td", { className: "there", textContent: "●", title: group.runs[run] }) : make("td", { className: "away", textContent: "·" }))));
    }
    return table;
  }
  async function show(sorting) {
    const group = await opened(data, data.groups[state.group]), value = state.column < 0 ? group.list : group.columns[state.column];
    if (sorting) order = [...group.list.keys()].sort((a, b) => compare(value[a], value[b], state.down) || a - b);
    const query = state.query.toLowerCase(), rows = query ? order.filter((i) => group.list[i].toLowerCase().includes(query)) : order;
    state.page = Math.max(0, Math.min(state.page, Math.ceil(rows.length / SIZE) - 1));
    const first = state.page * SIZE, here = rows.slice(first, first + SIZE);
    body.replaceChildren(...here.map((i) => make("tr", {}, make("td", {}, make("button", { type: "button", textContent: group.list[i], onclick: () => open(group, i) })),
      ...group.columns.map((column, k) => make("td", { className: "n", textContent: shown(column[i], digits(group.numbers[k])) })))));
    $("range").textContent = rows.length ? count(first + 1) + "–" + count(first + here.length) + " of " + count(rows.length) : "no such word";
    $("back").disabled = !state.page; $("next").disabled = first + SIZE >= rows.length;
    point([...head.cells], head.cells[state.column + 1], state.down);
    document.documentElement.dataset.words = "shown";
  }
  const change = (what) => { const sorting = !("query" in what || "page" in what); Object.assign(state, { page: 0 }, what); return show(sorting); };
  $("search").oninput = (event) => change({ query: event.target.value.trim() });
  $("back").onclick = () => change({ page: state.page - 1 });
  $("next").onclick = () => change({ page: state.page + 1 });
  $("close").onclick = () => $("panel").close();
  await change({});
}
if ($("data")) {
  if ("DecompressionStream" in window) words();
  else $("legend").textContent = "This browser is too old to open the table; the CSV and Parquet files beside this page have all words.";
}

// Saved figures bring their style along, in the colours of light paper.
for (const link of document.querySelectorAll(".save")) link.onclick = () => {
  const panels = [...link.closest("figure").querySelectorAll(".panels > svg")], space = "http://www.w3.org/2000/svg", own = document.createElementNS(space, "style");
  own.textContent = $("figure-style").textContent.replace(/var\(--\w+,(#\w+)\)/g, "$1");
  let whole = panels[0].cloneNode(true);
  if (panels.length > 1) { // in two columns
    let y = 0; const sizes = panels.map((panel) => panel.viewBox.baseVal), all = document.createElementNS(space, "svg");
    panels.forEach((panel, k) => {
      const copy = panel.cloneNode(true), wide = sizes[0].width + 28;
      for (const [name, value] of [["x", k % 2 * wide], ["y", y], ["width", sizes[k].width], ["height", sizes[k].height]]) copy.setAttribute(name, value);
      all.append(copy);
      if (k % 2 || k === panels.length - 1) y += Math.max(sizes[k].height, sizes[k - k % 2].height) + 28;
    });
    all.setAttribute("class", "figure"); all.setAttribute("viewBox", "0 0 " + (2 * sizes[0].width + 28) + " " + (y - 28));
    whole = all;
  }
  whole.setAttribute("xmlns", space);
  whole.prepend(own);
  link.href = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(whole));
};
for (const button of document.querySelectorAll(".copy")) button.onclick = () => {
  getSelection().selectAllChildren(button.previousElementSibling);
  document.execCommand("copy");
  button.textContent = "copied";
};
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
