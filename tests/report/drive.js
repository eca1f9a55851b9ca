// Uses the page as a person would, and leaves what was seen as the text of its body.
async function drive() {
  const seen = {}, $ = (id) => document.getElementById(id), wait = () => new Promise((done) => setTimeout(done, 50));
  for (let k = 0; k < 100 && document.documentElement.dataset.words !== "shown"; k++) await wait();
  const rows = () => [...$("all").tBodies[0].rows], first = () => rows().map((row) => row.cells[0].textContent);
  const column = (k) => rows().map((row) => Number.parseFloat(row.cells[k].textContent));
  const heads = [...$("all").tHead.rows[0].cells];
  seen.titles = heads.map((head) => head.textContent);
  seen.range = $("range").textContent;
  const loss = seen.titles.indexOf("PIP loss");
  heads[loss].firstChild.click(); await wait(); seen.down = column(loss); seen.sorted = heads[loss].getAttribute("aria-sort");
  heads[loss].firstChild.click(); await wait(); seen.up = column(loss);
  $("next").click(); await wait(); seen.second = $("range").textContent; seen.further = column(loss);
  $("search").value = "SCRIPT"; $("search").dispatchEvent(new Event("input")); await wait();
  seen.found = first();
  rows()[0].cells[0].firstChild.click(); await wait();
  seen.open = $("panel").open; seen.word = $("word").textContent; seen.said = $("said").textContent; seen.rule = $("rule").textContent; seen.hits = [...$("hits").querySelectorAll("button")].map((hit) => hit.textContent);
  const cells = [...$("lattice").querySelectorAll("tr:nth-child(2) td")].map((cell) => cell.textContent); seen.lattice = cells;
  $("lattice").querySelector("td button").click(); await wait(); seen.near = $("word").textContent;
  $("close").click(); seen.closed = !$("panel").open;
  $("search").value = "nothing"; $("search").dispatchEvent(new Event("input")); await wait(); seen.none = $("range").textContent;
  const small = document.querySelector("table.sortable");
  small.tHead.rows[0].cells[1].firstChild.click(); seen.small = [...small.tBodies[0].rows].map((row) => row.cells[1].textContent);
  const save = document.querySelector(".save"); save.addEventListener("click", (event) => event.preventDefault()); save.click();
  seen.saved = save.href.slice(0, 19); seen.drawing = decodeURIComponent(save.href).includes("<style");
  seen.elements = document.querySelectorAll("img, iframe, link, object, script[src]").length;
  seen.wide = document.documentElement.scrollWidth - innerWidth;
  seen.requests = performance.getEntriesByType("resource").map((entry) => entry.name);
  return seen;
}
drive().then((seen) => { document.body.textContent = JSON.stringify(seen); }, (error) => { document.body.textContent = "failed: " + error.stack; });
