"use strict";
const words = document.querySelector("#report").dataset;
const cellOf = (row, at) => row.cells[at];
const keyOf = (cell) => cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
const compare = (one, other) => typeof one === "number" && typeof other === "number"
  ? one - other : String(one).localeCompare(String(other), undefined, { numeric: true });
for (const table of document.querySelectorAll("table.data")) {
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending" && head.classList.contains("number")
        || head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].sort((one, other) => compare(keyOf(cellOf(one, at)), keyOf(cellOf(other, at))));
      table.tBodies[0].append(...(down ? rows.reverse() : rows));
    });
  });
}
const students = document.querySelector("#table-students");
if (students) {
  const label = document.createElement("label");
  label.className = "search";
  const input = document.createElement("input");
  input.type = "search";
  label.append(words.search, input);
  students.parentElement.before(label);
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    for (const row of students.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
addEventListener("hashchange", () => {
  const list = document.querySelector(".people:target");
  if (list) list.focus({ preventScroll: true });
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.querySelector(".people:target")) history.back();
});
