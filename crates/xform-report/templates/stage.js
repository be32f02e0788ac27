// Where everything is: the world transforms of each show at rest, at a sample of an animation or between two, or where the
// sliders stand. All of them come from the library; between two samples they are interpolated for the eye.

/** Lists of numbers in the bytes of the page. */
class Bytes {
  constructor(base64) {
    const text = atob(base64);
    this.bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i += 1) this.bytes[i] = text.charCodeAt(i);
  }

  floats(at, count) {
    return new Float32Array(this.bytes.buffer, at, count);
  }

  shorts(at, count) {
    return new Int16Array(this.bytes.buffer, at, count);
  }

  words(at, count) {
    return new Uint16Array(this.bytes.buffer, at, count);
  }

  octets(at, count) {
    return this.bytes.subarray(at, at + count);
  }

  /** Whole numbers of seven bits a byte, each as far below the next that was not there yet. */
  indices(at, count) {
    const found = new Uint32Array(count);
    let next = 0;
    for (let i = 0; i < count; i += 1) {
      let below = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = this.bytes[at];
        at += 1;
        below |= (byte & 127) << shift;
        if (byte < 128) break;
      }
      found[i] = next - below;
      next = Math.max(next, found[i] + 1);
    }
    return found;
  }
}

/** What there is for each key, of which everything has some. */
function grouped(all, keys) {
  const found = new Map();
  for (const one of all) {
    for (const key of keys(one)) {
      if (found.has(key)) found.get(key).push(one);
      else found.set(key, [one]);
    }
  }
  return found;
}

/** How many world transforms are in a row of a texture. */
const ROW = 512;

class Stage {
  constructor(data, bytes) {
    const { view } = data;
    Object.assign(this, { view, bytes });
    this.apart = view.apart;
    this.ranks = this.apart.map(({ nodes }) => new Map(nodes.map((node, rank) => [node, rank])));
    this.count = view.nodes.length;
    this.place = new Map(view.nodes.map((node, place) => [node, place]));
    /** By place, the meshes that it shows, and those that follow it. */
    this.shownAt = grouped(view.shown, (shown) => [shown.place]);
    this.following = grouped(view.shown, (shown) => shown.joints);
    // As many as fill rows of a texture, and behind the nodes one that stays where it is.
    this.size = 12 * ROW * Math.ceil((this.count + 1) / ROW);
    this.rest = view.shows.map((show) => this.ofShow(show));
    /** By show, what is drawn now. */
    this.worlds = this.rest.map((worlds) => worlds.slice());
    this.weights = new Map(view.shown.map((shown) => [shown.place, shown.weights]));
    /** Counts how often everything was placed anew. */
    this.version = 0;
    this.animations = view.animations.map((animation) => this.ofAnimation(animation));
    this.moment = { animation: null, seconds: 0, frame: null };
    if (view.frames.length) this.slide(0);
  }

  ofShow({ places, worlds }) {
    const all = new Float32Array(this.size);
    all.set(this.bytes.floats(this.view.shows[0].worlds, 12 * this.count));
    all.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], 12 * this.count);
    const own = this.bytes.floats(worlds, 12 * (places?.length ?? this.count));
    if (!places) all.set(own);
    places?.forEach((place, i) => all.set(own.subarray(12 * i, 12 * i + 12), 12 * place));
    return all;
  }

  ofAnimation(animation) {
    const { bytes } = this;
    const times = animation.seconds.length;
    const worlds = animation.worlds.map(({ nodes, ranges, steps }) => ({
      nodes,
      ranges: bytes.floats(ranges, 5 * nodes.length),
      steps: bytes.shorts(steps, 12 * nodes.length * times),
    }));
    const count = animation.figured.length * times;
    return {
      ...animation,
      worlds,
      displacement: bytes.floats(animation.displacement, count * this.view.pairs.length),
      percent: bytes.floats(animation.percent, count * this.view.pairs.length),
      skew: bytes.floats(animation.skew, count * this.view.pairs.length),
      weights: animation.weights.map((own) => ({ ...own, at: bytes.floats(own.at, own.targets * times) })),
      row: new Map(animation.figured.map((node, row) => [node, row])),
    };
  }

  /** Which of two scenes something at a place is of, 0 or 1; nothing where there is one. */
  side(place) {
    const { first_after: first, nodes } = this.view;
    return first === undefined ? null : Number(nodes[place] >= first);
  }

  /** How far each vertex of a part that is shown is from where it is in the other scene; nothing where it is not. */
  far({ far, parts }, i) {
    if (!far) return null;
    const { vertices } = this.view.parts[parts[i]];
    return Float32Array.from(this.bytes.octets(far.parts[i], vertices), (step) => (far.scale * step) / 255);
  }

  /** The colliders of a physics engine at the moment, a wire each: at rest, and at the time at which each is farthest from what is drawn. */
  wires(engine) {
    const { animation, seconds, frame } = this.moment;
    const index = animation === null ? null : this.animations[animation].index;
    const isNow = ({ motion }) => (motion === null ? index === null : motion[0] === index && Math.abs(motion[1] - seconds) < 1e-6);
    return frame === null || frame === undefined ? (this.view.wires?.shown ?? []).filter((wire) => wire.engine === engine && isNow(wire)) : [];
  }

  /** The points of a list of lines, two a line, three numbers each. */
  lines(list) {
    const [at, count] = this.view.wires.lists[list];
    return this.bytes.floats(at, 6 * count);
  }

  /** Places everything as at rest. */
  atRest() {
    this.moment = { animation: null, seconds: 0, frame: null };
    this.worlds.forEach((worlds, show) => worlds.set(this.rest[show]));
    for (const shown of this.view.shown) this.weights.set(shown.place, shown.weights);
    this.version += 1;
  }

  /** Places everything as at a time of an animation. */
  play(index, seconds) {
    const animation = this.animations[index];
    const { before, after, part, sample } = this.between(animation, seconds);
    this.moment = { animation: index, seconds, sample };
    this.worlds.forEach((worlds, show) => worlds.set(this.rest[show]));
    animation.worlds.forEach((own, show) => {
      for (let target = show; target < (show === 0 ? this.worlds.length : show + 1); target += 1) {
        interpolate(this.worlds[target], own, before, after, part);
      }
    });
    for (const shown of this.view.shown) this.weights.set(shown.place, shown.weights);
    for (const { node, targets, at } of animation.weights) {
      const mixed = [];
      for (let i = 0; i < targets; i += 1) mixed.push((1 - part) * at[before * targets + i] + part * at[after * targets + i]);
      this.weights.set(this.place.get(node), mixed);
    }
    this.version += 1;
  }

  /** The samples around a time, how far it is from the one to the other, and the nearer of both. */
  between({ seconds }, time) {
    let after = seconds.findIndex((other) => other > time);
    if (after < 0) after = seconds.length - 1;
    const before = Math.max(0, after - 1);
    const step = seconds[after] - seconds[before];
    const part = step > 0 ? Math.max(0, Math.min(1, (time - seconds[before]) / step)) : 1;
    return { before, after, part, sample: part < 0.5 ? before : after };
  }

  /** Places everything as where the sliders stand. */
  slide(position) {
    const frame = this.view.frames[position];
    const size = 12 * this.count;
    this.worlds.forEach((worlds, show) => worlds.set(this.bytes.floats(frame.worlds + 4 * size * show, size)));
    this.moment = { animation: null, seconds: 0, frame: position };
    this.version += 1;
  }

  /** What the library found of a node between two shows at the moment; nothing where it does not differ. */
  figures(node, shows) {
    const [a, b] = [Math.min(...shows), Math.max(...shows)];
    const pair = this.view.pairs.findIndex((pair) => pair[0] === a && pair[1] === b);
    const { animation, frame, sample } = this.moment;
    if (frame !== null && frame !== undefined) {
      const [found, place] = [this.view.frames[frame], this.place.get(node)];
      return { displacement: found.displacement[place], percent: found.percent[place], skew: found.skew[place] };
    }
    if (animation !== null) {
      const playing = this.animations[animation];
      const row = playing.row.get(node);
      if (row === undefined || pair < 0) return null;
      const times = playing.seconds.length;
      const at = (pair * playing.figured.length + row) * times + sample;
      const known = (value) => (Number.isNaN(value) ? null : value);
      return {
        displacement: known(playing.displacement[at]),
        percent: known(playing.percent[at]),
        skew: known(playing.skew[at]),
      };
    }
    const [apart, rank] = [this.apart[pair], this.ranks[pair]?.get(node)];
    return rank === undefined ? null : { displacement: apart.displacement[rank], percent: apart.percent[rank], skew: apart.skew[rank] };
  }

  /** The largest displacement between two shows in what is played or stands, as a fraction of the scene. */
  largest(shows) {
    const [a, b] = [Math.min(...shows), Math.max(...shows)];
    const pair = this.view.pairs.findIndex((pair) => pair[0] === a && pair[1] === b);
    if (pair < 0) return 0;
    const { animation, frame } = this.moment;
    let largest = 0;
    if (frame !== null && frame !== undefined) {
      for (const moved of this.view.frames[frame].displacement) largest = Math.max(largest, moved ?? 0);
    } else if (animation !== null) {
      const playing = this.animations[animation];
      const size = playing.figured.length * playing.seconds.length;
      for (const moved of playing.displacement.subarray(pair * size, (pair + 1) * size)) if (moved > largest) largest = moved;
    } else {
      for (const moved of this.apart[pair].displacement) largest = Math.max(largest, moved ?? 0);
    }
    return largest / this.view.unit;
  }
}

/** Between two samples, number by number. */
function interpolate(worlds, { nodes, ranges, steps }, before, after, part) {
  const [from, to] = [12 * nodes.length * before, 12 * nodes.length * after];
  for (let i = 0; i < nodes.length; i += 1) {
    const [reach, longest] = [ranges[5 * i + 3], ranges[5 * i + 4]];
    for (let j = 0; j < 12; j += 1) {
      const step = ((1 - part) * steps[from + 12 * i + j] + part * steps[to + 12 * i + j]) / 32767;
      const isPlace = j % 4 === 3;
      worlds[12 * nodes[i] + j] = isPlace ? ranges[5 * i + (j >> 2)] + (reach * (step + 1)) / 2 : longest * step;
    }
  }
}
