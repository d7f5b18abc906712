"use strict";
// Sends the requests of buttons, shows the HTML of the replies, and looks for news on pages that wait.
const PAUSE = 3000;
const main = document.querySelector("main");
const said = document.querySelector("#said");
let busy = false;
let timer;

const pause = () => new Promise((done) => setTimeout(done, PAUSE));

function warn(text) {
  said.textContent = text;
  said.hidden = !text;
}

async function send(request) {
  if (busy) return;
  busy = true;
  clearTimeout(timer);
  const body = JSON.stringify({ ...request, judge: main.dataset.judge });
  let reply;
  while (!reply) { // the same answer may be sent twice
    try {
      const response = await fetch("./", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      reply = await response.json();
    } catch {
      warn("The server does not answer, so your last answer may not be recorded yet. Trying again …");
      await pause();
    }
  }
  warn(reply.said || "");
  if (reply.html) show(reply.html);
  if (main.querySelector("[data-wait]")) timer = setTimeout(send, PAUSE, { ask: 1 });
  busy = false;
}

let shown;
function show(html) {
  if (html === shown) return;
  main.innerHTML = shown = html;
  window.scrollTo(0, 0);
  main.querySelector("h1").focus({ preventScroll: true });
}

async function follow() {
  await pause();
  try {
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    const next = page.querySelector("main");
    if (next.innerHTML !== main.innerHTML) main.replaceChildren(...next.childNodes);
    warn(page.querySelector("#said").textContent);
  } catch {
    warn("The server does not answer. Trying again …");
  }
  follow();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-request]");
  if (button) send(JSON.parse(button.dataset.request));
});

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input")) return;
  const button = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
});

if (main.dataset.judge) send({ ask: 1 });
if (main.querySelector(".standings")) follow();
