// What the page does beyond being read: more rows, the view, the tree, the charts, and a link to what is seen.

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
    const grade = rank < data.severe ? "severe" : rank < data.severe + data.visible ? "visible" : "negligible";
    cell(grade);
    row.cells[1].className = grade;
    cell(data.engines[data.group ? data.group[rank] : 1]);
    for (const figure of ["displacement", "percent", "skew", "linear"]) {
      const value = data[figure][rank];
      cell(value === null ? "–" : String(value));
    }
    const scaler = data.scaler[rank];
    cell(scaler === null ? "" : `the scale of ${label(data, scaler)}`);
    return row;
  }
}

/** What is seen, in the address, so that a link shows it to others. */
class Address {
  constructor(look) {
    this.look = look;
    this.read();
    window.addEventListener("hashchange", () => this.read());
  }

  read() {
    const { look } = this;
    const { stage } = look;
    const state = new URLSearchParams(location.hash.slice(1));
    if (!state.has("camera")) return;
    const whole = (name, below) => {
      const value = Number(state.get(name));
      return state.has(name) && Number.isInteger(value) && value >= 0 && value < below ? value : null;
    };
    look.sliders.forEach((slider, i) => { slider.value = whole(`slider${i}`, Number(slider.max) + 1) ?? slider.value; });
    const shows = [whole("from", stage.view.shows.length), whole("to", stage.view.shows.length)];
    if (!shows.includes(null)) look.setShows(shows);
    const animation = whole("animation", stage.animations.length);
    const seconds = Number(state.get("seconds"));
    if (animation !== null && Number.isFinite(seconds)) stage.play(animation, seconds);
    else if (look.sliders.length) stage.slide(look.slid());
    else stage.atRest();
    look.setMode(state.get("mode"));
    look.camera.fromText(state.get("camera"));
    look.hasMoved = true;
    look.select(whole("node", data.parents.length));
  }

  /** Writes what is seen, once it has been so for a moment. */
  write() {
    clearTimeout(this.waiting);
    if (!this.look.hasMoved && !this.look.hasChosen) return;
    this.waiting = setTimeout(() => {
      const { look } = this;
      const { animation, seconds } = look.stage.moment;
      const state = new URLSearchParams();
      if (look.node !== null) state.set("node", look.node);
      if (animation !== null) {
        state.set("animation", animation);
        state.set("seconds", seconds);
      }
      look.sliders.forEach((slider, i) => state.set(`slider${i}`, slider.value));
      [["from", look.shows[0]], ["to", look.shows[1]], ["mode", look.mode], ["camera", look.camera.toText()]].forEach(([name, value]) => state.set(name, value));
      history.replaceState(null, "", `#${state}`);
    }, 300);
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

const more = document.getElementById("more");
if (more) new Rows(document.getElementById("ranked"), more, data);
if (look) {
  const tree = new Tree(document.getElementById("tree"), data, choose);
  const timelines = new Timelines(document.querySelectorAll("svg[data-timeline]"), stage, (animation, seconds) => {
    look.pause();
    look.hasChosen = true;
    look.seek(animation, seconds);
    section.scrollIntoView({ block: "nearest" });
  });
  const address = new Address(look);
  const text = look.sliders.length ? new FrameText(look) : null;
  if (text) followers.push(() => text.tell());
  followers.push(() => tree.select(look.node), () => timelines.tell(), () => address.write(), () => {
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
  const { node, animation, seconds } = link.dataset;
  const place = stage.animations.findIndex((played) => String(played.index) === animation);
  if (place >= 0) look.seek(place, Number(seconds));
  else if (animation === undefined && !look.sliders.length) look.rest();
  choose(Number(node));
  look.frameWorst();
  look.moved();
  section.scrollIntoView({ block: "nearest" });
});
