// All nodes as a tree to search, of which only what is in sight is in the document.

class Tree {
  constructor(section, data, choose) {
    Object.assign(this, { data, choose });
    this.list = section.querySelector("[role=tree]");
    this.search = section.querySelector("input[type=search]");
    this.only = section.querySelector("input[type=checkbox]");
    this.count = section.querySelector("output");
    this.grades = new Map(data.view.nodes.map((node, place) => [node, data.view.grades[place]]));
    this.causes = new Set(data.causes);
    this.family = siblings(data.parents);
    this.order = depthFirst(data.parents, this.family.children);
    this.folded = new Set();
    this.active = 0;
    this.selected = null;
    this.height = 26;
    this.search.addEventListener("input", () => this.filter());
    this.only.addEventListener("change", () => this.filter());
    this.list.addEventListener("scroll", () => this.draw());
    this.list.addEventListener("click", (event) => this.click(event));
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.filter();
  }

  /** Whether a search or the box leaves out some of the tree, which is a list then. */
  get isFiltered() {
    return this.search.value !== "" || this.only.checked;
  }

  /** Takes other grades, by place. */
  regrade(grades) {
    this.grades = new Map(this.data.view.nodes.map((node, place) => [node, grades[place] ?? 0]));
    this.filter();
  }

  filter() {
    const wanted = this.search.value.toLowerCase();
    const { data } = this;
    this.found = this.isFiltered
      ? this.order.filter(({ node }) => (!this.only.checked || this.grades.get(node) > 0 || this.causes.has(node)) && label(data, node).toLowerCase().includes(wanted))
      : this.unfolded();
    this.active = Math.max(0, this.found.findIndex(({ node }) => node === this.selected));
    this.count.value = this.found.length || !this.isFiltered ? `${this.found.length} of ${this.order.length} nodes` : "no node name matches";
    if (this.isFiltered) this.list.scrollTop = 0;
    this.list.firstElementChild.style.height = `${this.found.length * this.height}px`;
    this.draw();
  }

  /** The nodes that no folded node is above. */
  unfolded() {
    if (this.folded.size === 0) return this.order;
    const found = [];
    let below = Infinity;
    for (const at of this.order) {
      if (at.depth > below) continue;
      below = this.folded.has(at.node) ? at.depth : Infinity;
      found.push(at);
    }
    return found;
  }

  draw() {
    const { list, height } = this;
    const first = Math.max(0, Math.floor(list.scrollTop / height) - 5);
    const last = Math.min(this.found.length, first + Math.ceil(list.clientHeight / height) + 10);
    const rows = [];
    for (let position = first; position < last; position += 1) rows.push(this.row(position));
    list.firstElementChild.replaceChildren(...rows);
    const isDrawn = this.active >= first && this.active < last;
    if (isDrawn) list.setAttribute("aria-activedescendant", `node-${this.active}`);
    else list.removeAttribute("aria-activedescendant");
  }

  row(position) {
    const { node, depth } = this.found[position];
    const row = document.createElement("div");
    const { place, of } = this.isFiltered ? { place: position, of: this.found.length } : this.family.of(node);
    const below = this.family.children.get(node);
    const attributes = { role: "treeitem", "aria-level": this.isFiltered ? 1 : depth + 1, "aria-posinset": place + 1, "aria-setsize": of, "aria-selected": node === this.selected };
    if (below && !this.isFiltered) attributes["aria-expanded"] = !this.folded.has(node);
    for (const [name, value] of Object.entries(attributes)) row.setAttribute(name, String(value));
    row.id = `node-${position}`;
    row.title = path(this.data, node);
    row.dataset.position = position;
    row.dataset.node = node;
    row.classList.toggle("active", position === this.active);
    row.style.top = `${position * this.height}px`;
    row.style.paddingLeft = `${0.4 + 0.9 * (this.isFiltered ? 0 : Math.min(depth, 24))}rem`;
    const fold = document.createElement("span");
    fold.className = "fold";
    fold.setAttribute("aria-hidden", "true");
    fold.textContent = below && !this.isFiltered ? (this.folded.has(node) ? "▸" : "▾") : "";
    row.append(fold, label(this.data, node));
    const mark = (text, kind) => {
      const made = document.createElement("span");
      made.className = kind;
      made.textContent = text;
      row.append(" ", made);
    };
    const parent = this.data.parents[node];
    if (this.isFiltered && parent !== null) mark(`in ${label(this.data, parent)}`, "note");
    const grade = this.grades.get(node) ?? 0;
    // What nobody sees would fill a whole tree; among what differs it is told apart.
    if (grade > 1 || (grade > 0 && this.isFiltered)) {
      row.classList.add(GRADES[grade]);
      mark(GRADES[grade], "mark");
    }
    if (this.causes.has(node)) mark("cause", "mark cause");
    return row;
  }

  click(event) {
    const row = event.target.closest("[role=treeitem]");
    if (!row) return;
    const position = Number(row.dataset.position);
    if (event.target.className === "fold" && event.target.textContent) this.fold(this.found[position].node);
    else this.pick(position);
  }

  fold(node, isFolded = !this.folded.has(node)) {
    if (isFolded) this.folded.add(node);
    else this.folded.delete(node);
    const active = this.found[this.active]?.node;
    this.filter();
    this.activate(Math.max(0, this.found.findIndex((at) => at.node === active)));
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.list.clientHeight / this.height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" || event.key === " ") this.pick(this.active);
    else if (event.key in steps) this.activate(Math.max(0, Math.min(this.found.length - 1, this.active + steps[event.key])));
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.sideways(event.key === "ArrowRight");
    else return;
    event.preventDefault();
  }

  /** Right unfolds or goes down, left folds or goes up. */
  sideways(isRight) {
    const at = this.found[this.active];
    if (!at || this.isFiltered) return;
    const [below, isFolded] = [this.family.children.get(at.node), this.folded.has(at.node)];
    if (isRight && below) return isFolded ? this.fold(at.node, false) : this.activate(this.active + 1);
    if (!isRight && below && !isFolded) return this.fold(at.node, true);
    const up = this.found.findIndex(({ node }) => node === this.data.parents[at.node]);
    if (!isRight && up >= 0) this.activate(up);
  }

  activate(position) {
    this.active = position;
    const top = position * this.height;
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop) this.list.scrollTop = top;
    if (top + this.height > scrollTop + clientHeight) this.list.scrollTop = top + this.height - clientHeight;
    this.draw();
  }

  pick(position) {
    if (!this.found[position]) return;
    this.active = position;
    this.choose(this.found[position].node);
  }

  /** Shows which node is selected, wherever that was done. */
  select(node) {
    if (node === this.selected) return;
    this.selected = node;
    for (let at = node === null ? null : this.data.parents[node]; at !== null; at = this.data.parents[at]) this.folded.delete(at);
    if (!this.isFiltered) this.filter();
    const position = this.found.findIndex((at) => at.node === node);
    if (position >= 0) this.activate(position);
    else this.draw();
  }
}

const GRADES = ["identical", "negligible", "visible", "severe"];

/** The children of each node, and the place of a node among them. */
function siblings(parents) {
  const children = new Map();
  const places = new Array(parents.length);
  parents.forEach((parent, node) => {
    if (!children.has(parent)) children.set(parent, []);
    places[node] = children.get(parent).length;
    children.get(parent).push(node);
  });
  return { children, of: (node) => ({ place: places[node], of: children.get(parents[node]).length }) };
}

/** The nodes with their depths, each before its children, siblings as in the file. */
function depthFirst(parents, children) {
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
