// The script of a report: sorting, searching, copying, and drawing the tree that is asked for.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Patterns: sort and search.
  const gallery = byId("gallery");
  const cards = gallery ? [...gallery.children] : [];
  const number = (card, key) => Number(card.dataset[key]);
  const orders = {
    rank: (a, b) => number(a, "rank") - number(b, "rank"),
    support: (a, b) => number(b, "support") - number(a, "support"),
    effect: (a, b) => number(b, "effect") - number(a, "effect"),
    down: (a, b) => number(a, "effect") - number(b, "effect"),
    size: (a, b) => number(b, "size") - number(a, "size"),
    splits: (a, b) => number(b, "splits") - number(a, "splits"),
  };
  byId("sort")?.addEventListener("change", (event) => {
    const order = orders[event.target.value];
    cards.sort((a, b) => order(a, b) || orders.rank(a, b));
    gallery.append(...cards);
  });
  byId("search")?.addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      const text = card.dataset.text.toLowerCase();
      card.hidden = !words.every((word) => text.includes(word));
      shown += card.hidden ? 0 : 1;
    }
    byId("shown").textContent = `${shown} of ${cards.length} patterns`;
  });

  // Copy buttons.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Where the browser gives no clipboard: select and copy the old way.
      const area = make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    if (!button) return;
    await copy(button.dataset.copy);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });

  // Trees.
  const drawn = byId("drawn-tree");
  if (!drawn) return;
  const data = JSON.parse(byId("data").textContent);
  const input = byId("tree");
  const OPEN_LEVELS = 3;

  const thumb = (pattern) => {
    const svg = document.querySelector(`#p${pattern} .picture svg`);
    if (!svg) return "";
    const frame = make("span", "thumb");
    frame.append(svg.cloneNode(true));
    return frame;
  };
  const cover = (n) => make("span", "cover", ` (${n} training ${data.noun}${n === 1 ? "" : "s"})`);

  // `nodes` is a list from the root, yes before no; `next` walks along it.
  const branch = (next, answer, level) => {
    const item = make("li");
    const node = next();
    const start = make("span", "answer", answer);
    if (node.length === 2) {
      const leaf = make("div", "leaf");
      const value = make("b", node[0] >= 0 ? "up" : "down", (node[0] >= 0 ? "+" : "−") + Math.abs(node[0]));
      leaf.append(start, value, cover(node[1]));
      item.append(leaf);
      return item;
    }
    const [pattern, atLeast, count] = node;
    const details = make("details");
    details.open = level < OPEN_LEVELS;
    const summary = make("summary");
    const times = atLeast > 1 ? ` at least ${atLeast} times?` : "?";
    summary.append(start, thumb(pattern), make("code", "", data.patterns[pattern]), times, cover(count));
    const below = make("ul");
    below.append(branch(next, "yes", level + 1), branch(next, "no", level + 1));
    details.append(summary, below);
    item.append(details);
    return item;
  };
  const show = (wanted) => {
    const index = Math.min(Math.max(Math.round(wanted) || 1, 1), data.trees.length);
    input.value = index;
    const nodes = data.trees[index - 1][Symbol.iterator]();
    const list = make("ul");
    list.append(branch(() => nodes.next().value, "", 0));
    drawn.replaceChildren();
    if (data.outputs.length) {
      const output = data.outputs[(index - 1) % data.outputs.length];
      drawn.append(make("p", "note", `Adds to the score of ${output}.`));
    }
    drawn.append(list);
  };
  byId("previous").addEventListener("click", () => show(Number(input.value) - 1));
  byId("next").addEventListener("click", () => show(Number(input.value) + 1));
  input.addEventListener("change", () => show(Number(input.value)));
  show(1);
})();
