
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
const SIZE = 25, HITS = 8, NEAR = 14;
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
// Two digits where four are packed, whole numbers as they are, shares in percent.
const places = (column) => Math.max(0, Math.round(Math.log10(column.scale)) - 2);
const shown = (value, column, percent) => value !== value ? "–" : percent ? Math.round(100 * value) + " %" : value.toLocaleString("en", { minimumFractionDigits: places(column), maximumFractionDigits: places(column) });
const VERDICTS = { f: "firm", p: "passing", o: "open", n: "not judged" };

async function words() {
  const data = JSON.parse($("data").textContent), state = { group: data.open, column: data.first, down: data.first >= 0, page: 0, query: "" }, head = $("all").tHead.rows[0], body = $("all").tBodies[0];
  let order = [];
  const titles = ["word", ...data.columns], cell = (group, k, i) => shown(group.columns[k][i], group.numbers[k], data.percent[k]);
  titles.forEach((title, k) => head.append(make("th", { className: k ? "n" : "" }, make("button", { type: "button", textContent: title, onclick: () => change({ column: k - 1, down: state.column === k - 1 ? !state.down : k > 0 }) }))));
  if (data.groups.length > 1) data.groups.forEach((group, k) => $("groups").append(make("label", { className: group.style }, make("input", { type: "radio", name: "group", checked: k === state.group, onchange: () => change({ group: k }) }), " " + group.name)));
  const orders = new Map(); // of the words of every group, once they are asked for
  const place = (group, word) => { if (!orders.has(group.list)) orders.set(group.list, new Map(group.list.map((own, i) => [own, i]))); return orders.get(group.list).get(word); };
  const every = () => Promise.all(data.groups.map((group) => opened(data, group)));
  const link = (word) => make("button", { type: "button", className: "to", textContent: word, onclick: () => open(word) });
  async function open(word) { // its numbers and neighbours, all groups beside each other
    const leading = data.groups[state.group], all = await every();
    const groups = [leading, ...all.filter((group) => group !== leading)].filter((group) => place(group, word) !== undefined), of = groups.map((group) => place(group, word));
    $("word").textContent = word;
    const heads = (first) => make("tr", {}, make("th", { textContent: first }), ...groups.map((group) => make("th", { className: group.style, textContent: groups.length > 1 || group.name ? group.name : "value" })));
    $("said").replaceChildren(make("table", {}, heads(""), ...data.columns.map((title, k) => make("tr", {}, make("td", { textContent: title }), ...groups.map((group, g) => make("td", { textContent: cell(group, k, of[g]) }))))));
    $("lattice").replaceChildren(...(groups.some((group) => group.lists) ? [lattice(groups, of, heads)] : []));
    $("rule").textContent = !groups.some((group) => group.lists) ? "" : "In how many runs the neighbour is in the list, its mean cosine, and whether it holds: firm ones come back in most runs, passing ones in few, of open ones these runs cannot tell. Too few runs judge no neighbour. Dots are the runs.";
    if (!$("panel").open) $("panel").showModal();
    $("panel").scrollTop = 0;
  }
  function lattice(groups, of, heads) { // a row for each neighbour, in the order of the first group
    const rows = new Map();
    for (const g of groups.keys()) { const group = groups[g], near = (group.lists || [])[of[g]] || []; for (let k = 0; k < near.length; k += 4) { const word = group.list[near[k]]; if (!rows.has(word)) rows.set(word, []); rows.get(word)[g] = near.slice(k + 1, k + 4); } }
    if (!rows.size) return make("p", { className: "note", textContent: "No neighbours are listed: none is in the lists of two runs, or the word is not among the 10,000 most frequent." });
    return make("table", {}, heads("neighbour"), ...[...rows].map(([word, held]) => make("tr", {}, make("td", {}, link(word)), ...groups.map((group, g) => {
      if (!held[g]) return make("td", { className: "passing", textContent: "–" });
      const [verdict, cosine, runs] = held[g], names = Array.isArray(group.runs) ? group.runs : null, all = names ? names.length : group.runs, hits = names ? runs.replace(/0/g, "").length : runs;
      const said = VERDICTS[verdict] + ", " + hits + " of " + all + (cosine === null ? "" : ", " + (cosine / 100).toFixed(2).replace("-", "−"));
      const dots = names ? [make("span", { className: "runs", title: names.filter((_, r) => runs[r] === "1").join(", "), textContent: [...runs].map((one) => one === "1" ? "●" : "·").join("") })] : [];
      return make("td", { className: VERDICTS[verdict] + " " + group.style }, said, ...dots);
    }))));
  }
  async function show(sorting) {
    const group = await opened(data, data.groups[state.group]), value = state.column < 0 ? group.list : group.columns[state.column];
    if (sorting) order = [...group.list.keys()].sort((a, b) => compare(value[a], value[b], state.down) || a - b);
    const query = state.query.toLowerCase(), rows = query ? order.filter((i) => group.list[i].toLowerCase().includes(query)) : order;
    const near = query ? [...rows].sort((a, b) => (group.list[b].toLowerCase() === query) - (group.list[a].toLowerCase() === query) || group.list[b].toLowerCase().startsWith(query) - group.list[a].toLowerCase().startsWith(query)).slice(0, HITS) : [];
    $("hits").replaceChildren(...(query && !rows.length ? ["no such word"] : near.map((i) => link(group.list[i]))));
    state.page = Math.max(0, Math.min(state.page, Math.ceil(rows.length / SIZE) - 1));
    const first = state.page * SIZE, here = rows.slice(first, first + SIZE);
    body.replaceChildren(...here.map((i) => make("tr", {}, make("td", {}, link(group.list[i])), ...group.columns.map((_, k) => make("td", { className: "n", textContent: cell(group, k, i) })))));
    $("range").textContent = rows.length ? count(first + 1) + "–" + count(first + here.length) + " of " + count(rows.length) : "no such word";
    $("back").disabled = !state.page; $("next").disabled = first + SIZE >= rows.length;
    point([...head.cells], head.cells[state.column + 1], state.down);
    document.documentElement.dataset.words = "shown";
  }
  const change = (what) => { const sorting = !("query" in what || "page" in what); Object.assign(state, { page: 0 }, what); return show(sorting); };
  $("search").oninput = (event) => change({ query: event.target.value.trim() });
  $("search").onkeydown = (event) => { if (event.key === "Enter" && $("hits").querySelector("button")) $("hits").querySelector("button").click(); };
  $("back").onclick = () => change({ page: state.page - 1 });
  $("next").onclick = () => change({ page: state.page + 1 });
  $("close").onclick = () => $("panel").close();
  await change({});
  // Words of other tables, and what is nearest to the pointer in a picture of words, lead here too.
  const known = new Set((await every()).flatMap((group) => group.list));
  for (const cell of document.querySelectorAll("td.opens")) if (known.has(cell.textContent)) cell.replaceChildren(link(cell.textContent));
  for (const drawn of document.querySelectorAll("svg[data-words]")) cloud(drawn, data, open);
}
function cloud(drawn, data, open) { // the word nearest to the pointer is named, and opened by a click
  const { group: name, x, y, frame } = JSON.parse(drawn.dataset.words), group = data.groups.find((one) => one.id === name), xs = group && group.columns[data.names.indexOf(x)], ys = group && group.columns[data.names.indexOf(y)];
  if (!xs || !ys) return drawn.removeAttribute("data-words");
  const [left, right, top, bottom, low, high, least, most] = frame, named = document.createElementNS(drawn.namespaceURI, "text");
  const across = (v) => left + (right - left) * Math.log(v / low) / Math.log(high / low), up = (v) => bottom - (bottom - top) * (v - least) / (most - least);
  const nearest = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawn.getScreenCTM().inverse());
    let best = -1, far = NEAR;
    for (let i = 0; i < group.size; i++) { const d = Math.hypot(across(xs[i]) - at.x, up(ys[i]) - at.y); if (d < far) { far = d; best = i; } }
    return best;
  };
  named.setAttribute("class", "bold halo");
  drawn.append(named);
  drawn.onpointermove = (event) => {
    const i = nearest(event);
    named.textContent = i < 0 ? "" : group.list[i];
    if (i >= 0) { const end = across(xs[i]) > (left + right) / 2; named.setAttribute("x", across(xs[i])); named.setAttribute("y", Math.max(up(ys[i]) - 8, 12)); named.setAttribute("text-anchor", end ? "end" : "start"); }
  };
  drawn.onpointerleave = () => { named.textContent = ""; };
  drawn.onclick = (event) => { const i = nearest(event); if (i >= 0) open(group.list[i]); };
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
for (const link of document.querySelectorAll("nav a")) link.onclick = () => { const part = document.querySelector(link.hash); if (part && part.tagName === "DETAILS") part.open = true; };
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
