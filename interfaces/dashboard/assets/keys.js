// The keyboard, and the news that a page is out of date. Whatever has `data-key` is reached by that key; rows of a list
// have `data-row`. Nothing here knows a view.
"use strict";

let before = "";
let pause = 0;
let asking = 0;

const all = (selector) => [...document.querySelectorAll(selector)];
const typing = () => document.activeElement?.matches("input, textarea, select") ?? false;

function reach(element) {
  if (element.tagName === "DETAILS") {
    element.open = true;
    element.querySelector("input:not([type=hidden]), textarea, button")?.focus();
    element.querySelector("form")?.scrollIntoView({ block: "nearest" });
  } else if (element.matches("input, select, textarea")) {
    element.focus();
  } else {
    element.click();
  }
}

function step(by) {
  const rows = all("[data-row]");
  const at = rows.findIndex((row) => row === document.activeElement);
  const now = at >= 0 ? at : rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  const next = rows[Math.min(rows.length - 1, Math.max(0, now + by))];
  next?.focus();
  if (next && next !== rows[now]) next.click();
}

// The reasons of what has the focus, else the first that the page offers.
function whyOf(focused) {
  const way = "a[href*='/why?']";
  return focused.closest("li, tr, article")?.querySelector(way) ?? document.querySelector(`main ${way}`);
}

function close() {
  all("details[name][open]").forEach((one) => (one.open = false));
  document.activeElement?.blur();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return close();
  if (typing() || document.querySelector("dialog[open]")) return;
  if (event.key === "?") return document.getElementById("keys").showModal();
  if (!before && (event.key === "j" || event.key === "k")) return step(event.key === "j" ? 1 : -1);
  const keys = (before + " " + event.key).trim();
  const found = all("[data-key]").find((one) => one.dataset.key === keys && !one.hidden);
  const more = all("[data-key]").some((one) => one.dataset.key.startsWith(keys + " "));
  clearTimeout(pause);
  before = !found && more ? keys : "";
  pause = setTimeout(() => (before = ""), 1500);
  if (found) {
    event.preventDefault();
    reach(found);
  } else if (keys === "r") {
    refresh(true);
  } else if (keys === "w") {
    whyOf(document.activeElement)?.click();
  }
}

// Whoever has only put the cursor into the box of the chat has written nothing that could be lost.
const writing = () => typing() && !(document.activeElement.id === "say" && !document.activeElement.value);

// What was written into an editor and not saved.
const unsaved = () => all("[data-guarded]").filter((one) => one.value !== one.defaultValue);

const busy = () =>
  asking > 0 || writing() || unsaved().length || document.querySelector("details[open], dialog[open]") || getSelection().toString();

async function refresh(isAsked) {
  const here = location.href;
  const page = await fetch(here).then((answer) => answer.text()).catch(() => null);
  // Whoever began to answer, or went elsewhere, meanwhile keeps what is on the screen.
  if (page === null || here !== location.href || (!isAsked && busy())) return;
  htmx.swap(document.body, page, { swapStyle: "innerHTML" });
}

function changed() {
  const news = document.getElementById("news");
  if (!busy()) return refresh(false);
  if (news) {
    news.href = location.href;
    news.hidden = false;
  }
}

// Whoever leaves an editor is asked first; the editor's own form saves.
document.addEventListener("htmx:beforeRequest", (event) => {
  const left = unsaved().some((one) => one.form !== event.target);
  if (left && !confirm("Leave without saving?")) event.preventDefault();
});
addEventListener("beforeunload", (event) => unsaved().length && event.preventDefault());
// An editor with a fault opens at its line.
function showFault() {
  const text = document.querySelector("[data-guarded]");
  const fault = document.getElementById("faults")?.textContent.match(/Line (\d+):/);
  if (!text || !fault) return;
  const lines = text.value.split("\n").slice(0, fault[1]);
  const end = lines.join("\n").length;
  text.focus();
  text.setSelectionRange(end - lines.at(-1).length, end);
  text.scrollTop = (fault[1] - 4) * parseFloat(getComputedStyle(text).lineHeight);
}
document.addEventListener("htmx:afterSettle", showFault);
showFault();
document.addEventListener("htmx:beforeRequest", (event) => event.defaultPrevented || (asking += 1));
document.addEventListener("htmx:afterRequest", () => (asking -= 1));
document.addEventListener("keydown", pressed);
// A form that sends itself when a choice is made; without script it has a button.
document.addEventListener("change", (event) => event.target.closest("[data-sends]")?.form.requestSubmit());
new EventSource(document.body.dataset.changes).addEventListener("changed", changed);
