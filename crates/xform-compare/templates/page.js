// What the page does beyond being read: more rows, the searchable tree, and choosing a node.

/** Rows that are not in the markup, a hundred at a time. */
class Rows {
  constructor(table, button, data) {
    Object.assign(this, { body: table.tBodies[0], button, data });
    this.shown = this.body.rows.length;
    button.addEventListener("click", () => this.more());
    this.label();
  }

  label() {
    const rest = this.data.ranked.length - this.shown;
    this.button.hidden = rest <= 0;
    this.button.textContent = `Show ${Math.min(100, rest)} more of ${rest}`;
  }

  more() {
    const end = Math.min(this.shown + 100, this.data.ranked.length);
    for (; this.shown < end; this.shown += 1) this.body.append(this.row(this.shown));
    this.label();
  }

  row(rank) {
    const { data } = this;
    const node = data.ranked[rank];
    const row = document.createElement("tr");
    const cell = (...content) => row.insertCell().append(...content);
    const link = document.createElement("a");
    Object.assign(link, { href: "#look", textContent: path(data, node) });
    link.dataset.node = node;
    cell(link, ` [${node}]`);
    cell(data.grade[rank]);
    row.cells[1].className = data.grade[rank];
    for (const figure of ["displacement", "percent", "skew", "linear"]) {
      const value = data[figure][rank];
      cell(value === null ? "–" : String(value));
    }
    const scaler = data.scaler[rank];
    cell(scaler === null ? "" : `the scale of ${label(data, scaler)}`);
    return row;
  }
}

const label = (data, node) => data.names[node] ?? `#${node}`;

function path(data, node) {
  const names = [];
  for (let at = node; at !== null && names.length < 8; at = data.parents[at]) names.unshift(label(data, at));
  return names.join("/");
}

/** All nodes as an indented list of which only what is in sight is in the document. */
class Tree {
  constructor(section, data, choose) {
    this.data = data;
    this.choose = choose;
    this.list = section.querySelector("[role=listbox]");
    this.search = section.querySelector("input[type=search]");
    this.only = section.querySelector("input[type=checkbox]");
    this.count = section.querySelector("output");
    this.chosen = section.querySelector("[data-chosen]");
    this.rank = new Map(data.ranked.map((node, rank) => [node, rank]));
    this.order = depthFirst(data.parents);
    this.active = 0;
    this.search.addEventListener("input", () => this.filter());
    this.only.addEventListener("change", () => this.filter());
    this.list.addEventListener("scroll", () => this.draw());
    this.list.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.pick(Number(row.dataset.position));
    });
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.height = 26;
    this.filter();
  }

  filter() {
    const wanted = this.search.value.toLowerCase();
    const { data } = this;
    this.found = this.order.filter(({ node }) =>
      (!this.only.checked || this.rank.has(node)) && label(data, node).toLowerCase().includes(wanted));
    this.active = 0;
    this.count.value = this.found.length ? `${this.found.length} of ${this.order.length} nodes` : "no node has that in its name";
    this.list.firstElementChild.style.height = `${this.found.length * this.height}px`;
    this.list.scrollTop = 0;
    this.draw();
  }

  draw() {
    const { list, height } = this;
    const first = Math.max(0, Math.floor(list.scrollTop / height) - 5);
    const last = Math.min(this.found.length, first + Math.ceil(list.clientHeight / height) + 10);
    const rows = [];
    for (let position = first; position < last; position += 1) rows.push(this.row(position));
    list.firstElementChild.replaceChildren(...rows);
    if (this.found.length) list.setAttribute("aria-activedescendant", `option-${this.active}`);
    else list.removeAttribute("aria-activedescendant");
  }

  row(position) {
    const { node, depth } = this.found[position];
    const row = document.createElement("div");
    row.id = `option-${position}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(position === this.active));
    row.setAttribute("aria-posinset", position + 1);
    row.setAttribute("aria-setsize", this.found.length);
    row.title = path(this.data, node);
    row.dataset.position = position;
    row.dataset.node = node;
    row.style.top = `${position * this.height}px`;
    row.style.paddingLeft = `${0.5 + 0.9 * Math.min(depth, 24)}rem`;
    row.textContent = label(this.data, node);
    const rank = this.rank.get(node);
    if (rank !== undefined) {
      row.classList.add(this.data.grade[rank]);
      const mark = document.createElement("span");
      const percent = this.data.percent[rank];
      mark.textContent = percent ? `${percent} %` : "differs";
      row.append(" ", mark);
    }
    return row;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.list.clientHeight / this.height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" || event.key === " ") this.pick(this.active);
    else if (event.key in steps) {
      this.active = Math.max(0, Math.min(this.found.length - 1, this.active + steps[event.key]));
      const top = this.active * this.height;
      const { scrollTop, clientHeight } = this.list;
      if (top < scrollTop) this.list.scrollTop = top;
      if (top + this.height > scrollTop + clientHeight) this.list.scrollTop = top + this.height - clientHeight;
      this.draw();
    } else return;
    event.preventDefault();
  }

  pick(position) {
    if (!this.found[position]) return;
    this.active = position;
    this.draw();
    const { node } = this.found[position];
    const shown = this.choose(node);
    this.chosen.replaceChildren(`Selected: ${path(this.data, node)}`);
    if (shown) {
      const link = document.createElement("a");
      Object.assign(link, { href: "#look", textContent: "see it above" });
      this.chosen.append("; ", link, ".");
    }
  }
}

/** The nodes with their depths, each before its children, siblings as in the file. */
function depthFirst(parents) {
  const children = new Map();
  parents.forEach((parent, node) => {
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(node);
  });
  const order = [];
  const pending = (children.get(null) ?? []).map((node) => ({ node, depth: 0 })).reverse();
  while (pending.length) {
    const at = pending.pop();
    order.push(at);
    const below = children.get(at.node) ?? [];
    for (let i = below.length - 1; i >= 0; i -= 1) pending.push({ node: below[i], depth: at.depth + 1 });
  }
  return order;
}

document.documentElement.classList.add("scripted");
const data = JSON.parse(document.getElementById("xform-data").textContent);
/** The names down to a node, and its figures where it differs. */
function describe(node) {
  const rank = data.ranked.indexOf(node);
  const figure = (name) => data[name][rank];
  const figures = { displacement: figure("displacement"), percent: figure("percent"), skew: figure("skew") };
  return { path: path(data, node), figures: rank < 0 ? null : figures };
}

const section = document.getElementById("look");
const look = section ? new Look(section, data.view, describe) : null;
/** Selects a node in the view, where there is one. */
const choose = (node) => {
  look?.select(node);
  return look !== null;
};
const more = document.getElementById("more");
if (more) new Rows(document.getElementById("ranked"), more, data);
new Tree(document.getElementById("tree"), data, choose);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-node]");
  if (link) choose(Number(link.dataset.node));
});
