#!/usr/bin/env node
// Measures in Chromium how soon the dashboard can be used: the first page, a filter while typing,
// scrolling, a jump to the end of the list, a run with millions of kernels, the charts of runs with millions of points,
// live figures.
//   bench/measure_pages.mjs [--runs 100000] [--kernels 5000000] [--points 1000000] [--live 16000] [--home FOLDER]
// With --home, its store and its run with a trace are used; without, both are generated.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { chromium } = createRequire(join(root, "web/package.json"))("playwright-core");
const tacho = process.env.TACHO ?? join(root, "build/bin/tacho");
const { values: options } = parseArgs({ options: {
  runs: { type: "string", default: "100000" }, kernels: { type: "string", default: "5000000" },
  points: { type: "string", default: "1000000" }, live: { type: "string", default: "16000" }, home: { type: "string" },
} });
const kernels = Number(options.kernels);
const rounds = 7;
const tracedKey = "20261115-000000-abcdef";

const home = options.home ?? mkdtempSync(join(tmpdir(), "tacho-bench-"));
const env = { ...process.env, TACHO_HOME: home };
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const say = (what, times) => console.log(`${what.padEnd(50)} median ${median(times).toFixed(0).padStart(6)} ms   most ${Math.max(...times).toFixed(0).padStart(6)} ms`);

if (!existsSync(join(home, "tacho.db"))) {
  execFileSync(join(root, "build/test-bin/made_store"), [join(home, "tacho.db"), options.runs]);
}
const traced = join(home, "runs", tracedKey);
if (kernels > 0 && !existsSync(traced)) {
  mkdirSync(join(traced, "gpu"), { recursive: true });
  writeFileSync(join(traced, "spec.json"), JSON.stringify({
    version: 1, key: tracedKey, created_at: 1.7e9,
    spec: { model: "resnet50", data: "imagenet", batch: 64, epochs: 1, optimizer: { kind: "sgd", learning_rate: 0.1 }, seed: 1, device: "cuda", mkldnn: "auto" },
  }));
  execFileSync(join(root, "build/test-bin/made_gpu_trace"), [join(traced, "gpu/7.tgt"), "healthy", String(kernels)]);
  execFileSync(tacho, ["runs", "ingest", traced], { env });
}

async function startServer() {
  const server = spawn(tacho, ["serve", "--port", "0", "--no-token"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((done) => server.stdout.once("data", (bytes) => done(String(bytes))));
  const stop = () => new Promise((done) => {
    server.on("exit", done);
    server.kill("SIGTERM");
  });
  return { url: /http:\S+/.exec(line)[0].replace(/\/$/, ""), stop };
}

const firstRow = ".run-table .row a";
let server = await startServer();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const fresh = async () => (await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 800 } })).newPage();

async function measureFirstPage() {
  await (await fresh()).goto("/"); // the browser itself starts once
  const first = [];
  for (let i = 0; i < rounds; ++i) {
    const page = await fresh();
    const begin = performance.now();
    await page.goto("/", { waitUntil: "commit" });
    await page.locator(firstRow).first().waitFor();
    first.push(performance.now() - begin);
    await page.close();
  }
  say("first page, rows shown", first);
}

// Measured in the page: from a key press to the displayed result.
async function measureFilter(page) {
  const typed = [];
  const letters = [..."resnet50 top1>0.7"].map((_, i, all) => all.slice(0, i + 1).join(""));
  for (const text of [...letters, "batch=64 lstm", "cuda top1>0.9 step_s<0.01", "vgg outcome=ok"]) {
    const took = await page.evaluate((words) => new Promise((done) => {
      const tally = document.querySelector(".tally");
      const box = document.querySelector("input[type=search]");
      const begin = performance.now();
      const asked = performance.getEntriesByType("resource").length;
      const look = () => {
        const answered = performance.getEntriesByType("resource").length > asked && /\d/.test(tally.textContent);
        if (answered) requestAnimationFrame(() => done(performance.now() - begin));
        else if (performance.now() - begin < 1000) requestAnimationFrame(look);
        else done(undefined); // an incomplete condition sends no request
      };
      box.value = words;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      look();
    }), text);
    if (took !== undefined) typed.push(took);
  }
  say(`a filter is typed, its matches shown (${typed.length} keys)`, typed);
}

// Scrolls half a window per frame, then jumps: like a wheel and a dragged scroll bar.
async function measureScrolling(page) {
  const frames = await page.evaluate(() => new Promise((done) => {
    const table = document.querySelector(".run-table");
    const times = [];
    let last;
    const step = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      if (times.length >= 300) return done(times);
      table.scrollTop += times.length < 200 ? table.clientHeight / 2 : table.scrollHeight / 100;
      requestAnimationFrame(step);
    };
    table.scrollTop = 0;
    requestAnimationFrame(step);
  }));
  const sorted = [...frames].sort((a, b) => a - b);
  console.log(`${"300 frames of scrolling".padEnd(46)} median ${median(frames).toFixed(0).padStart(6)} ms   99 % below ${sorted[Math.floor(sorted.length * 0.99)].toFixed(0)} ms, ${frames.filter((t) => t > 50).length} longer than 50 ms`);
  const jumped = [];
  for (const part of [1, 0.5, 0.25, 0.75, 0.1]) {
    jumped.push(await page.evaluate((where) => new Promise((done) => {
      const table = document.querySelector(".run-table");
      const begin = performance.now();
      table.scrollTop = table.scrollHeight * where;
      const look = () => {
        const moved = Math.abs(table.scrollTop - Math.min(table.scrollHeight * where, table.scrollHeight - table.clientHeight)) < 2;
        if (moved && performance.now() - begin > 1 && !table.querySelector(".blank") && table.querySelector(".row")) done(performance.now() - begin);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(() => requestAnimationFrame(look));
    }), part));
  }
  say("a jump anywhere in the list, rows shown", jumped);
}

async function measureOpening() {
  const run = await fresh();
  const begin = performance.now();
  await run.goto(`/runs/${tracedKey}`, { waitUntil: "commit" });
  await run.locator(".timeline canvas").waitFor({ timeout: 120_000 });
  await run.waitForFunction(() => / kernels; wheel/.test(document.querySelector(".timeline .tools").textContent)
    && !/ 0 kernels/.test(document.querySelector(".timeline .tools").textContent), undefined, { timeout: 120_000 });
  const opened = performance.now() - begin;
  const answered = run.waitForResponse(/timeline\?from/);
  const at = performance.now();
  await run.getByLabel("Zoom in").click();
  await answered;
  const zoomed = performance.now() - at;
  await run.close();
  return { opened, zoomed };
}

// A training with this many steps, and a program that logged as many figures.
function makeLongRuns(points) {
  const folder = join(home, "runs", "20261115-000001-abcdef");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "spec.json"), JSON.stringify({
    version: 1, key: "20261115-000001-abcdef", created_at: 1.7e9,
    spec: { model: "resnet50", data: "imagenet", batch: 64, epochs: 1, optimizer: { kind: "sgd", learning_rate: 0.1 }, seed: 1, device: "cuda", mkldnn: "auto" },
  }));
  const chunk = 1000;
  const events = Array.from({ length: points / chunk }, (_, i) => {
    const numbers = Array.from({ length: chunk }, (__, k) => 0.1 / Math.sqrt(1 + i * chunk + k));
    return JSON.stringify({ v: 1, t: 1.7e9 + i, kind: "steps", epoch: 1, first_step: i * chunk + 1, warmup: 0, seconds: numbers, input_seconds: numbers, loss: numbers });
  });
  writeFileSync(join(folder, "events.jsonl"), events.join("\n") + "\n");
  execFileSync(tacho, ["runs", "ingest", folder], { env });
  const program = `BEGIN { for (i = 1; i <= ${points}; ++i) printf "step=%d loss=%.6f\\n", i, 2 / sqrt(i) }`;
  execFileSync(tacho, ["run", "-q", "--", "awk", program], { env, stdio: "ignore" });
}

// From a click in the list, and from a new address, until the chart is drawn.
async function measureCharts(what, link, title) {
  const untilDrawn = ([name, selector]) => new Promise((done) => {
    const begin = selector ? performance.now() : 0;
    if (selector) document.querySelector(selector).click();
    const isDrawn = (chart) => chart.ariaLabel.startsWith(name) && chart.querySelector("canvas");
    const look = () => {
      if ([...document.querySelectorAll("figure.chart [role=img]")].some(isDrawn)) done(performance.now() - begin);
      else requestAnimationFrame(look);
    };
    look();
  });
  const clicked = [];
  const opened = [];
  for (let i = 0; i < rounds; ++i) {
    await server.stop();
    server = await startServer();
    const page = await fresh();
    await page.goto("/");
    await page.locator(link).first().waitFor();
    clicked.push(await page.evaluate(untilDrawn, [title, link]));
    const another = await fresh();
    await another.goto(new URL(page.url()).pathname, { waitUntil: "commit" });
    opened.push(await another.evaluate(untilDrawn, [title, ""]));
    await page.close();
    await another.close();
  }
  say(`${what}: a click shows its first chart`, clicked);
  say(`${what}: a new window shows its first chart`, opened);
}

// The page of a running program gets as many lines of three figures, then a few more per frame. The browser's
// EventSource is replaced, so that the time of a frame is that of the page alone.
async function measureLive(points) {
  const program = spawn(tacho, ["run", "-q", "--", "sh", "-c", "echo step=1 loss=1; exec sleep 1000"], { env, stdio: "ignore" });
  const page = await fresh();
  await page.addInitScript(() => {
    globalThis.EventSource = class extends EventTarget {
      constructor() {
        super();
        globalThis.stream = this;
      }
      close() {}
    };
  });
  const isRunning = async () => {
    await page.goto("/runs/last");
    return (await page.locator(".outcome.running").count()) > 0 && (await page.getByRole("img", { name: /^loss by/ }).count()) > 0;
  };
  while (!await isRunning()) await page.waitForTimeout(200);
  await page.waitForFunction(() => globalThis.stream);
  const times = await page.evaluate(async (total) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    let step = 1;
    const send = (count) => {
      for (let i = 0; i < count; ++i) {
        const values = { loss: 1 / ++step, accuracy: Math.sin(step), epoch: step / 1000 };
        stream.dispatchEvent(new MessageEvent("figures", { data: JSON.stringify({ step, unix_seconds: 1.8e9 + step, values }) }));
      }
    };
    while (step < total) {
      send(Math.min(500, total - step));
      await frame();
      await frame();
    }
    const taken = [];
    let last = await frame();
    for (let i = 0; i < 60; ++i) {
      send(10);
      const now = await frame();
      taken.push(now - last);
      last = now;
    }
    return taken;
  }, points);
  say(`live figures: a frame at ${points.toLocaleString("en")} points`, times);
  await page.close();
  program.kill("SIGINT");
  await new Promise((done) => program.on("exit", done));
}

try {
  await measureFirstPage();
  const page = await fresh();
  await page.goto("/");
  await page.locator(firstRow).first().waitFor();
  await measureFilter(page);
  await page.goto("/");
  await page.locator(firstRow).first().waitFor();
  await measureScrolling(page);
  await page.close();
  if (existsSync(traced)) {
    const opened = [await measureOpening(), await measureOpening()];
    await server.stop();
    server = await startServer();
    const again = [await measureOpening()];
    const ms = (list, what) => list.map((each) => each[what].toFixed(0)).join(", ");
    console.log(`a run of ${kernels.toLocaleString("en")} kernels opens in ${ms(opened, "opened")} ms; after the server was started again in ${ms(again, "opened")} ms`);
    console.log(`its timeline zoomed into in ${ms([...opened, ...again], "zoomed")} ms`);
  }
  if (Number(options.live) > 0) await measureLive(Number(options.live));
  if (Number(options.points) > 0) {
    makeLongRuns(Number(options.points));
    await measureCharts("long training", firstRow.replace(" a", ":nth-child(2) a"), "Training loss");
    await measureCharts("long log", firstRow, "loss");
  }
} finally {
  await browser.close();
  await server.stop();
  if (!options.home) rmSync(home, { recursive: true, force: true });
}
