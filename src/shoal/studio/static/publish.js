// A text with a button that copies it.
"use strict";

if (!customElements.get("copy-text")) {
  customElements.define("copy-text", class extends HTMLElement {
    connectedCallback() {
      const button = this.querySelector("button");
      if (!navigator.clipboard || !button) return;
      button.hidden = false;
      button.onclick = async () => {
        await navigator.clipboard.writeText(this.querySelector("code").textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      };
    }
  });
}
