// Forms with `data-streams`: the reply comes as server-sent events, and the page is shown from the records at the end.
// Without this script the same form is sent as any form is. `asking`, from keys.js, keeps the page from reloading meanwhile.
"use strict";

const toEnd = () => document.getElementById("end") && !location.search.includes("limit=") && scrollTo(0, document.body.scrollHeight);

function line(log, text, kind) {
  const one = document.createElement("p");
  one.className = kind;
  one.textContent = text;
  log.append(one);
  return one;
}

// Yields name and text of each event of an answer.
async function* heard(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const [name, data] = part.split("\ndata: ");
      yield [name.slice("event: ".length), JSON.parse(data)];
    }
  }
}

async function follow(form, log) {
  const answer = await fetch(form.action, {
    method: "POST",
    headers: { Accept: "text/event-stream" },
    body: new URLSearchParams(new FormData(form)),
  });
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) return { wrong: `The server answered ${answer.status}.` };
  const status = line(log, "…", "status");
  let draft = null;
  for await (const [name, text] of heard(answer)) {
    if (name === "wrong") return { wrong: text };
    if (name === "done") return { done: text };
    if (name === "status") status.textContent = `${text}…`;
    if (name === "line") status.before(Object.assign(document.createElement("p"), { textContent: text }));
    if (name === "draft") (draft ??= line(log, "", "draft")).textContent += text;
    toEnd();
  }
  return { wrong: "The connection broke. Reload the page to see what is on record." };
}

async function stream(form) {
  const log = document.getElementById("live");
  const buttons = [...document.querySelectorAll("form[data-streams] button")];
  const said = form.querySelector("textarea");
  document.getElementById("refused").hidden = true;
  log.replaceChildren();
  log.hidden = false;
  if (said) line(log, said.value, "mine");
  buttons.forEach((one) => (one.disabled = true));
  asking += 1;
  toEnd();
  const { wrong, done } = await follow(form, log).catch(() => ({ wrong: "The server does not answer. Your text is still here." }));
  asking -= 1;
  buttons.forEach((one) => (one.disabled = false));
  if (wrong) {
    log.hidden = true;
    Object.assign(document.getElementById("refused"), { textContent: wrong, hidden: false });
    return;
  }
  if (said) said.value = "";
  const show = new URL(log.dataset.show, location.href);
  if (done) show.searchParams.set("done", done);
  const page = await fetch(show);
  htmx.swap(document.body, await page.text(), { swapStyle: "innerHTML" });
  history.replaceState(history.state, "", show);
  setTimeout(() => (toEnd(), document.getElementById("say")?.focus({ preventScroll: true })), 50);
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-streams]")) return;
  event.preventDefault();
  stream(event.target);
});
document.addEventListener("keydown", (event) => {
  if (event.target.id !== "say" || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});
// The server takes 4 MB at most; the browser says so before it sends a larger file.
document.addEventListener("change", (event) => {
  if (event.target.type !== "file") return;
  const isLarge = event.target.files[0]?.size > 4_190_000;
  event.target.setCustomValidity(isLarge ? "Choose a file of at most 4 MB." : "");
});
document.addEventListener("htmx:afterSettle", toEnd);
toEnd();
