// A home folder with real runs, a server for it, and Chromium.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
// The browser driver is a dependency of the pages.
const require = createRequire(join(root, "web/package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const tacho = process.env.TACHO ?? join(root, "build/bin/tacho");
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const run = promisify(execFile);

// A name with markup, quotes and a character that reverses the text direction.
export const hostileName = "<img src=x onerror=alert(1)>\"'\u202e.sh";

// 10 kB, with a bell, an escape sequence and a character that reverses the text direction.
export const longName = `\u0007\u001b[31m<b>\u202e${"long ".repeat(2000)}`;

// A folder that charliecloud accepts as an image: it contains only busybox.
function smallImage(folder) {
  const busybox = ["/bin/busybox", "/usr/bin/busybox"].find(existsSync);
  if (!busybox || !existsSync("/usr/bin/ch-run")) return undefined;
  for (const name of ["bin", "tmp", "proc", "sys", "dev", "etc", "root", "mnt", "usr", "run", "var"]) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(busybox, join(folder, "bin/busybox"));
  for (const name of ["sh", "true"]) symlinkSync("busybox", join(folder, "bin", name));
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  writeFileSync(join(folder, "etc/group"), "root:x:0:\n");
  for (const name of ["hosts", "resolv.conf"]) writeFileSync(join(folder, "etc", name), "");
  return folder;
}

export async function checkAccessibility(page, where) {
  assert.doesNotMatch(await page.locator("body").innerText(), /\bNaN\b|\bundefined\b/, where);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
  assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(" | ")}`), [], where);
}

export class Dashboard {
  static async start(options = []) {
    if (!existsSync(browserPath)) throw new Error(`${browserPath} is missing; run script/bootstrap`);
    const dashboard = new Dashboard();
    dashboard.home = mkdtempSync(join(tmpdir(), "tacho-web-"));
    dashboard.options = options;
    return dashboard;
  }

  tacho(...words) {
    return run(tacho, words, { env: { ...process.env, TACHO_HOME: this.home }, maxBuffer: 1 << 26 });
  }

  // Starts a tacho that the caller waits for.
  start(...words) {
    return spawn(tacho, words, { env: { ...process.env, TACHO_HOME: this.home }, stdio: "ignore" });
  }

  train(...words) {
    return this.tacho("train", "mlp", "--data", "synthetic", "--threads", "1", "--no-tensorboard", ...words);
  }

  // Small runs: two batch sizes with three seeds each, a failed one with a hostile name, one with a
  // long name, one with timed operators, and three of the same task, so that the later two are predicted.
  async makeRuns() {
    for (const seed of ["1", "2", "3"]) {
      await this.train("--batch", "16", "--steps", "40", "--seed", seed);
      await this.train("--batch", "64", "--steps", "40", "--seed", seed);
    }
    const program = join(this.home, hostileName);
    writeFileSync(program, "#!/bin/sh\necho 'loss: 0.5 <b>bold</b>'\nexit 3\n");
    chmodSync(program, 0o755);
    await this.tacho("run", "--", program).catch(() => undefined);
    await this.tacho("run", "--", "true", longName);
    await this.train("--batch", "24", "--steps", "20", "--ops");
    for (const seed of ["1", "2", "3"]) {
      await this.tacho("train", "mlp", "--data", "fashion-mnist", "--train-samples", "640", "--eval-samples", "200",
        "--batch", "32", "--epochs", "4", "--threads", "1", "--no-tensorboard", "--no-checkpoints", "--seed", seed);
    }
  }

  // Runs the same program bare and in a container. Returns false without charliecloud.
  async compareEnvironments() {
    const image = smallImage(join(this.home, "image"));
    if (!image) return false;
    await this.tacho("compare", "--env", `bare,charliecloud:${image}`, "--repeat", "2", "--max-repeat", "2", "--cmd", "true");
    return true;
  }

  async serve() {
    this.server = spawn(tacho, ["serve", "--port", "0", ...this.options], {
      env: { ...process.env, TACHO_HOME: this.home }, stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise((resolve, reject) => {
      let text = "";
      this.server.stdout.on("data", (bytes) => {
        text += bytes;
        if (text.includes("\n")) resolve(text);
      });
      this.server.on("exit", () => reject(new Error(`tacho serve ended: ${text}`)));
    });
    this.url = /http:\S+/.exec(line)[0]; // with the token
    this.browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  }

  // A page that collects its errors in `errors`.
  async page(options = {}) {
    const context = await this.browser.newContext({ baseURL: this.url, viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000); // enough on a busy machine
    await page.goto(this.url);
    if (new URL(page.url()).search !== "") throw new Error(`the token is still in the address: ${page.url()}`);
    page.errors = [];
    page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
    page.on("pageerror", (error) => page.errors.push(String(error)));
    page.on("dialog", (dialog) => {
      page.errors.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return page;
  }

  async stop() {
    await this.browser?.close();
    if (this.server && this.server.exitCode === null) {
      const ended = new Promise((resolve) => this.server.on("exit", resolve));
      this.server.kill("SIGTERM");
      await ended;
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}
