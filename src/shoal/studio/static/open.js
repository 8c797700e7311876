// A file that is dropped on the zone is opened at once; a large one takes a while to read, and a clock shows that it goes on.
"use strict";

class DropZone extends HTMLElement {
  connectedCallback() {
    const field = this.querySelector("input[type=file]");
    this.addEventListener("dragover", (event) => { event.preventDefault(); this.classList.add("over"); });
    this.addEventListener("dragleave", () => this.classList.remove("over"));
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      this.classList.remove("over");
      if (event.dataTransfer.files.length !== 1) { this.say("One file at a time, please. For several tables write the path of their folder."); return; }
      field.files = event.dataTransfer.files;
      if (this.fits(field.files[0])) field.form.requestSubmit();
    });
    field.addEventListener("change", () => { if (field.files.length) this.fits(field.files[0]); });
    field.form.addEventListener("submit", (event) => {
      if (field.files.length && !this.fits(field.files[0])) event.preventDefault();
    });
  }

  fits(file) {
    if (file.size <= Number(this.dataset.most)) { this.say(""); return true; }
    this.say("This file is too large to drop. Write its path instead: then nothing is copied.");
    return false;
  }

  say(text) { this.querySelector(".said").textContent = text; }
}
if (!customElements.get("drop-zone")) customElements.define("drop-zone", DropZone);

document.addEventListener("submit", (event) => {
  const place = event.target.querySelector(".reading");
  const refused = event.defaultPrevented && event.target.getAttribute("hx-boost") === "false"; // htmx prevents the others
  if (!place || refused) return;
  const [words, clock] = place.children, began = Date.now();
  words.textContent = "Reading your data …";
  const timer = setInterval(() => {
    if (place.isConnected) clock.textContent = seconds((Date.now() - began) / 1000);
    else clearInterval(timer);
  }, 1000);
});
