// The index of many scenes: search, filters, order, and a link to what is seen.

document.documentElement.classList.add("scripted");

/** How many rows are shown at first, and how many more at a time: to lay out thousands takes a second. */
const AT_A_TIME = 100;

class Index {
  constructor(table) {
    this.body = table.tBodies[0];
    this.rows = [...this.body.rows].map((row, place) => ({ row, place, text: row.textContent.toLowerCase() }));
    this.order = this.rows;
    this.search = document.querySelector("#search");
    this.chips = [...document.querySelectorAll("[data-filter]")];
    this.status = document.querySelector("#shown");
    this.more = document.querySelector("#more");
    this.headings = [...table.tHead.rows[0].cells];
    this.sorted = { column: null, descends: false };
    this.headings.forEach((heading, column) => this.addSorting(heading, column));
    this.search.addEventListener("input", () => this.filter());
    for (const chip of this.chips) {
      chip.addEventListener("click", () => {
        chip.setAttribute("aria-pressed", String(chip.ariaPressed !== "true"));
        this.filter();
      });
    }
    document.querySelector("#clear").addEventListener("click", () => this.clear());
    this.more.addEventListener("click", () => this.show(this.shown + AT_A_TIME));
    this.readAddress();
    table.classList.add("ready");
  }

  addSorting(heading, column) {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const { sorted } = this;
      const isAgain = sorted.column === column;
      // Names from A on, figures from the largest on; again, the other way around.
      this.sorted = { column, descends: isAgain ? !sorted.descends : heading.dataset.sort === "number" };
      this.sort();
      this.filter();
    });
  }

  sort() {
    const { column, descends } = this.sorted;
    this.headings.forEach((heading, place) => {
      if (place === column) heading.ariaSort = descends ? "descending" : "ascending";
      else heading.removeAttribute("aria-sort");
    });
    if (column === null) this.order = this.rows;
    else {
      const isNumber = this.headings[column].dataset.sort === "number";
      const collator = new Intl.Collator(undefined, { numeric: true });
      const keyed = this.rows.map((entry) => {
        const cell = entry.row.cells[column];
        return { entry, key: isNumber ? Number(cell.dataset.value) : cell.textContent };
      });
      const compare = isNumber ? (a, b) => a.key - b.key : (a, b) => collator.compare(a.key, b.key);
      keyed.sort((a, b) => (descends ? -compare(a, b) : compare(a, b)) || a.entry.place - b.entry.place);
      this.order = keyed.map(({ entry }) => entry);
    }
    this.body.append(...this.order.map(({ row }) => row));
  }

  /** What is chosen, by what is filtered by. */
  chosen() {
    const chosen = new Map();
    for (const chip of this.chips.filter((chip) => chip.ariaPressed === "true")) {
      const { filter, value } = chip.dataset;
      chosen.set(filter, [...(chosen.get(filter) ?? []), value]);
    }
    return chosen;
  }

  filter() {
    const chosen = this.chosen();
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (row, filter, values) => {
      const own = (row.dataset[filter] ?? "").split("\n");
      return values.some((value) => own.includes(value));
    };
    const named = this.order.filter(({ text }) => words.every((word) => text.includes(word)));
    const among = (chosen) => named.filter(({ row }) => chosen.every(([filter, values]) => has(row, filter, values)));
    this.found = among([...chosen]);
    // A chip says how many rows it would add to, with all that is chosen elsewhere.
    for (const filter of new Set(this.chips.map((chip) => chip.dataset.filter))) {
      const others = among([...chosen].filter(([other]) => other !== filter));
      for (const chip of this.chips.filter((chip) => chip.dataset.filter === filter)) {
        const count = others.filter(({ row }) => has(row, filter, [chip.dataset.value])).length;
        chip.querySelector("small").textContent = String(count);
      }
    }
    const isFiltered = words.length > 0 || chosen.size > 0;
    const [found, all] = [this.found.length, this.rows.length];
    this.status.textContent = found === 0 ? "No scene matches." : isFiltered ? `${found} of ${all} scenes` : `${all} ${all === 1 ? "scene" : "scenes"}`;
    document.querySelector("#clear").hidden = !isFiltered && this.sorted.column === null;
    this.show(AT_A_TIME);
    this.writeAddress(chosen);
  }

  show(count) {
    this.shown = Math.min(count, this.found.length);
    const shown = new Set(this.found.slice(0, this.shown));
    for (const entry of this.rows) entry.row.hidden = !shown.has(entry);
    const rest = this.found.length - this.shown;
    this.more.hidden = rest === 0;
    this.more.textContent = `Show ${Math.min(AT_A_TIME, rest)} more of ${rest}`;
  }

  clear() {
    this.search.value = "";
    for (const chip of this.chips) chip.setAttribute("aria-pressed", "false");
    this.sorted = { column: null, descends: false };
    this.sort();
    this.filter();
  }

  writeAddress(chosen) {
    const address = new URLSearchParams();
    if (this.search.value) address.set("search", this.search.value);
    for (const [filter, values] of chosen) for (const value of values) address.append(filter, value);
    const { column, descends } = this.sorted;
    if (column !== null) address.set("sort", `${descends ? "-" : ""}${this.headings[column].textContent}`);
    // Where a page may not change its address, it is read all the same.
    try {
      history.replaceState(null, "", `#${address}`);
    } catch {}
  }

  readAddress() {
    const address = new URLSearchParams(location.hash.slice(1));
    this.search.value = address.get("search") ?? "";
    for (const chip of this.chips) {
      const { filter, value } = chip.dataset;
      chip.setAttribute("aria-pressed", String(address.getAll(filter).includes(value)));
    }
    const sort = address.get("sort") ?? "";
    const column = this.headings.findIndex(({ textContent }) => textContent === sort.replace("-", ""));
    if (column >= 0) this.sorted = { column, descends: sort.startsWith("-") };
    this.sort();
    this.filter();
  }
}

document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("#scenes");
  if (table) new Index(table);
});
