// Find and filter columns as one types; what is chosen stays when the page is drawn anew.
"use strict";

class ColumnFilter extends HTMLElement {
  connectedCallback() {
    const [find, show, all] = ["find", "show", "tick-all"].map((id) => this.querySelector("#" + id));
    this.place = "shoal-columns " + location.pathname;
    this.querySelector(".find").hidden = false;
    this.querySelector("label.all").hidden = false;
    try { [find.value, show.value] = JSON.parse(sessionStorage.getItem(this.place) || '["", ""]'); } catch { /* as it is */ }
    if (show.selectedIndex < 0) show.value = "";
    find.addEventListener("input", () => this.apply());
    show.addEventListener("change", () => this.apply());
    find.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
    all.addEventListener("change", () => {
      for (const row of this.rows()) if (!row.hidden) row.querySelector("input[name=pick]").checked = all.checked;
    });
    this.apply();
  }

  rows() { return this.querySelectorAll("li.column"); }

  apply() {
    const words = this.querySelector("#find").value.trim().toLowerCase(), show = this.querySelector("#show").value;
    let shown = 0;
    for (const row of this.rows()) {
      const fits = !show || (show === "waiting" ? row.dataset.state !== "confirmed" : show === "unique" ? "unique" in row.dataset : row.dataset.role === show);
      row.hidden = !(fits && row.dataset.name.includes(words));
      if (!row.hidden) shown += 1; else row.querySelector("input[name=pick]").checked = false;
    }
    this.querySelector(".shown").textContent = shown + " shown";
    this.querySelector(".nothing").hidden = shown > 0;
    sessionStorage.setItem(this.place, JSON.stringify([words, show]));
  }
}
if (!customElements.get("column-filter")) customElements.define("column-filter", ColumnFilter);
