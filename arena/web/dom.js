"use strict";
// What the scripts of all pages use: an element by its id, a new element with its text.
const $ = (id) => document.getElementById(id);
const make = (tag, text, kind) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
};
// A button that takes long says so; the page that comes takes the words away.
document.addEventListener("submit", (event) => {
  const words = event.submitter && event.submitter.dataset.busy;
  if (!words) return;
  const told = make("p", words, "note");
  told.setAttribute("role", "status");
  event.target.append(told);
});
