// The page about two scenes: both of them in one view, and what is said of what is selected.

class DiffLook extends Look {
  /** What is elsewhere and has this node; nothing of others. */
  get thing() {
    return this.stage.view.things.find(({ nodes }) => nodes.includes(this.node));
  }

  /** The places of the selected node, in both scenes. */
  places() {
    const nodes = this.thing?.nodes ?? [this.node];
    return nodes.map((node) => this.stage.place.get(node)).filter((place) => place !== undefined);
  }

  /** Looks at the selected node where it is in both. */
  frameWorst() {
    const whole = wholeShape(this.stage, this.shows);
    const found = around(this.places().flatMap((place) => shape(this.stage, place, this.shows).flat()));
    if (found && 1.5 * found.radius < around(whole).radius) this.camera.frame({ ...found, radius: 1.5 * found.radius || 0.05 });
    else this.camera.fit(whole);
  }

  frameSelection() {
    if (!this.places().length) return;
    this.frameWorst();
    this.moved();
  }

  shown() {
    const { most } = this.stage.view;
    return { mode: this.mode, shows: this.shows, tint: null, most: most || Infinity, selected: this.ownPlace() ?? -1, rods: this.axes() };
  }

  /** In the scene that is seen, where it is there. */
  ownPlace() {
    const side = ["b", "apart"].includes(this.mode) ? 1 : 0;
    const places = this.places();
    const place = places.find((place) => this.stage.side(place) === side) ?? places[0];
    return this.stage.shownAt.get(place)?.some((shown) => shown.joints.length) ? undefined : place;
  }

  tellSelected() {
    const { node, thing } = this;
    this.find("[data-selected]").hidden = node === null;
    this.find("[data-tell=name]").textContent = node === null ? "nothing" : this.describe(node);
    this.find("[data-tell=told]").textContent = thing?.told ?? "It did not move visibly.";
  }
}

document.documentElement.classList.add("scripted");
const data = JSON.parse(document.getElementById("xform-data").textContent);
// What the page about one scene has beside this.
data.view = { pairs: [], apart: [], tints: [], sliders: [], frames: [], ...data.view };
const section = document.getElementById("look");
const stage = section ? new Stage(data, new Bytes(document.getElementById("xform-bytes").textContent.trim())) : null;
const followers = [];
const look = section ? new DiffLook(section, stage, (node) => path(data, node), () => followers.forEach((tell) => tell())) : null;

if (look) {
  const address = new Address(look, data.parents.length);
  followers.push(() => address.write());
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-node]");
    if (!link) return;
    event.preventDefault();
    const { node, animation, seconds } = link.dataset;
    const place = stage.animations.findIndex((played) => String(played.index) === animation);
    if (place >= 0) look.seek(place, Number(seconds));
    else look.rest();
    look.hasChosen = true;
    look.select(Number(node));
    look.frameWorst();
    look.moved();
    section.scrollIntoView({ block: "nearest" });
  });
  look.update();
}
