// The pages as a person uses them, in Chromium, on runs that were really made.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axePath, Dashboard } from "./dashboard.mjs";

const axe = readFileSync(axePath, "utf8");
let dashboard;
let page;

async function accessible(where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
  assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(" | ")}`), [], where);
}

before(async () => {
  dashboard = await Dashboard.start();
  await dashboard.makeRuns();
  await dashboard.serve();
  page = await dashboard.page();
});
after(() => dashboard?.stop());

test("the list shows every run, and a filter narrows it as it is typed", async () => {
  await page.goto("/");
  await page.getByText("7 runs").waitFor();
  await page.getByRole("searchbox").fill("mlp batch=16");
  await page.getByText("3 match").waitFor();
  assert.match(page.url(), /q=mlp/);
  await page.reload();
  await page.getByText("3 match").waitFor();
  await accessible("runs");
  await page.getByRole("searchbox").fill("batch=");  // half a condition
  await page.getByText("7 runs").waitFor();
  await page.getByRole("searchbox").fill("nosuchthing");
  await page.getByRole("heading", { name: "No run matches" }).waitFor();
  await page.getByRole("button", { name: "Show all runs" }).click();
  await page.getByText("7 runs").waitFor();
});

test("a heading sorts, and the address says so", async () => {
  await page.getByRole("columnheader", { name: "step", exact: true }).getByRole("button").click();
  await page.waitForURL(/sort=step_s/);
  await page.locator('[aria-sort="descending"]').waitFor();
  await page.getByRole("columnheader", { name: /^step/ }).getByRole("button").click();
  await page.locator('[aria-sort="ascending"]').waitFor();
});

test("the keyboard alone opens a run and goes back", async () => {
  await page.goto("/?sort=id&order=ascending");
  await page.getByRole("link", { name: "1", exact: true }).waitFor();
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), "INPUT");
  await page.locator('[role="table"]').focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/2$/);
  await page.goBack();
  await page.waitForURL(/order=ascending/);
});

test("a run shows figures, charts, its step, advice, log and files", async () => {
  await page.goto("/runs/1");
  await page.getByRole("heading", { level: 1, name: /mlp on synthetic/ }).waitFor();
  await page.getByRole("heading", { name: "What to change" }).waitFor();
  await page.getByRole("img", { name: /^Training loss by step/ }).locator("canvas").waitFor();
  await page.getByRole("img", { name: /^Processors in use/ }).waitFor();
  await page.getByRole("link", { name: "events.jsonl" }).waitFor();
  await accessible("run");
});

test("a report, a record and a table can be kept", async () => {
  await page.goto("/runs/1");
  const saved = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save report" }).click();
  const report = await saved;
  assert.equal(report.suggestedFilename(), "run-1.html");
  await page.goto("/?q=batch%3D16");
  await page.getByText("3 match").waitFor();
  await page.getByText("Export", { exact: true }).click();
  const table = page.waitForEvent("download");
  await page.getByRole("link", { name: "runs as CSV" }).click();
  const lines = readFileSync(await (await table).path(), "utf8").trim().split("\r\n");
  assert.equal(lines.length, 4);
});

test("chosen runs are compared, with a verdict in words", async () => {
  await page.goto("/");
  await page.getByLabel("choose run 1", { exact: true }).check();
  await page.getByLabel("choose run 2", { exact: true }).check();
  await page.getByRole("link", { name: "Compare", exact: true }).last().click();
  await page.waitForURL(/compare\?group=1&group=2/);
  await page.getByRole("heading", { name: "Figures" }).waitFor();
  await page.goto("/compare?group=1,3,5&group=2,4,6");
  await page.getByText("the base").first().waitFor();
  assert.match(await page.locator(".findings").innerText(), /slower|faster|higher|lower|no difference|cannot tell/);
  await accessible("compare");
  await page.getByLabel("Remove group 2").click();
  await page.getByRole("heading", { name: "One more group" }).waitFor();
});

test("runs are grouped, with the spread of a figure", async () => {
  await page.goto("/?group=batch&metric=step_s");
  await page.getByRole("rowheader", { name: "16" }).waitFor();
  await accessible("groups");
});

test("hostile names are shown as text", async () => {
  await page.goto("/runs/7");
  await page.getByRole("heading", { level: 1, name: /<img src=x/ }).waitFor();
  assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /\\u202e/);
  assert.equal(await page.locator("img[src=x], b:text('bold')").count(), 0);
  await page.getByText("<b>bold</b>").waitFor();
  await accessible("hostile run");
});

test("a run is started from the page and watched until it ends", async () => {
  await page.goto("/new?model=mlp&data=synthetic&batch=32&steps=400&threads=1");
  await accessible("new run");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/runs\/8$/);
  await page.locator(".outcome.ok").waitFor({ timeout: 60000 });
  await page.getByRole("img", { name: /^Training loss by step/ }).locator("canvas").waitFor();
});

test("what cannot be started says why", async () => {
  await page.goto("/new?model=mlp&data=synthetic&batch=0");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("alert").getByText(/batch/).waitFor();
  page.complaints = page.complaints.filter((text) => !/422/.test(text)); // the browser's own note
});

test("a run that goes on can be stopped", async () => {
  await page.goto("/new?model=mlp&data=synthetic&batch=32&epochs=100000&steps=1000000&threads=1");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/runs\/9$/);
  await page.locator(".outcome.running").waitFor();
  await page.getByRole("img", { name: /^Training loss by step/ }).locator("canvas").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".outcome.cancelled").waitFor({ timeout: 60000 });
});

test("the machine and empty views say what to type", async () => {
  await page.goto("/comparisons");
  await page.getByText("tacho compare --env").waitFor();
  await accessible("comparisons");
  await page.goto("/machine");
  await page.getByRole("heading", { name: "torch" }).waitFor({ timeout: 120000 });
  await accessible("machine");
});

test("what is not there is said so", async () => {
  await page.goto("/runs/4711");
  await page.getByRole("heading", { name: "No such run" }).waitFor();
  page.complaints = page.complaints.filter((text) => !/404/.test(text));
});

test("dark colours keep their contrast", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  for (const path of ["/", "/runs/1", "/compare?group=1,3,5&group=2,4,6"]) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await accessible(`${path} in the dark`);
  }
});

test("no page complained", () => assert.deepEqual(page.complaints, []));
