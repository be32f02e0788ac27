// What is seen, in the address, so that a link shows it to others.

class Address {
  /** `nodes`: how many there are. */
  constructor(look, nodes) {
    Object.assign(this, { look, nodes });
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
    if (look.wires && state.has("colliders")) look.wires.value = whole("colliders", look.wires.length - 1) ?? -1;
    look.camera.fromText(state.get("camera"));
    look.hasMoved = true;
    look.select(whole("node", this.nodes));
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
      if (look.wires) state.set("colliders", look.wires.value);
      history.replaceState(null, "", `#${state}`);
    }, 300);
  }
}
