// The controls of a run's page, of the curves of several runs, and of names, tags and the archive.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkAccessibility, Dashboard } from "./dashboard.mjs";

let dashboard;
let page;
const lines = 200;
const logging = `BEGIN { for (i = 1; i <= ${lines}; ++i) printf "step=%d loss=%.4f accuracy=%.4f epoch=%.2f\\n", i, 2 / i, 1 - 1 / i, i / 50 }`;
const chart = (name) => page.locator("figure.chart", { has: page.getByRole("img", { name }) });
const saved = async (figure, kind) => {
  const download = page.waitForEvent("download");
  await figure.getByLabel(/^Save /).click();
  await figure.getByRole("button", { name: kind }).click();
  return readFileSync(await (await download).path());
};

before(async () => {
  dashboard = await Dashboard.start();
  for (const seed of ["1", "2"]) await dashboard.train("--batch", "16", "--steps", "60", "--seed", seed); // runs 1 and 2
  await dashboard.tacho("run", "--", "awk", logging); // run 3
  await dashboard.serve();
  page = await dashboard.page();
});
after(() => dashboard?.stop());

test("a program that only prints figures has charts of them", async () => {
  await page.goto("/runs/3");
  await page.getByRole("img", { name: /^loss by step\. loss: from 2 to 0\.01, lowest 0\.01, highest 2$/ }).locator("canvas").waitFor();
  await page.getByRole("img", { name: /^accuracy by step/ }).waitFor();
  await checkAccessibility(page, "run of a program");
});

test("the x axis is step, time or epoch, and the address keeps it", async () => {
  await page.goto("/runs/3");
  await page.getByLabel("x axis").selectOption("epoch");
  await page.waitForURL(/x=epoch/);
  await page.getByRole("img", { name: /^loss by epoch/ }).waitFor();
  await page.reload();
  await page.getByRole("img", { name: /^loss by epoch/ }).waitFor();
  assert.equal(await page.getByLabel("x axis").inputValue(), "epoch");
  await chart(/^loss by/).getByText("epoch 4", { exact: true }).waitFor();
  await page.getByLabel("x axis").selectOption("time");
  await chart(/^loss by time/).getByText(/^time [\d.]+ m?s$/).waitFor();
});

test("smoothing draws an average, and 0 the values alone", async () => {
  await page.goto("/runs/3");
  const legend = chart(/^loss by/).locator(".chart-legend");
  await legend.getByText("(0.01)").waitFor();
  await page.getByLabel("smoothing").fill("0.9");
  await page.waitForURL(/smooth=0\.9/);
  await page.reload();
  assert.equal(await page.getByLabel("smoothing").inputValue(), "0.9");
  await legend.getByText(/^0\.01\d+ \(0\.01\)$/).waitFor();
  await page.getByLabel("smoothing").fill("0");
  await legend.getByText(/^0\.01$/).waitFor();
});

test("a logarithmic axis shows powers of ten", async () => {
  await page.goto("/runs/3?smooth=0");
  await chart(/^loss by/).locator("canvas").waitFor();
  assert.doesNotMatch(String(await saved(chart(/^loss by/), "SVG")), />0\.02</);
  await page.getByLabel("logarithmic y").check();
  await page.waitForURL(/y=log/);
  await page.reload();
  assert.ok(await page.getByLabel("logarithmic y").isChecked());
  await chart(/^loss by/).locator("canvas").waitFor();
  assert.match(String(await saved(chart(/^loss by/), "SVG")), />0\.02</);
  await checkAccessibility(page, "logarithmic");
});

test("dragging zooms all charts of an axis, a button or double click resets them", async () => {
  await page.goto("/runs/3");
  const figure = chart(/^loss by/);
  const over = figure.locator(".u-over");
  const reset = page.getByRole("button", { name: "Reset zoom" });
  const drag = async () => {
    await over.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await over.boundingBox();
    await page.mouse.move(x + width * 0.25, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + height / 2, { steps: 5 });
    await page.mouse.up();
    await figure.getByRole("button", { name: "Reset zoom" }).waitFor();
  };
  await drag();
  assert.equal(await reset.count(), 3);
  const svg = String(await saved(figure, "SVG"));
  assert.match(svg, />80</); // a tick of steps 50 to 100
  await reset.first().click();
  await reset.first().waitFor({ state: "detached" });
  await drag();
  await over.dblclick();
  await reset.first().waitFor({ state: "detached" });
});

test("the keyboard zooms, moves and resets a chart", async () => {
  await page.goto("/runs/3");
  await page.getByRole("img", { name: /^loss by/ }).focus();
  await page.keyboard.press("+");
  await chart(/^loss by/).getByRole("button", { name: "Reset zoom" }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Reset zoom" }).first().waitFor({ state: "detached" });
});

test("a chart with one point resets the zoom of all", async () => {
  await page.goto("/runs/1");
  await page.getByRole("img", { name: /^Training loss by/ }).focus();
  await page.keyboard.press("+");
  const reset = chart(/^Training loss by/).getByRole("button", { name: "Reset zoom" });
  await reset.waitFor();
  await chart(/^Accuracy by/).locator(".u-over").dblclick();
  await reset.waitFor({ state: "detached" });
});

test("a click on the legend hides a line, a double click shows only it", async () => {
  await page.goto("/runs/1");
  const figure = chart(/^Step time by/);
  const [whole, input] = [figure.getByRole("button", { name: "whole step" }), figure.getByRole("button", { name: "waiting for input" })];
  await whole.click();
  assert.equal(await whole.getAttribute("aria-pressed"), "false");
  const svg = String(await saved(figure, "SVG"));
  assert.match(svg, /waiting for input/);
  assert.doesNotMatch(svg, /whole step/);
  await whole.dblclick();
  await figure.locator('[aria-pressed="false"]', { hasText: "waiting for input" }).waitFor();
  assert.equal(await whole.getAttribute("aria-pressed"), "true");
  await whole.dblclick();
  await figure.locator('[aria-pressed="true"]', { hasText: "waiting for input" }).waitFor();
  await input.focus();
  await page.keyboard.press("Enter");
  assert.equal(await input.getAttribute("aria-pressed"), "false");
});

test("a chart is enlarged, and saved as PNG, SVG and CSV", async () => {
  await page.goto("/runs/3?smooth=0");
  const figure = chart(/^loss by/);
  await figure.locator("canvas").waitFor();
  const before = await figure.boundingBox();
  await figure.getByLabel(/^Enlarge /).click();
  await page.waitForFunction((width) => document.querySelector("figure.large canvas")?.clientWidth > width * 1.5, before.width);
  const png = await saved(figure, "PNG");
  assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  assert.ok(png.readUInt32BE(16) > before.width * 2, "twice as many pixels as on the screen");
  const svg = String(await saved(figure, "SVG"));
  assert.equal(await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("parsererror").length, svg), 0);
  const csv = String(await saved(figure, "CSV")).split("\r\n");
  assert.deepEqual(csv.slice(0, 3), ["step,loss", "1,2", "2,1"]);
  assert.equal(csv.length, lines + 2);
});

test("charts are found by their title", async () => {
  await page.goto("/runs/3?charts=ACCU");
  await page.getByRole("img", { name: /^accuracy by/ }).waitFor();
  assert.equal(await page.locator("figure.chart").count(), 1);
  await page.getByRole("searchbox").fill("none");
  await page.getByText("charts has “none” in its title").waitFor();
});

test("selected runs are laid over each other", async () => {
  await page.goto("/");
  for (const id of ["1", "2"]) await page.getByLabel(`Select run ${id}`, { exact: true }).check();
  await page.locator(".selection").getByRole("link", { name: "Curves" }).click();
  await page.waitForURL(/curves\?runs=1%2C2|curves\?runs=1,2/);
  await page.getByRole("img", { name: /^Training loss by step\. run 1: from .* run 2: from / }).locator("canvas").waitFor();
  await page.getByRole("img", { name: /^Step time by step\. run 1, whole step: .* run 2, waiting for input: / }).waitFor();
  await checkAccessibility(page, "curves");
  await page.getByLabel("Add a run: its number or key").fill("3");
  await page.getByRole("button", { name: "Add run" }).click();
  await page.getByRole("img", { name: /^loss by step\. run 3: from 2 to 0\.01/ }).waitFor();
  await page.getByLabel("Remove run 1").click();
  await page.getByRole("img", { name: /^Training loss by step\. run 2: / }).waitFor();
  await page.reload();
  await page.getByRole("img", { name: /^Training loss by step\. run 2: / }).waitFor();
  await page.goto("/curves?runs=2,4711");
  await page.getByRole("alert").getByText("no run 4711").waitFor();
  await page.getByLabel("Remove run 4711").click();
  await page.getByLabel("Remove run 2").click();
  await page.getByRole("heading", { name: "No runs selected" }).waitFor();
  await checkAccessibility(page, "no curves");
  page.errors = page.errors.filter((text) => !/404/.test(text));
});

test("the charts of a running program grow, and keep their zoom", async () => {
  const fifo = join(dashboard.home, "lines");
  execFileSync("mkfifo", [fifo]);
  const watched = dashboard.start("run", "--", "sh", "-c", `while read line; do echo "$line"; done < '${fifo}'`);
  const ended = new Promise((done) => watched.on("exit", done));
  const pipe = openSync(fifo, "w");
  const print = (from, to) => {
    for (let i = from; i <= to; ++i) writeSync(pipe, `step=${i} loss=${100 - i}\n`);
  };
  print(1, 5);
  await page.goto("/runs/last");
  await page.locator(".outcome.running").waitFor();
  await page.getByRole("img", { name: /^loss by step\. loss: from 99 to 95/ }).locator("canvas").waitFor();
  print(6, 9);
  await page.getByRole("img", { name: /^loss by step\. loss: from 99 to 91/ }).waitFor();
  await page.getByRole("img", { name: /^loss by step/ }).focus();
  await page.keyboard.press("+");
  await chart(/^loss by/).getByRole("button", { name: "Reset zoom" }).waitFor();
  print(10, 12);
  await page.getByRole("img", { name: /^loss by step\. loss: from 99 to 88/ }).waitFor();
  await chart(/^loss by/).getByRole("button", { name: "Reset zoom" }).waitFor();
  closeSync(pipe);
  assert.equal(await ended, 0);
  await page.locator(".outcome.ok").waitFor();
  await page.getByRole("img", { name: /^loss by step\. loss: from 99 to 88/ }).waitFor();
});

test("a run gets a name, a project, tags and notes", async () => {
  await page.goto("/runs/1");
  await page.getByRole("button", { name: "Edit" }).click();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "name");
  await page.getByLabel("name").fill("base <b>");
  await page.getByLabel("project").fill("digits");
  await page.getByLabel("tags, separated by commas").fill("small, two words");
  await page.getByLabel("notes").fill("first\nsecond");
  await checkAccessibility(page, "edit");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: /^base <b> \(mlp on synthetic/ }).waitFor();
  await page.getByText("first\nsecond").waitFor();
  await page.getByRole("link", { name: "two words" }).click();
  await page.getByText("1 match").waitFor();
  await page.getByText("base <b>").waitFor();
  await page.goto("/?group=project");
  await page.getByRole("rowheader", { name: "digits" }).waitFor();
  await page.goto("/curves?runs=1,2");
  await page.getByRole("img", { name: /^Training loss by step\. base <b>: .* run 2: / }).waitFor();
});

test("the links of a project and a tag find its runs, whatever it is called", async () => {
  const project = 'the "best" \\ a>b = c & <d>';
  await dashboard.tacho("runs", "edit", "1", "--project", project, "--tag", 'the "t" tag');
  for (const name of [project, 'the "t" tag']) {
    await page.goto("/runs/1");
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByText("1 match").waitFor();
  }
  await page.goto("/?group=project");
  await page.getByRole("rowheader", { name: project }).getByRole("link").click();
  await page.getByText("1 match").waitFor();
  await page.goto("/?group=project");
  await page.getByRole("rowheader", { name: "–" }).getByRole("link").click();
  await page.getByText("3 match").waitFor();
});

test("a wrong edit is refused with a reason", async () => {
  await page.goto("/runs/1");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("tags, separated by commas").fill("x".repeat(201));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("at most 200 bytes").waitFor();
  page.errors = page.errors.filter((text) => !/400/.test(text));
});

test("archived runs are hidden until they are asked for", async () => {
  await page.goto("/runs/2");
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await page.getByRole("button", { name: "Unarchive" }).waitFor();
  await page.goto("/");
  await page.getByText("3 runs").waitFor();
  await page.getByLabel("show archived").check();
  await page.waitForURL(/archived=show/);
  await page.getByText("4 runs").waitFor();
  await checkAccessibility(page, "archived runs");
  await page.goto("/?chosen=3");
  await page.getByText("3 runs").waitFor();
  await page.locator(".selection").getByRole("button", { name: "Archive" }).click();
  await page.getByText("2 runs").waitFor();
});

test("a run is deleted after a second question", async () => {
  await page.goto("/runs/3");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Yes, delete" }).click();
  await page.getByText("2 runs").waitFor();
  await page.goto("/runs/3");
  await page.getByRole("heading", { name: "No such run" }).waitFor();
  await page.goto("/?chosen=4");
  await page.locator(".selection").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Yes, delete" }).click();
  await page.getByText("1 run", { exact: true }).waitFor();
  page.errors = page.errors.filter((text) => !/404/.test(text));
});

test("the pages fit a window of 400 pixels, in both colours", async () => {
  await page.setViewportSize({ width: 400, height: 800 });
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const path of ["/runs/1", "/curves?runs=1,2"]) {
      await page.goto(path);
      await page.locator("figure.chart canvas").first().waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} is wider than the window`);
      await checkAccessibility(page, `${path}, narrow, ${colorScheme}`);
    }
  }
});

test("a read-only dashboard offers and accepts no edits", async () => {
  const reader = await Dashboard.start(["--read-only"]);
  try {
    await reader.train("--batch", "16", "--steps", "5");
    await reader.serve();
    const first = await reader.page();
    await first.goto("/runs/1");
    await first.getByRole("heading", { name: "Charts" }).waitFor();
    assert.equal(await first.getByRole("button", { name: /^(Edit|Archive|Delete)$/ }).count(), 0);
    for (const action of ["edit", "delete"]) assert.equal((await first.request.post(`/api/v1/runs/1/${action}`, { data: {} })).status(), 403);
  } finally {
    await reader.stop();
  }
});

test("single points are shown, on the page and in a saved picture", async () => {
  await page.goto("/runs/1");
  const figure = chart(/^Accuracy by/); // one epoch
  await figure.locator("canvas").waitFor();
  assert.match(String(await saved(figure, "SVG")), /a2\.5 2\.5 .*fill="#/);
  const file = join(dashboard.home, "sparse.jsonl");
  writeFileSync(file, Array.from({ length: 60 }, (_, i) => JSON.stringify({ step: i, sparse: i % 20 === 3 ? 0.5 : null })).join("\n"));
  await dashboard.tacho("runs", "import", file);
  await page.goto("/runs/last?smooth=0");
  const sparse = chart(/^sparse by/);
  await sparse.locator("canvas").waitFor();
  const drawn = (picture) => (String(picture).match(/a2\.5/g) ?? []).length / 2;
  assert.equal(drawn(await saved(sparse, "SVG")), 3);
  // On the page: some pixels in the middle of the chart have the colour of the line.
  assert.ok(await sparse.locator("canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(canvas.width * 0.5, 0, canvas.width * 0.4, canvas.height * 0.75);
    const colors = Array.from({ length: data.length / 4 }, (_, i) => [...data.slice(4 * i, 4 * i + 3)]);
    return colors.some((rgb) => Math.max(...rgb) - Math.min(...rgb) > 80);
  }));
});

test("no page had errors", () => assert.deepEqual(page.errors, []));
