// The charts over time, each of which shows where the view is and takes it to where it is clicked.

class Timelines {
  constructor(charts, stage, seek) {
    this.stage = stage;
    this.charts = [...charts].map((svg) => {
      const cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
      cursor.setAttribute("class", "cursor");
      svg.append(cursor);
      const [animation, start, end, left, right, top, bottom] = svg.dataset.timeline.split(",").map(Number);
      const place = stage.animations.findIndex((played) => played.index === animation);
      if (place >= 0) svg.classList.add("clickable");
      svg.addEventListener("click", (event) => {
        if (place < 0) return;
        const box = svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
        seek(place, start + (Math.max(0, Math.min(1, (x - left) / (right - left)))) * (end - start));
      });
      return { cursor, place, start, end, left, right, top, bottom };
    });
  }

  tell() {
    const { animation, seconds } = this.stage.moment;
    for (const { cursor, place, start, end, left, right, top, bottom } of this.charts) {
      const x = left + ((seconds - start) / (end - start)) * (right - left);
      cursor.setAttribute("d", place === animation && animation !== null ? `M${x.toFixed(1)} ${top}V${bottom}` : "");
    }
  }
}

/** What is said where the sliders stand: the answer, the cards, and the pose of every node. */
class FrameText {
  constructor(look) {
    this.look = look;
    this.verdict = document.querySelector(".verdict");
    this.cards = document.querySelector("#worst");
    this.first = document.querySelector("[data-first]");
    this.poses = document.querySelector("[data-poses]");
  }

  tell() {
    const { look } = this;
    const { frame } = look.stage.moment;
    if (frame === null || frame === this.told) return;
    this.told = frame;
    const { headline: [name, word, answer], cards, poses } = look.stage.view.frames[frame];
    this.verdict.className = `verdict ${name}`;
    this.verdict.replaceChildren(element("strong", `${word}.`), ` ${answer}`);
    this.first.replaceChildren(...(["visible", "severe"].includes(name) ? cards.slice(0, 1).flatMap((card) => [
      paragraph("Why:", card.why),
      paragraph("What to do:", card.tips[0] ?? ""),
    ]) : []));
    const pictures = cards.length && look.renderer ? look.pictures() : [];
    this.cards?.replaceChildren(element("h2", "What differs, and why"), ...cards.map((card, i) => this.card(card, i, pictures)));
    this.poses.replaceChildren(...poses.flatMap(poseRows));
    linkNames();
  }

  card({ node, path, grade, effect, why, tips }, i, pictures) {
    const card = element("article", "", "card");
    card.dataset.card = node;
    const link = element("a", path);
    link.href = "#look";
    link.dataset.node = node;
    const title = element("h3", `${i + 1}. `);
    title.append(link, " ", element("span", grade, `badge ${grade}`));
    const panels = element("div", "", "panels");
    panels.append(...pictures.map(({ url, label }) => {
      const figure = element("figure", "");
      const image = element("img", "", "picture");
      Object.assign(image, { src: url, alt: `As shown by ${label}; in orange, as the others show it` });
      figure.append(image, element("figcaption", label));
      return figure;
    }));
    const list = element("ul", "");
    list.append(...tips.map((tip) => named(element("li", ""), tip)));
    card.append(title, element("p", effect), panels, paragraph("Why:", why), paragraph("What can be done:", ""), list);
    return card;
  }
}

function element(name, text, classes = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (classes) made.className = classes;
  return made;
}

/** Adds a text whose names stand between backticks. */
function named(to, text) {
  to.append(...text.split("`").map((part, i) => (i % 2 ? element("code", part) : part)));
  return to;
}

function paragraph(title, text) {
  const made = element("p", "");
  made.append(element("strong", title), " ");
  return named(made, text);
}

/** The pose of a node in three rows: its own, by combined TRS, by matrices. */
function poseRows({ path, local, by_trs: trs, by_matrix: matrix }) {
  const vector = (numbers) => `(${numbers.join(", ")})`;
  const row = (name, cells) => {
    const made = element("tr", "");
    made.append(element("td", name), ...cells.map((cell) => element("td", cell)));
    return made;
  };
  const [position, lengths, skew] = matrix;
  return [
    row(`${path}, local`, local.map(vector)),
    row("world, combined", trs.map(vector)),
    row("world, by matrices", [vector(position), skew ? `skewed by ${skew}°` : "not skewed", `${vector(lengths)} long`]),
  ];
}
