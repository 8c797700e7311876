// A slider of per cent says its number while it moves; the sentence below it follows when it rests.
"use strict";

class PercentSlider extends HTMLElement {
  connectedCallback() { this.addEventListener("input", this); }
  disconnectedCallback() { this.removeEventListener("input", this); }
  handleEvent() { this.querySelector("output").textContent = this.querySelector("input").value + "\u00a0%"; }
}
if (!customElements.get("percent-slider")) customElements.define("percent-slider", PercentSlider);
