// What the browser does beside htmx: follow work, and keep the revision of the recipe in all forms.
"use strict";

// Progress of work in a process of its own: a plain EventSource, closed when the work or the page ends.
class JobProgress extends HTMLElement {
  static observedAttributes = ["src"];

  connectedCallback() { this.follow(); }
  disconnectedCallback() { this.stop(); }
  attributeChangedCallback() { if (this.isConnected) this.follow(); }

  stop() { if (this.events) this.events.close(); this.events = null; }

  follow() {
    this.stop();
    const events = this.events = new EventSource(this.getAttribute("src"));
    events.onmessage = (event) => this.show(JSON.parse(event.data));
  }

  show(job) {
    const [words, bar, clock] = [this.querySelector(".words"), this.querySelector("progress"), this.querySelector(".clock")];
    if (words.textContent !== job.message && job.message) words.textContent = job.message;
    if (job.done === null) bar.removeAttribute("value"); else bar.value = 100 * job.done;
    clock.textContent = seconds(job.seconds) + (job.left === null ? "" : ", about " + seconds(job.left) + " left");
    if (job.state !== "running") {
      this.stop();
      htmx.ajax("GET", location.pathname + location.search, {target: "body", swap: "innerHTML"});
    }
  }
}
customElements.define("job-progress", JobProgress);

function seconds(count) {
  const whole = Math.round(count);
  return whole < 90 ? whole + " s" : Math.floor(whole / 60) + " min " + (whole % 60) + " s";
}

// An answer that changed the recipe says its revision: all other forms of the page were made for the one before.
document.addEventListener("htmx:afterRequest", (event) => {
  const revision = event.detail.xhr && event.detail.xhr.getResponseHeader("shoal-revision");
  if (revision) for (const field of document.querySelectorAll("input[name=revision]")) field.value = revision;
});

// htmx swaps the body of a page only: the style sheets and scripts of a screen come and go here. The page is held back until they are there.
document.addEventListener("htmx:beforeSwap", (event) => {
  const page = new DOMParser().parseFromString(event.detail.serverResponse || "", "text/html");
  if (!page.querySelector("meta[name=htmx-config]")) return; // a part of a page
  const wanted = [...page.head.querySelectorAll("link[rel=stylesheet]")].map((link) => link.getAttribute("href"));
  for (const link of document.head.querySelectorAll("link[rel=stylesheet]")) {
    if (!wanted.includes(link.getAttribute("href"))) link.remove();
  }
  for (const href of wanted) {
    if (document.head.querySelector(`link[rel=stylesheet][href="${href}"]`)) continue;
    const link = Object.assign(document.createElement("link"), {rel: "stylesheet", href});
    hold(link);
    document.head.append(link);
  }
  for (const script of page.head.querySelectorAll("script[src]")) {
    const src = script.getAttribute("src");
    if (document.head.querySelector(`script[src="${src}"]`)) continue;
    document.head.append(Object.assign(document.createElement("script"), {src, async: false}));
  }
});

let held = 0;
function hold(link) {
  held += 1;
  document.documentElement.classList.add("held");
  link.onload = link.onerror = () => {
    held -= 1;
    if (!held) document.documentElement.classList.remove("held");
  };
}

// On a narrow screen the steps are wider than the page: the one we are at is in sight.
function showStep() {
  const [list, step] = [document.querySelector(".steps"), document.querySelector(".steps [aria-current]")];
  if (list && step) list.scrollLeft = step.offsetLeft - list.offsetLeft - 12;
}
document.addEventListener("DOMContentLoaded", showStep);
document.addEventListener("htmx:afterSwap", showStep);
addEventListener("resize", showStep);
