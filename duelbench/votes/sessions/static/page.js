"use strict";
// Sends the requests of buttons, shows the HTML of the replies, and looks for news on pages that wait.
const PAUSE = 3000; // milliseconds
const UNSEEN = 400; // for so long after it appears a question takes no answer
const main = document.querySelector("main");
const said = document.querySelector("#said");
let busy = false;
let shown;
let timer;

const sleep = (time) => new Promise((done) => setTimeout(done, time));

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
      const read = await response.json();
      if (response.status < 500) reply = read;
      else warn(`${read.said} Trying again …`);
    } catch {
      warn("The server does not answer, so your last answer may not be recorded yet. Trying again …");
    }
    if (!reply) await sleep(PAUSE);
  }
  warn(reply.said || "");
  if (reply.html && reply.html !== shown) await show(reply.html);
  if (main.querySelector("[data-wait]")) timer = setTimeout(send, PAUSE, { ask: 1 });
  busy = false;
}

async function show(html) {
  main.innerHTML = shown = html;
  main.ariaBusy = "true";
  window.scrollTo(0, 0);
  main.querySelector("h1").focus({ preventScroll: true });
  const images = [...main.querySelectorAll("img")].map((image) => image.decode());
  await Promise.all(images).catch(() => warn("An image cannot be shown: please load this page again, or skip."));
  await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  await sleep(UNSEEN);
  main.ariaBusy = "false";
}

async function follow() {
  await sleep(PAUSE);
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
  const { key, target, repeat, shiftKey, ctrlKey, altKey, metaKey } = event;
  if (repeat || shiftKey || ctrlKey || altKey || metaKey || target.closest("input, pre")) return;
  const page = document.documentElement;
  if (key === "ArrowDown" && page.scrollHeight > page.clientHeight) return;
  const button = document.querySelector(`[data-key~="${CSS.escape(key.toLowerCase())}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
});

if (main.dataset.judge) send({ ask: 1 });
if (main.querySelector(".standings")) follow();
