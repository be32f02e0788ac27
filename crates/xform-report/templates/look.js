// The part of the page around the 3D view: which node, which engines, which time, and what is told of them.

/** A number to six digits; what is rounding beside the largest of its kind is 0. */
function number(value, largest = 0) {
  if (value === null || value === undefined) return "–";
  return Math.abs(value) < 1e-6 * largest ? "0" : String(Number(value.toPrecision(6)));
}

/** A thin box from a point along an axis. */
function rod(origin, axis, thickness) {
  const least = axis.map(Math.abs).indexOf(Math.min(...axis.map(Math.abs)));
  const other = [0, 0, 0];
  other[least] = 1;
  const u = times(unit(cross(axis, other)), thickness);
  const v = times(unit(cross(axis, u)), thickness);
  return [0, 1, 2].flatMap((i) => [axis[i], u[i], v[i], origin[i] + axis[i] / 2]);
}

class Look {
  /** `describe` gives the names down to a node; `told` is called when the node, the time or the engines change. */
  constructor(section, stage, describe, told) {
    Object.assign(this, { stage, describe, told });
    const { view } = stage;
    this.find = (selector) => section.querySelector(selector);
    this.all = (selector) => [...section.querySelectorAll(selector)];
    this.camera = new Camera();
    this.shows = view.opening.shows;
    this.node = view.opening.node;
    this.isPlaying = false;
    /** Of those that the screen has, how many are drawn along a side. */
    this.pixels = 1;
    this.setShows(this.shows);
    this.wires = this.find("select[data-wires]");
    this.sliders = this.all("input[data-parameter]");
    this.tint = view.tints.length ? new Map(view.tints) : null;
    this.listen();
    try {
      this.start(this.find("canvas"));
    } catch (error) {
      this.giveUp(section, error.message);
    }
    this.open();
    this.update();
  }

  start(canvas) {
    this.canvas = canvas;
    this.renderer = new Renderer(canvas, this.stage);
    this.camera.aspect = canvas.clientWidth / canvas.clientHeight || 1;
    this.hands = new Hands(canvas, this.camera, {
      changed: () => this.moved(),
      clicked: (x, y) => this.pick(x, y),
      doubled: (x, y) => { if (this.pick(x, y)) this.frameSelection(); },
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.find("[data-trouble]").textContent = "The graphics context was lost; the pictures below show the same. The view returns when it does.";
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.find("[data-trouble]").textContent = "";
      this.renderer.restore();
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  giveUp(section, why) {
    section.classList.add("without-view");
    this.find("[data-trouble]").textContent = `The 3D view is not available: ${why}. The pictures below show the same.`;
  }

  /** The worst moment, and the camera on it. */
  open() {
    const { view, animations } = this.stage;
    const { motion } = view.opening;
    const place = motion ? animations.findIndex((animation) => animation.index === motion[0]) : -1;
    if (place >= 0) this.stage.play(place, motion[1]);
    else if (view.frames.length) this.stage.slide(this.slid());
    else this.stage.atRest();
    this.frameWorst();
  }

  /** Looks at what is apart most of the selected node, with enough around it to know where it is. */
  frameWorst() {
    const whole = this.whole();
    const place = this.stage.place.get(this.node);
    const worst = place === undefined || this.stage.view.opening.node === null || this.sliders.length ? null : worstSphere(this.stage, place, this.shows);
    if (worst && worst.radius < around(whole).radius) this.camera.frame(worst);
    else this.camera.fit(whole);
  }

  frameSelection() {
    const place = this.stage.place.get(this.node);
    if (place === undefined) return;
    const sphere = around(shape(this.stage, place, this.shows).flat());
    if (sphere) this.camera.frame({ ...sphere, radius: sphere.radius || 0.05 });
    this.moved();
  }

  frameAll() {
    this.camera.fit(this.whole());
    this.moved();
  }

  /** Looks at the colliders of a node. */
  frameCollider(node) {
    const sphere = around(this.wirePoints(node));
    if (sphere) this.camera.frame({ ...sphere, radius: 1.5 * sphere.radius || 0.05 });
    this.moved();
  }

  /** Points of all that is seen: of what is drawn, and of colliders. */
  whole() {
    return [...wholeShape(this.stage, this.shows), ...this.wirePoints()];
  }

  /** The colliders that are seen. */
  seenWires() {
    return this.stage.wires(Number(this.wires?.value ?? -1));
  }

  /** Points of the colliders that are seen, of a node or of all, and of the same shapes as they are drawn. */
  wirePoints(node = null) {
    const own = this.seenWires().filter((wire) => node === null || wire.node === node);
    return own.flatMap((wire) => [wire.collider, wire.drawn]).flatMap((list) => {
      const numbers = this.stage.lines(list);
      return Array.from({ length: numbers.length / 6 }, (_, line) => [...numbers.subarray(6 * line, 6 * line + 3)]);
    });
  }

  listen() {
    this.sliders.forEach((slider) => slider.addEventListener("input", () => {
      this.stage.slide(this.slid());
      if (!this.hasMoved) this.camera.fit(this.whole());
      this.update();
    }));
    this.all("input[name=mode]").forEach((choice) => choice.addEventListener("change", () => this.update()));
    this.all("select[data-show]").forEach((choice, i) => choice.addEventListener("change", () => {
      this.hasPicked = true;
      this.setShows(this.shows.map((show, j) => (i === j ? Number(choice.value) : show)));
      this.update();
    }));
    this.wires?.addEventListener("change", () => this.update());
    const act = (name, act) => this.find(`[data-do=${name}]`)?.addEventListener("click", act);
    act("node", () => this.frameSelection());
    act("all", () => this.frameAll());
    act("play", () => (this.isPlaying ? this.pause() : this.play()));
    act("before", () => this.step(-1));
    act("after", () => this.step(1));
    this.find("[data-time=animation]")?.addEventListener("change", (event) => {
      const place = Number(event.target.value);
      if (place < 0) this.rest();
      else this.seek(place, this.stage.animations[place].seconds[0]);
    });
    this.find("[data-time=seconds]")?.addEventListener("input", (event) => {
      this.pause();
      const { animation } = this.stage.moment;
      if (animation !== null) this.seek(animation, Number(event.target.value));
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { camera } = this;
    const keys = {
      ArrowLeft: () => camera.turn(-0.1, 0),
      ArrowRight: () => camera.turn(0.1, 0),
      ArrowUp: () => camera.turn(0, 0.1),
      ArrowDown: () => camera.turn(0, -0.1),
      "+": () => camera.zoom(1.2),
      "-": () => camera.zoom(1 / 1.2),
      f: () => this.frameSelection(),
      a: () => this.frameAll(),
      " ": () => (this.isPlaying ? this.pause() : this.play()),
      Escape: () => this.select(null),
    };
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
    this.moved();
  }

  /** Which of the frames belongs to where the sliders stand. */
  slid() {
    const { sliders } = this.stage.view;
    return this.sliders.reduce((position, slider, i) => position * sliders[i].values.length + Number(slider.value), 0);
  }

  pick(x, y) {
    if (!this.renderer) return false;
    const place = this.renderer.pick(this.camera, this.shown(), x, y);
    this.select(place === null ? null : this.stage.view.nodes[place]);
    return place !== null;
  }

  /** Selects a node, or none. */
  select(node) {
    this.node = node;
    this.update();
  }

  rest() {
    this.pause();
    this.stage.atRest();
    this.update();
  }

  /** Goes to the sample of an animation that is nearest to a time, or where it `isExact` to that time: colliders are looked at at times of their own. */
  seek(animation, seconds, isExact = false) {
    const playing = this.stage.animations[animation];
    const { sample } = this.stage.between(playing, seconds);
    this.stage.play(animation, isExact ? seconds : playing.seconds[sample]);
    this.update();
  }

  /** Goes to the next keyframe, or to the one before. */
  step(by) {
    this.pause();
    const { animation, seconds } = this.stage.moment;
    if (animation === null) return;
    const playing = this.stage.animations[animation];
    const keys = playing.keyframes.map((place) => playing.seconds[place]);
    const next = by > 0 ? keys.find((key) => key > seconds + 1e-9) : keys.findLast((key) => key < seconds - 1e-9);
    if (next !== undefined) this.seek(animation, next);
  }

  play() {
    const { moment, animations } = this.stage;
    if (!animations.length) return;
    const animation = moment.animation ?? 0;
    const { seconds } = animations[animation];
    const [start, end] = [seconds[0], seconds.at(-1)];
    let last = null;
    let at = moment.animation === null || moment.seconds >= end ? start : moment.seconds;
    this.isPlaying = true;
    const frame = (now) => {
      if (!this.isPlaying) return;
      at += last === null ? 0 : (now - last) / 1000;
      last = now;
      if (at > end) at = end > start ? start + ((at - start) % (end - start)) : start;
      this.stage.play(animation, at);
      this.update();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    this.update();
  }

  /** Stops at a sample, so that what is shown is what was computed. */
  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    const { animation, seconds } = this.stage.moment;
    if (animation !== null) this.seek(animation, seconds);
  }

  /** The camera moved. */
  moved() {
    this.hasMoved = true;
    this.draw();
    this.told(this);
  }

  update() {
    this.tellSliders();
    this.tellTime();
    this.tellSelected();
    this.draw();
    this.told(this);
  }

  setMode(mode) {
    for (const choice of this.all("input[name=mode]")) if (choice.value === mode) choice.checked = true;
  }

  setShows(shows) {
    this.shows = shows;
    this.all("select[data-show]").forEach((choice, i) => { choice.value = shows[i]; });
    this.tellShows();
  }

  /** The names of what is compared, wherever they stand. */
  tellShows() {
    const shows = this.shows.map((show) => this.stage.view.shows[show]);
    for (const place of this.all("[data-name]")) Object.assign(place, { textContent: shows[place.dataset.name].short, title: shows[place.dataset.name].label });
  }

  get mode() {
    return this.find("input[name=mode]:checked").value;
  }

  shown() {
    const { stage, shows, mode } = this;
    const [a, b] = shows.map((show) => stage.worlds[show]);
    const isApart = (place) => {
      for (let i = 12 * place; i < 12 * place + 12; i += 1) if (Math.abs(a[i] - b[i]) > 1e-6 * (1 + Math.abs(a[i]))) return true;
      return false;
    };
    return { mode, shows, isApart, tint: this.tint, most: stage.largest(shows) > 1e-7 ? stage.largest(shows) : Infinity, selected: this.ownPlace() ?? -1, rods: [...this.basis(), ...this.axes()], wires: this.seenWires() };
  }

  /** The axes of the world, where the scene is one of those that explain. */
  basis() {
    const { view } = this.stage;
    if (!view.frames.length) return [];
    const origin = times(view.middle, -1 / view.unit);
    return AXES.map((colour, i) => ({ colour, rows: rod(origin, [0, 1, 2].map((j) => (i === j ? 1 / view.unit : 0)), 0.004 * this.camera.distance) }));
  }

  /** The place of the selected node, where that itself is to be seen: a mesh that follows joints is where they are. */
  ownPlace() {
    const place = this.stage.place.get(this.node);
    return this.stage.shownAt.get(place)?.some((shown) => shown.joints.length) ? undefined : place;
  }

  /** The axes of the selected node, as each show that is seen has them. */
  axes() {
    const place = this.ownPlace();
    if (place === undefined) return [];
    const [a, b] = this.shows;
    const seen = this.mode === "b" ? [b] : [a];
    const box = this.stage.view.boxes[this.stage.view.box_of[place]];
    return seen.flatMap((show) => {
      const worlds = this.stage.worlds[show];
      const origin = moved(worlds, 12 * place, [0, 0, 0]);
      return AXES.map((colour, i) => {
        const reach = [0, 0, 0];
        reach[i] = box ? Math.max(Math.abs(box[i]), Math.abs(box[3 + i])) * 1.3 || 1 : 1;
        const axis = turned(worlds, 12 * place, reach);
        const long = box ? axis : times(unit(axis), 0.12 * this.camera.distance);
        return { colour, rows: rod(origin, long, 0.0035 * this.camera.distance) };
      });
    });
  }

  /** Draws before the browser shows the page again, however often it is asked to until then. */
  draw() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame((now) => {
      this.drawNow();
      // A frame that is not done holds back the one after the next.
      requestAnimationFrame(() => requestAnimationFrame((then) => this.spare((then - now) / 2)));
    });
  }

  /** Fewer pixels while frames take long, in milliseconds, and all of them again once nothing moves. */
  spare(took) {
    if (took > 60) this.pixels = Math.max(0.2, this.pixels / 1.4);
    clearTimeout(this.resting);
    if (this.pixels < 1) {
      this.resting = setTimeout(() => {
        this.pixels = 1;
        if (this.drawnPixels < 1) this.drawNow();
      }, 400);
    }
  }

  drawNow() {
    this.isAsked = false;
    this.drawnPixels = this.pixels;
    const { canvas, renderer } = this;
    if (!renderer || renderer.gl.isContextLost()) return;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.max(1, Math.round(n * devicePixelRatio * this.pixels)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const look = this.shown();
    renderer.draw(this.camera, look);
    this.find("[data-legend]").hidden = look.mode !== "apart";
    this.find("[data-legend] output").value = look.most === Infinity ? "nothing differs" : `${number(100 * look.most)} % of the scene`;
  }

  /** What each of the two shows, with the other as a ghost, as pictures. */
  pictures() {
    const { renderer, canvas, stage, shows } = this;
    const [width, height] = [canvas.width, canvas.height];
    Object.assign(canvas, { width: 480, height: 360 });
    const camera = Object.assign(new Camera(), { yaw: this.camera.yaw, pitch: this.camera.pitch });
    camera.aspect = 4 / 3;
    camera.fit(wholeShape(stage, shows));
    const made = [shows, [...shows].reverse()].map((shows) => {
      renderer.draw(camera, { ...this.shown(), mode: "ghost", shows, selected: -1, rods: this.basis() });
      return { url: canvas.toDataURL(), label: stage.view.shows[shows[0]].label };
    });
    Object.assign(canvas, { width, height });
    this.draw();
    return made;
  }

  tellSliders() {
    const { sliders } = this.stage.view;
    this.sliders.forEach((slider, i) => {
      const value = String(sliders[i].values[slider.value]);
      slider.setAttribute("aria-valuetext", value);
      slider.parentElement.querySelector("output").value = value;
    });
  }

  tellTime() {
    const bar = this.find("[data-time=seconds]");
    if (!bar) return;
    const { animation, seconds } = this.stage.moment;
    this.find("[data-time=animation]").value = animation ?? -1;
    const playing = animation === null ? null : this.stage.animations[animation];
    bar.disabled = !playing;
    for (const name of ["before", "after"]) this.find(`[data-do=${name}]`).disabled = !playing;
    const [start, end] = playing ? [playing.seconds[0], playing.seconds.at(-1)] : [0, 1];
    Object.assign(bar, { min: start, max: end });
    bar.value = seconds;
    const told = playing ? `${seconds.toFixed(2)} s` : "at rest";
    bar.setAttribute("aria-valuetext", told);
    this.find("[data-time=told]").value = told;
    this.find("[data-do=play]").textContent = this.isPlaying ? "Pause" : "Play";
  }

  /** What the library found of the selected node. */
  tellSelected() {
    const { stage, node } = this;
    const tell = (name, text) => { this.find(`[data-tell=${name}]`).textContent = text; };
    this.find("[data-selected]").hidden = node === null;
    tell("name", node === null ? "nothing" : this.describe(node));
    if (node === null) return;
    const figures = stage.figures(node, this.shows);
    tell("displacement", figures ? number(figures.displacement) : "0");
    tell("percent", figures ? number(figures.percent) : "0");
    this.find("[data-tell=skewed]").hidden = !figures?.skew;
    tell("skew", number(figures?.skew ?? 0));
    const place = stage.place.get(node);
    this.find("[data-tell=undrawn]").hidden = place !== undefined;
    this.shows.forEach((show, i) => {
      const worlds = stage.worlds[show];
      const world = place === undefined ? null : [...worlds.subarray(12 * place, 12 * place + 12)].map((n) => n * stage.view.unit);
      const axis = (column) => [0, 4, 8].map((row) => world[row + column]);
      const vector = (vector) => `(${vector.map((n) => number(n, Math.max(...vector.map(Math.abs)))).join(", ")})`;
      [..."xyz"].forEach((name, column) => tell(`${"ab"[i]}-${name}`, world ? vector(axis(column)) : "–"));
      tell(`${"ab"[i]}-o`, world ? vector(plus(axis(3), stage.view.middle)) : "–");
    });
  }
}
