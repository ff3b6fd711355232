// Screenshots of the pages of a running server: light and dark, wide and narrow.
//   node tests/web/screenshots.mjs URL OUT [PATH …]
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const { chromium } = createRequire(join(root, "web/package.json"))("playwright-core");
const [url, out, ...paths] = process.argv.slice(2);
const shown = paths.length ? paths : ["/", "/?group=model&metric=step_s", "/runs/last", "/compare?group=1,3,5&group=2,4,6", "/comparisons", "/machine", "/new"];

mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of [["wide", { width: 1360, height: 860 }], ["narrow", { width: 420, height: 860 }]]) {
    const context = await browser.newContext({ baseURL: url, viewport, colorScheme, deviceScaleFactor: 1 });
    const page = await context.newPage();
    await page.goto(url); // stores the token in a cookie
    for (const path of shown) {
      await page.goto(path);
      await page.locator("main").waitFor();
      await page.waitForTimeout(900);
      const name = path.replace(/\W+/g, "-").replace(/^-|-$/g, "") || "runs";
      await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`), fullPage: !/^\/(\?|$)/.test(path) });
    }
    await context.close();
  }
}
await browser.close();
