// What the page does beyond being read: more rows, the view, the tree, the charts, and a link to what is seen.

/** The table of what differs: in any engine, of which the first rows are in the markup, or between two shows. Others come a hundred
 * at a time. */
class Rows {
  constructor(table, button, data) {
    Object.assign(this, { body: table.tBodies[0], button, data });
    this.written = [...this.body.rows];
    this.ofAll = data.ranked.map((_, rank) => this.ofRank(rank));
    this.entries = this.ofAll;
    this.shown = this.written.length;
    button?.addEventListener("click", () => this.more());
    this.label();
  }

  label() {
    if (!this.button) return;
    const rest = this.entries.length - this.shown;
    this.button.hidden = rest <= 0;
    this.button.textContent = `Show ${Math.min(100, rest)} more of ${rest}`;
  }

  more() {
    const end = Math.min(this.shown + 100, this.entries.length);
    for (; this.shown < end; this.shown += 1) this.body.append(this.row(this.entries[this.shown]));
    this.label();
  }

  /** Tells of all engines again. */
  all() {
    this.body.replaceChildren(...this.written);
    Object.assign(this, { entries: this.ofAll, shown: this.written.length });
    this.label();
  }

  /** Tells of two shows: what is apart between them, and causes where these are why. */
  between(apart, groups, engines) {
    const { data } = this;
    const ranks = new Map(data.ranked.map((node, rank) => [node, rank]));
    const entry = (node, i) => {
      const rank = ranks.get(node);
      const isWhy = rank !== undefined && groups.includes(data.group ? data.group[rank] : 1);
      const [displacement, percent, skew] = [apart.displacement[i], apart.percent[i], apart.skew[i]];
      return { node, grade: apart.grades[i], engines, figures: [displacement, percent, skew, null], scaler: isWhy ? data.scaler[rank] : null };
    };
    const found = apart.nodes.map(entry).filter(({ grade }) => grade > 0);
    this.entries = found.sort((a, b) => b.grade - a.grade || b.figures[0] - a.figures[0]);
    this.shown = 0;
    this.body.replaceChildren();
    this.more();
  }

  ofRank(rank) {
    const { data } = this;
    const grade = rank < data.severe ? 3 : rank < data.severe + data.visible ? 2 : 1;
    const engines = data.engines[data.group ? data.group[rank] : 1];
    const figures = ["displacement", "percent", "skew", "linear"].map((figure) => data[figure][rank]);
    return { node: data.ranked[rank], grade, engines, figures, scaler: data.scaler[rank] };
  }

  row({ node, grade, engines, figures, scaler }) {
    const { data } = this;
    const row = document.createElement("tr");
    const cell = (...content) => row.insertCell().append(...content);
    const link = document.createElement("a");
    Object.assign(link, { href: "#look", textContent: path(data, node) });
    link.dataset.node = node;
    cell(link, ` [${node}]`);
    cell(GRADES[grade]);
    row.cells[1].className = GRADES[grade];
    cell(engines);
    for (const value of figures) cell(value === null ? "–" : String(value));
    cell(scaler === null ? "" : `the scale of ${label(data, scaler)}`);
    return row;
  }
}

/** What the page tells of: all engines, or once somebody has chosen two shows, these alone: cards, charts, the tree and the table. */
class Told {
  constructor(look, tree, rows) {
    Object.assign(this, { look, tree, rows, shows: null });
    this.note = look.find("[data-chosen]");
    this.note?.querySelector("button").addEventListener("click", () => {
      look.hasPicked = false;
      look.setShows(look.stage.view.opening.shows);
      look.update();
    });
  }

  tell() {
    const { look, tree, rows } = this;
    const { view } = look.stage;
    const isOfAll = !this.note || (!look.hasPicked && look.shows.join() === view.opening.shows.join());
    const shows = isOfAll ? null : look.shows.join();
    if (shows === this.shows) return;
    this.shows = shows;
    this.note.hidden = isOfAll;
    const groups = look.shows.filter((show) => show > 0);
    for (const part of document.querySelectorAll("[data-groups]")) {
      const own = part.dataset.groups.split(" ").map(Number);
      part.hidden = !isOfAll && !own.some((group) => groups.includes(group));
    }
    for (const part of document.querySelectorAll("[data-of-shows]")) part.hidden = ![...part.querySelectorAll("[data-groups]")].some((one) => !one.hidden);
    const [a, b] = [Math.min(...look.shows), Math.max(...look.shows)];
    const pair = view.pairs.findIndex((pair) => pair[0] === a && pair[1] === b);
    const grades = [];
    for (const [place, grade] of view.pair_grades[pair] ?? []) grades[place] = grade;
    tree.regrade(isOfAll ? view.grades : grades);
    if (!rows) return;
    if (isOfAll) rows.all();
    else rows.between(look.stage.apart[pair] ?? { nodes: [] }, groups, groups.map((group) => view.shows[group].label).join(" / "));
  }
}

/** Makes the names of nodes in sentences choose these: of several with a name, one above what the sentence is about. */
function linkNames() {
  const named = new Map();
  data.parents.forEach((_, node) => {
    const name = label(data, node);
    named.set(name, named.has(name) ? null : node);
  });
  for (const code of document.querySelectorAll("header code, .card code")) {
    let node = Number(code.closest("[data-card]")?.dataset.card ?? stage.view.opening.node ?? NaN);
    while (node >= 0 && label(data, node) !== code.textContent) node = data.parents[node] ?? NaN;
    if (!(node >= 0)) node = named.get(code.textContent) ?? null;
    if (node === null) continue;
    const link = element("a", "", "named");
    link.href = "#look";
    link.dataset.node = node;
    code.replaceWith(link);
    link.append(code);
  }
}

document.documentElement.classList.add("scripted");
const data = JSON.parse(document.getElementById("xform-data").textContent);
const section = document.getElementById("look");
const stage = new Stage(data, new Bytes(document.getElementById("xform-bytes").textContent.trim()));
const followers = [];
const look = section ? new Look(section, stage, (node) => path(data, node), (look) => followers.forEach((tell) => tell(look))) : null;

/** Selects a node, wherever that is seen. */
const choose = (node) => {
  if (!look) return;
  look.hasChosen = true;
  look.select(node);
};

const ranked = document.getElementById("ranked");
const rows = ranked ? new Rows(ranked, document.getElementById("more"), data) : null;
if (look) {
  const tree = new Tree(document.getElementById("tree"), data, choose);
  const timelines = new Timelines(document.querySelectorAll("svg[data-timeline]"), stage, (animation, seconds) => {
    look.pause();
    look.hasChosen = true;
    look.seek(animation, seconds);
    section.scrollIntoView({ block: "nearest" });
  });
  const address = new Address(look, data.parents.length);
  const text = look.sliders.length ? new FrameText(look) : null;
  if (text) followers.push(() => text.tell());
  const told = new Told(look, tree, rows);
  followers.push(() => told.tell(), () => tree.select(look.node), () => timelines.tell(), () => address.write(), () => {
    for (const card of document.querySelectorAll("[data-card]")) card.classList.toggle("chosen", Number(card.dataset.card) === look.node);
  });
  look.update();
  linkNames();
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-node]");
  if (!link || !look) return;
  event.preventDefault();
  if (link.className === "named") {
    choose(Number(link.dataset.node));
    return;
  }
  const { node, animation, seconds, engine } = link.dataset;
  const place = stage.animations.findIndex((played) => String(played.index) === animation);
  if (place >= 0) look.seek(place, Number(seconds), engine !== undefined);
  else if (animation === undefined && !look.sliders.length) look.rest();
  choose(Number(node));
  if (engine === undefined) {
    look.frameWorst();
    look.moved();
  } else {
    look.wires.value = engine;
    look.frameCollider(Number(node));
  }
  section.scrollIntoView({ block: "nearest" });
});
