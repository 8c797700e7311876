// Borders between the bars of a histogram: drawn here while they move, and sent when they are let go.
"use strict";

if (!customElements.get("border-chart")) {
  const [WIDTH, LEFT, RIGHT, TOP, BOTTOM, HEIGHT] = [960, 12, 948, 8, 208, 262]; // as charts/ranges.py draws
  const [INK, MUTED] = ["#1b2430", "#55606e"]; // of the light palette; the page has their dark counterparts
  const PAUSE = 700; // milliseconds without a key before a change by keyboard is sent

  const plain = (number) => String(Number(number.toPrecision(12)));

  const wide = (words, size) => words.length * size * 0.6;

  class BorderChart extends HTMLElement {
    connectedCallback() {
      const data = this.dataset;
      [this.low, this.high, this.width] = [Number(data.low), Number(data.high), Number(data.width)];
      this.level = Number(data.level);
      this.whole = data.whole === "1";
      this.points = JSON.parse(data.points);
      this.form = this.closest("form");
      this.svg = this.querySelector("svg");
      this.svg.querySelector(".borders").replaceChildren(); // the handles are the borders now
      this.colours = [...this.svg.querySelectorAll(".bands rect")].slice(0, 2).map((band) => band.getAttribute("fill"));
      if (this.colours.length < 2) this.colours = ["#eef1f4", "#fdf0d9"];
      this.borders = this.read(this.level);
      this.addEventListener("click", (event) => this.clicked(event));
      this.draw();
    }

    disconnectedCallback() { clearTimeout(this.timer); }

    // ---- the fields of the form, one for each step -------------------------------------------------------------------
    field(level) { return this.form.elements["borders-" + level]; }

    read(level) {
      const parts = this.field(level).value.split(/[\s,;]+/).filter((part) => part !== "").map(Number);
      return [...new Set(parts.filter((one) => one > this.low && one < this.high))].sort((a, b) => a - b);
    }

    // A border of a coarse step is one of the finer steps too: what is added goes down, what is taken away goes up.
    write(before, after) {
      for (let level = 0; this.field(level); level++) {
        let borders = this.read(level);
        const had = before !== null && borders.includes(before);
        if (before !== null && (after !== null || level >= this.level)) borders = borders.filter((one) => one !== before);
        if (after !== null && (before === null ? level <= this.level : had)) borders.push(after);
        borders = [...new Set(borders)].sort((a, b) => a - b);
        this.field(level).value = borders.map(plain).join(", ");
        const stair = document.querySelector(`#stair-${level + 1} .note`);
        if (stair) stair.textContent = borders.length + 1 + (borders.length ? " ranges" : " range");
      }
      this.borders = this.read(this.level);
    }

    // ---- drawing -----------------------------------------------------------------------------------------------------
    across(value) { return LEFT + (RIGHT - LEFT) * (value - this.low) / (this.high - this.low); }

    valueAt(event) {
      const box = this.svg.getBoundingClientRect();
      const across = (event.clientX - box.left) / box.width * WIDTH;
      return this.low + (across - LEFT) / (RIGHT - LEFT) * (this.high - this.low);
    }

    snap(value) {
      const unit = this.width;
      const near = Math.round((value - this.low) / unit) * unit + this.low;
      return Number(Math.min(Math.max(near, this.low + unit), this.high - unit).toPrecision(12));
    }

    people(from, to) {
      let sum = 0;
      for (const [value, count] of this.points) if (value >= from && value < to) sum += count;
      return sum;
    }

    name(from, to) { return this.whole ? plain(from) + "-" + plain(to - 1) : "[" + plain(from) + ", " + plain(to) + "["; }

    draw() {
      const edges = [this.low, ...this.borders, this.high];
      const ranges = edges.slice(1).map((to, i) => ({start: this.across(edges[i]), end: this.across(to), lines: [this.people(edges[i], to).toLocaleString("en"), this.name(edges[i], to)]}));
      const bands = ranges.map(({start, end}, i) => element("rect", {x: start, y: TOP, width: end - start, height: BOTTOM - TOP, fill: this.colours[i % 2]}));
      this.svg.querySelector(".bands").replaceChildren(...bands);
      this.svg.querySelector(".labels").replaceChildren(...this.labels(ranges, edges));
      this.place();
    }

    // People and name below each range; where one of them is too narrow, the borders alone, as many as have room.
    labels(ranges, edges) {
      const label = (x, y, words, size, fill) => {
        const fresh = element("text", {x, y, "font-size": size, "text-anchor": "middle", fill});
        fresh.textContent = words;
        return fresh;
      };
      if (ranges.every(({start, end, lines}) => lines.every((words) => wide(words, 14) <= end - start - 4)))
        return ranges.flatMap(({start, end, lines}) => lines.map((words, row) => label((start + end) / 2, BOTTOM + 24 + 20 * row, words, 14, row ? MUTED : INK)));
      let free = 0;
      return edges.flatMap((edge) => {
        const [x, words] = [this.across(edge), plain(edge)];
        const half = wide(words, 13) / 2;
        if (x - half < free) return [];
        free = x + half + 4;
        return [label(Math.min(Math.max(x, half), WIDTH - half), BOTTOM + 24, words, 13, MUTED)];
      });
    }

    // As many handles as borders; those that are there stay, so that the one with the focus keeps it.
    place() {
      const handles = [...this.querySelectorAll(".handle")];
      while (handles.length > this.borders.length) handles.pop().remove();
      while (handles.length < this.borders.length) { const fresh = this.handle(); this.append(fresh); handles.push(fresh); }
      this.borders.forEach((border, i) => {
        const one = handles[i];
        one.value = border;
        one.style.left = 100 * this.across(border) / WIDTH + "%";
        one.style.height = 100 * (BOTTOM + 8) / HEIGHT + "%";
        const [before, after] = [this.borders[i - 1] ?? this.low, this.borders[i + 1] ?? this.high];
        const said = plain(border) + ": " + this.people(before, border).toLocaleString("en") + " people below it, " + this.people(border, after).toLocaleString("en") + " from it on";
        const facts = {"aria-label": "Border " + (i + 1) + " of " + this.borders.length, "aria-valuenow": border, "aria-valuemin": before, "aria-valuemax": after, "aria-valuetext": said};
        for (const [name, value] of Object.entries(facts)) one.setAttribute(name, value);
        one.querySelector(".tip").textContent = plain(border);
      });
    }

    handle() {
      const handle = document.createElement("div");
      handle.className = "handle";
      handle.setAttribute("role", "slider");
      handle.setAttribute("aria-orientation", "horizontal");
      handle.tabIndex = 0;
      const tip = document.createElement("span");
      tip.className = "tip";
      tip.setAttribute("aria-hidden", "true");
      handle.append(tip);
      handle.addEventListener("pointerdown", (event) => this.grab(handle, event));
      handle.addEventListener("keydown", (event) => this.key(handle, event));
      handle.addEventListener("click", (event) => event.stopPropagation());
      return handle;
    }

    // ---- what a person does ------------------------------------------------------------------------------------------
    clicked(event) {
      const value = this.snap(this.valueAt(event));
      if (this.borders.includes(value) || value <= this.low || value >= this.high) return;
      this.write(null, value);
      this.draw();
      this.send("Border added at " + plain(value));
    }

    grab(handle, event) {
      event.preventDefault();
      handle.focus();
      handle.setPointerCapture(event.pointerId);
      handle.classList.add("held");
      const start = event.clientX;
      let moved = false;
      const move = (drag) => {
        if (Math.abs(drag.clientX - start) > 3) moved = true;
        if (moved) this.move(handle, this.snap(this.valueAt(drag)));
      };
      const end = () => {
        handle.removeEventListener("pointermove", move);
        handle.removeEventListener("pointerup", end);
        handle.removeEventListener("pointercancel", end);
        handle.classList.remove("held");
        if (moved) this.send("Border moved to " + plain(handle.value)); else this.remove_(handle);
      };
      handle.addEventListener("pointermove", move);
      handle.addEventListener("pointerup", end);
      handle.addEventListener("pointercancel", end);
    }

    // Between its neighbours: borders do not pass each other.
    move(handle, value) {
      const i = this.borders.indexOf(handle.value);
      const [before, after] = [this.borders[i - 1] ?? this.low, this.borders[i + 1] ?? this.high];
      if (i < 0 || value <= before || value >= after || value === handle.value) return;
      this.write(handle.value, value);
      this.draw();
    }

    remove_(handle) {
      if (this.borders.length === 1) { this.say("The last border stays. To hide the values entirely, choose that rule."); return; }
      const value = handle.value;
      this.write(value, null);
      this.draw();
      this.send("Border at " + plain(value) + " removed");
    }

    key(handle, event) {
      const steps = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5}[event.key];
      if (steps) {
        event.preventDefault();
        this.move(handle, this.snap(handle.value + steps * this.width));
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.send(""), PAUSE);
      } else if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        this.remove_(handle);
      }
    }

    say(words) { const place = document.getElementById("said"); if (place && words) place.textContent = words; }

    send(words) {
      this.say(words);
      clearTimeout(this.timer);
      htmx.ajax("POST", this.form.getAttribute("action"), {source: this.form, target: "#outcome", swap: "outerHTML"});
    }
  }
  customElements.define("border-chart", BorderChart);

  function element(tag, attributes) {
    const fresh = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) fresh.setAttribute(name, value);
    return fresh;
  }

  // htmx copies a page that it leaves, and a copy of a place in percent would be a style that the page may not bring.
  document.addEventListener("htmx:beforeHistorySave", () => {
    for (const handle of document.querySelectorAll(".handle")) handle.remove();
  });

  // In a long list, the column that is open can be seen.
  document.addEventListener("htmx:load", () => {
    const list = document.querySelector(".list");
    const open = list && list.querySelector("[aria-current]");
    if (open && list.dataset.seen !== open.href) {
      list.dataset.seen = open.href;
      list.scrollTop = open.offsetTop - list.offsetTop - list.clientHeight / 3;
    }
  });

  // A change that was kept can be taken back.
  document.addEventListener("htmx:afterRequest", (event) => {
    const xhr = event.detail.xhr;
    if (xhr && xhr.status === 200 && xhr.getResponseHeader("shoal-revision") && !xhr.responseURL.endsWith("/values") && event.detail.requestConfig.verb === "post") {
      const undo = document.querySelector(".tools button[disabled]");
      if (undo) undo.disabled = false;
    }
  });
}
