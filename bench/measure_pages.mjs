#!/usr/bin/env node
// How soon the dashboard can be used, in Chromium: the first page, a filter as it is typed, a jump to
// the end of the list, a run with millions of kernels.
//   bench/measure_pages.mjs [RUNS] [KERNELS]
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { chromium } = createRequire(join(root, "web/package.json"))("playwright-core");
const tacho = join(root, "build/bin/tacho");
const runs = Number(process.argv[2] ?? 100_000);
const kernels = Number(process.argv[3] ?? 5_000_000);
const rounds = 5;

const home = mkdtempSync(join(tmpdir(), "tacho-bench-"));
const env = { ...process.env, TACHO_HOME: home };
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const say = (what, times) => console.log(`${what.padEnd(46)} median ${median(times).toFixed(0).padStart(6)} ms   most ${Math.max(...times).toFixed(0).padStart(6)} ms`);

execFileSync(join(root, "build/test-bin/made_store"), [join(home, "tacho.db"), String(runs)]);
const traced = join(home, "runs/20261115-000000-abcdef");
if (kernels > 0) {
  mkdirSync(join(traced, "gpu"), { recursive: true });
  writeFileSync(join(traced, "spec.json"), JSON.stringify({
    version: 1, key: "20261115-000000-abcdef", created_at: 1.7e9,
    spec: { model: "resnet50", data: "imagenet", batch: 64, epochs: 1, optimizer: { kind: "sgd", learning_rate: 0.1 }, seed: 1, device: "cuda", mkldnn: "auto" },
  }));
  execFileSync(join(root, "build/test-bin/made_gpu_trace"), [join(traced, "gpu/7.tgt"), "healthy", String(kernels)]);
  execFileSync(tacho, ["runs", "ingest", traced], { env });
}

const server = spawn(tacho, ["serve", "--port", "0"], { env, stdio: ["ignore", "pipe", "inherit"] });
const line = await new Promise((done) => server.stdout.once("data", (bytes) => done(String(bytes))));
const url = /http:\S+/.exec(line)[0].replace(/\/$/, "");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const fresh = async () => (await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } })).newPage();
  await (await fresh()).goto("/"); // the browser itself starts once

  const first = [];
  for (let i = 0; i < rounds; ++i) {
    const page = await fresh();
    const begin = performance.now();
    await page.goto("/", { waitUntil: "commit" });
    await page.locator(".run-table .row a").first().waitFor();
    first.push(performance.now() - begin);
    await page.close();
  }
  say(`first page of ${runs.toLocaleString("en")} runs, rows shown`, first);

  // Measured in the page: from a key to the answer's figures on the screen.
  const page = await fresh();
  await page.goto("/");
  await page.locator(".run-table .row a").first().waitFor();
  const typed = [];
  for (const text of ["resnet50", "resnet50 top1>0.7", "batch=64 lstm", "cuda top1>0.9 step_s<0.01", "vgg outcome=ok"]) {
    typed.push(await page.evaluate((words) => new Promise((done) => {
      const tally = document.querySelector(".tally");
      const box = document.querySelector("input[type=search]");
      const before = tally.textContent;
      const begin = performance.now();
      const watch = new MutationObserver(() => {
        if (tally.textContent === before || !/match/.test(tally.textContent)) return;
        watch.disconnect();
        requestAnimationFrame(() => done(performance.now() - begin));
      });
      watch.observe(tally, { childList: true, subtree: true, characterData: true });
      box.value = words;
      box.dispatchEvent(new Event("input", { bubbles: true }));
    }), text));
  }
  say("a filter is typed, its matches shown", typed);
  await page.close();

  if (kernels > 0) {
    const opened = [];
    const zoomed = [];
    for (let i = 0; i < 3; ++i) {
      const run = await fresh();
      const begin = performance.now();
      await run.goto("/runs/20261115-000000-abcdef", { waitUntil: "commit" });
      await run.locator(".timeline canvas").waitFor({ timeout: 120_000 });
      await run.getByText(/kernels; wheel zooms/).waitFor({ timeout: 120_000 });
      await run.waitForFunction(() => !/ 0 kernels/.test(document.querySelector(".timeline .tools").textContent), undefined, { timeout: 120_000 });
      opened.push(performance.now() - begin);
      const answered = run.waitForResponse(/timeline\?from/);
      const at = performance.now();
      await run.getByLabel("Zoom in").click();
      await answered;
      zoomed.push(performance.now() - at);
      await run.close();
    }
    console.log(`a run of ${kernels.toLocaleString("en")} kernels opens the first time   ${opened[0].toFixed(0)} ms, then ${opened.slice(1).map((t) => t.toFixed(0)).join(" and ")} ms`);
    say("its timeline zoomed into", zoomed);
  }
} finally {
  await browser.close();
  const ended = new Promise((done) => server.on("exit", done));
  server.kill("SIGTERM");
  await ended;
  rmSync(home, { recursive: true, force: true });
}
