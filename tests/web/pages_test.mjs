// The pages in Chromium, with real runs.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkAccessibility, Dashboard, hostileName } from "./dashboard.mjs";

const made = 12; // by makeRuns()

let dashboard;
let page;
let environments;

const accessible = (where) => checkAccessibility(page, where);

before(async () => {
  dashboard = await Dashboard.start();
  await dashboard.makeRuns();
  await dashboard.serve();
  page = await dashboard.page();
});
after(() => dashboard?.stop());

test("the list shows every run, and the filter applies while it is typed", async () => {
  await page.goto("/");
  await page.getByText(`${made} runs`).waitFor();
  await page.getByRole("searchbox").fill("mlp batch=16");
  await page.getByText("3 match").waitFor();
  assert.match(page.url(), /q=mlp/);
  await page.reload();
  await page.getByText("3 match").waitFor();
  await accessible("runs");
  await page.getByRole("searchbox").fill("batch=");  // an incomplete condition
  await page.getByText(`${made} runs`).waitFor();
  await page.getByRole("searchbox").fill("nosuchthing");
  await page.getByRole("heading", { name: "No run matches" }).waitFor();
  await page.getByRole("button", { name: "Show all runs" }).click();
  await page.getByText(`${made} runs`).waitFor();
});

test("a click on a heading sorts, and the address stores it", async () => {
  await page.getByRole("columnheader", { name: "step", exact: true }).getByRole("button").click();
  await page.waitForURL(/sort=step_s/);
  await page.locator('[aria-sort="descending"]').waitFor();
  await page.getByRole("columnheader", { name: /^step/ }).getByRole("button").click();
  await page.locator('[aria-sort="ascending"]').waitFor();
});

test("a run can be opened with the keyboard alone", async () => {
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

test("a run shows metrics, charts, its step, advice, log and files", async () => {
  await page.goto("/runs/1");
  await page.getByRole("heading", { level: 1, name: /mlp on synthetic/ }).waitFor();
  await page.getByRole("heading", { name: "Advice" }).waitFor();
  await page.getByRole("img", { name: /^Training loss by step/ }).locator("canvas").waitFor();
  await page.getByRole("img", { name: /^CPU cores in use/ }).waitFor();
  await page.getByRole("link", { name: "events.jsonl" }).waitFor();
  await accessible("run");
});

test("operators show times per step", async () => {
  await page.goto("/runs/9"); // trained with --ops
  const section = page.locator("#operators");
  await section.getByText(/^means of \d+ steps? of [\d.]+ (µs|ms|s)$/).waitFor();
  await section.getByRole("columnheader", { name: "self time" }).waitFor();
  await accessible("run with operators");
});

test("a report and a table can be downloaded", async () => {
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

test("selected runs are compared, with a verdict in words", async () => {
  await page.goto("/");
  await page.getByLabel("Select run 1", { exact: true }).check();
  await page.getByLabel("Select run 2", { exact: true }).check();
  await page.getByRole("link", { name: "Compare", exact: true }).last().click();
  await page.waitForURL(/compare\?group=1&group=2/);
  await page.getByRole("heading", { name: "Metrics" }).waitFor();
  await page.goto("/compare?group=1,3,5&group=2,4,6");
  await page.getByRole("cell", { name: "base", exact: true }).first().waitFor();
  assert.match(await page.locator(".findings").innerText(), /slower|faster|higher|lower|no difference|not enough runs yet/);
  await accessible("compare");
  await page.getByLabel("Remove group 2").click();
  await page.getByRole("heading", { name: "Add another group" }).waitFor();
});

test("runs are grouped, with the spread of a metric", async () => {
  await page.goto("/?group=batch&metric=step_s");
  await page.getByRole("rowheader", { name: "16" }).waitFor();
  await accessible("groups");
});

test("hostile names are shown as text", async () => {
  await page.goto("/runs/7");
  await page.getByRole("heading", { level: 1, name: /<img src=x/ }).waitFor();
  assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /\\u202e/);
  assert.equal(await page.locator("img[src=x], b:text('bold')").count(), 0);
  await page.getByText("<b>bold</b>").last().waitFor();
  await accessible("hostile run");
});

test("a name of ten thousand characters does not break the layout", async () => {
  await page.goto("/runs/8");
  const heading = page.getByRole("heading", { level: 1 });
  await heading.waitFor();
  assert.match(await heading.innerText(), /\?\?\[31m<b>\\u202elong/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the window");
  await page.goto("/");
  await page.getByText(`${made} runs`).waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test("a run can be started and followed until it ends", async () => {
  await page.goto("/new?model=mlp&data=synthetic&batch=32&steps=400&threads=1");
  await accessible("new run");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(new RegExp(`/runs/${made + 1}$`));
  await page.locator(".outcome.ok").waitFor({ timeout: 60000 });
  await page.getByRole("img", { name: /^Training loss by step/ }).locator("canvas").waitFor();
});

test("an invalid job is refused with a reason", async () => {
  await page.goto("/new?model=mlp&data=synthetic&batch=0");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("alert").getByText(/batch/).waitFor();
  page.errors = page.errors.filter((text) => !/422/.test(text)); // the browser reports it too
});

test("a running run can be cancelled", async () => {
  await page.goto("/new?model=mlp&data=synthetic&batch=32&epochs=100000&steps=1000000&threads=1");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(new RegExp(`/runs/${made + 2}$`));
  await page.locator(".outcome.running").waitFor();
  await page.getByRole("img", { name: /^Training loss by step/ }).locator("canvas").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".outcome.cancelled").waitFor({ timeout: 60000 });
});

test("a sweep can be started and followed, and has every chart", async () => {
  await page.goto("/sweeps");
  await page.getByText("tacho sweep examples/cpu-quick.yaml").waitFor();
  await accessible("no sweeps");
  await page.getByText("New sweep").click();
  await page.getByRole("textbox").fill("base: {command: [rm, -rf, /]}");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("alert").getByText(/command line/).waitFor();
  page.errors = page.errors.filter((text) => !/400/.test(text));
  await page.getByRole("textbox").fill("name: small\nbase: {model: mlp, data: synthetic, steps: 20, threads: 1, no-tensorboard: true, no-checkpoints: true}\nmatrix: {batch: [8, 16], lr: [0.01, 0.1]}");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/sweeps\/1$/);
  await page.getByText("finished", { exact: true }).waitFor({ timeout: 60000 });
  await page.getByText("4 of 4 ended").waitFor();
  await page.getByRole("region", { name: /by batch and lr/ }).getByRole("columnheader", { name: "16" }).waitFor();
  assert.equal(await page.locator(".parallel polyline").count(), 4);
  await page.getByLabel("metric").selectOption("step_s");
  await page.waitForURL(/metric=step_s/);
  await accessible("sweep");
  await page.reload();
  assert.equal(await page.getByLabel("metric").inputValue(), "step_s");
  const kept = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV" }).click();
  assert.equal((await kept).suggestedFilename(), "sweep-1.csv");
  await page.goto("/sweeps");
  await page.getByRole("link", { name: "small" }).waitFor();
  await accessible("sweeps");
});

test("a running sweep can be cancelled", async () => {
  const answer = await page.request.post("/api/v1/sweeps", { data: { grid: "base: {model: mlp, data: synthetic, epochs: 100000, threads: 1}\nmatrix: {batch: [8, 16]}" } });
  assert.equal(answer.status(), 201);
  await page.goto("/sweeps/last");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("cancelled", { exact: true }).first().waitFor({ timeout: 60000 });
});

test("a training is predicted with intervals, and the address stores the request", async () => {
  await page.goto("/predict?num_gpus=2&workers=4&target=0.75");
  const figures = page.getByRole("region", { name: "figures" });
  for (const name of ["time per epoch", "total time", "cost", "accuracy after epoch 30"]) {
    await figures.getByRole("row", { name: new RegExp(`^${name} .+ – `) }).waitFor({ timeout: 60000 });
  }
  await figures.getByRole("row", { name: /^memory per GPU fits .+ [\d.]+ GB/ }).waitFor();
  await figures.getByRole("row", { name: /^chance to reach the target .+ \d+ %/ }).waitFor();
  await page.getByRole("img", { name: /^Top-1 accuracy by epoch/ }).locator("canvas").waitFor();
  await page.getByText("tacho predict resnet18 --data cifar10 --gpu V100 --num-gpus 2 -b 128 --workers 4 -e 30 --target 0.75", { exact: true }).waitFor();
  await accessible("predict");
  await page.getByLabel("epochs").fill("12");
  await page.keyboard.press("Enter");
  await page.waitForURL(/epochs=12/);
  await figures.getByRole("row", { name: /^accuracy after epoch 12/ }).waitFor();
  await page.reload();
  await figures.getByRole("row", { name: /^accuracy after epoch 12/ }).waitFor();
  for (const [label, text, message] of [["epochs", "", "missing"], ["epochs", "ten", "not a number"], ["epochs", "2.5", "whole number"], ["data", "cifar11", "did you mean 'cifar10'?"], ["GPU", "H1000", "unknown GPU"]]) {
    await page.goto("/predict");
    const field = page.getByLabel(label, { exact: true });
    await field.fill(text);
    await page.keyboard.press("Tab");
    await page.getByRole("alert").getByText(message).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(await field.getAttribute("aria-describedby"), await page.getByRole("alert").getAttribute("id"));
  }
  await accessible("a wrong field");
  await page.goto("/predict?model=resnet18&data=tiny-imagenet&gpu=A100");
  await page.getByText("tacho train resnet18 --data tiny-imagenet").waitFor();
  await accessible("a training of unknown accuracy");
  page.errors = page.errors.filter((text) => !/400|422/.test(text));
});

test("an answer that arrives while a field is filled in does not erase its text", async () => {
  let answer;
  const asked = new Promise((resolve) => { answer = resolve; });
  await page.route("**/api/v1/catalog", async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto("/predict");
  const field = page.getByLabel("epochs");
  await field.fill("13");
  const arrived = page.waitForResponse("**/api/v1/catalog");
  answer();
  await arrived;
  await page.locator("#model-known option").first().waitFor({ state: "attached" });
  await field.press("Enter");
  await page.waitForURL(/epochs=13/);
  await page.unroute("**/api/v1/catalog");
});

test("offers are ranked, drawn and explained, and can be varied", async () => {
  await page.goto("/recommend?gpus=A100&clouds=aws&target=0.7");
  await page.getByRole("region", { name: "offers", exact: true }).getByRole("rowheader").first().waitFor({ timeout: 60000 });
  await page.getByRole("group", { name: /Time and cost/ }).getByRole("button").first().waitFor();
  assert.equal(await page.getByRole("columnheader", { name: "90 % interval" }).count(), 2);
  await accessible("recommend");
  const second = page.getByRole("region", { name: "offers", exact: true }).getByRole("button").nth(1);
  const name = await second.innerText();
  await second.click();
  await page.waitForURL(/offer=1/);
  await page.getByRole("heading", { name: `Details: ${name}` }).waitFor();
  await page.getByLabel("price per GPU-hour").fill("2");
  await page.getByRole("status").getByText("+100 %").waitFor();
  await page.getByLabel("batch per GPU").fill("2");
  await page.getByText("32", { exact: true }).first().waitFor();
  const kept = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  assert.match(readFileSync(await (await kept).path(), "utf8"), /^rank,cloud,/);
  await page.goto("/recommend?model=mlp&data=cifar100");
  await page.getByRole("heading", { name: "No prediction possible" }).waitFor({ timeout: 60000 });
  await page.getByText("tacho train mlp --data cifar100", { exact: true }).waitFor();
  page.errors = page.errors.filter((text) => !/422/.test(text));
});

test("the ledger shows predictions and measured values", async () => {
  await page.goto("/ledger");
  await page.getByRole("img", { name: /predictions of .* over the measured values/ }).waitFor();
  await page.getByRole("columnheader", { name: "within the 90 % interval" }).waitFor();
  await accessible("ledger");
});

test("memory traffic is compared with its limit", async () => {
  await page.goto("/memory");
  await page.getByRole("img", { name: /^Roofline of / }).waitFor();
  await page.getByRole("img", { name: /of the peak memory bandwidth/ }).first().waitFor();
  await accessible("memory");
});

test("surveys of memory and communication are shown as text", async () => {
  await page.goto("/memory");
  await page.getByText("tacho bench comms --quick").waitFor();
  await dashboard.tacho("bench", "memory", "--quick", "--size", "1M", "--only", "reduction");
  await dashboard.tacho("bench", "comms", "--quick", "--max-size", "4K", "--backend", "gloo");
  const [key] = readdirSync(join(dashboard.home, "lab")).sort();
  const survey = JSON.parse(readFileSync(join(dashboard.home, "lab", key), "utf8"));
  writeFileSync(join(dashboard.home, "lab", "0-hostile.json"), JSON.stringify({ ...survey, key: "0-hostile", machine: hostileName, facts: hostileName }));
  writeFileSync(join(dashboard.home, "lab", "0-broken.json"), "{");
  await page.goto("/memory");
  await page.getByRole("img", { name: /Bus bandwidth by message size for gloo all-reduce/ }).waitFor();
  await page.getByRole("table", { name: "collectives" }).getByText("broadcast").first().waitFor();
  await page.getByRole("table", { name: "gradient exchange in buckets" }).getByText("topk").waitFor();
  await page.getByText(/0-broken\.json: /).waitFor();
  await accessible("communication survey");
  await page.getByRole("combobox", { name: "survey" }).selectOption("0-hostile");
  await page.waitForURL(/survey=0-hostile/);
  await page.getByRole("img", { name: /of the ceiling/ }).first().waitFor();
  await page.locator("#lab p", { hasText: "<img src=x onerror=alert(1)>" }).waitFor();
  assert.equal(await page.locator("img[src=x]").count(), 0);
  await accessible("memory survey");
});

test("environments are compared, with verdicts in words", async () => {
  await page.goto("/environments");
  await page.getByText("tacho compare --env").waitFor({ timeout: 60000 });
  await accessible("no environments");
  await page.goto("/comparisons");
  await page.getByText("tacho compare --env").waitFor();
  await accessible("no comparisons");
  environments = await dashboard.compareEnvironments();
  if (!environments) return;
  await page.goto("/environments");
  await page.getByRole("region", { name: "verdicts", exact: true }).getByRole("columnheader", { name: "charliecloud" }).waitFor();
  await accessible("environments");
  await page.getByRole("link", { name: "full comparison" }).click();
  await page.waitForURL(/comparisons\/1$/);
  await page.getByRole("cell", { name: "base", exact: true }).first().waitFor();
  await accessible("a comparison");
  await page.getByRole("link", { name: "Comparisons", exact: true }).click();
  await page.getByRole("table").waitFor();
});

test("the machine page shows the findings and can check again", async () => {
  await page.goto("/machine");
  await page.getByRole("heading", { name: "torch" }).waitFor({ timeout: 120000 });
  await accessible("machine");
  const checked = page.locator(".run-head").getByText(/^checked /);
  const before = await checked.innerText();
  await page.getByRole("button", { name: "Check again" }).click();
  await page.waitForFunction((text) => ![...document.querySelectorAll("span")].some((span) => span.innerText === text), before, { timeout: 120000 });
  await checked.waitFor();
});

test("a run, sweep or comparison that does not exist has a page that says so", async () => {
  for (const [path, heading, link] of [["/runs/4711", "No such run", "All runs"], ["/sweeps/4711", "No such sweep", "All sweeps"], ["/comparisons/4711", "No such comparison", "All comparisons"]]) {
    await page.goto(path);
    await page.getByRole("heading", { name: heading }).waitFor();
    await page.getByRole("link", { name: link }).waitFor();
    await accessible(path);
  }
  page.errors = page.errors.filter((text) => !/404/.test(text));
});

test("an unknown address is a page with the address and a link to the runs", async () => {
  const address = "/nowhere/<img src=x onerror=alert(1)>";
  const response = await page.goto(encodeURI(address));
  assert.equal(response.status(), 404);
  assert.match(response.headers()["content-type"], /^text\/html/);
  await page.getByText(`There is no page at ${address}.`).waitFor();
  assert.equal(await page.locator("img[src=x]").count(), 0);
  await accessible("not found");
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("table", { name: "Runs" }).waitFor();
  // The script of the dashboard has the same page for addresses within it.
  await page.evaluate(() => {
    history.pushState(null, "", "/machine/nowhere");
    dispatchEvent(new PopStateEvent("popstate"));
  });
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await page.getByText("There is no page at /machine/nowhere.").waitFor();
  assert.equal(await page.title(), "Not found – Tacho");
  await accessible("not found in the dashboard");
  page.errors = page.errors.filter((text) => !/404/.test(text));
});

test("a home without runs says how to start", async () => {
  const empty = await Dashboard.start();
  try {
    await empty.serve();
    const first = await empty.page();
    for (const [path, heading, next] of [
      ["/", "No runs yet", "tacho train mnist-cnn --data fashion-mnist"], ["/?group=model", "No runs yet", "tacho train mnist-cnn"],
      ["/compare", "Nothing to compare yet", "tacho compare --vary"], ["/comparisons", "No comparisons yet", "tacho compare --env"],
      ["/sweeps", "No sweeps yet", "tacho sweep examples/cpu-quick.yaml"], ["/ledger", "No predictions yet", "tacho train lenet5"],
      ["/memory", "No memory traffic measured yet", "--ops"],
    ]) {
      await first.goto(path);
      await first.getByRole("heading", { name: heading }).waitFor();
      await first.locator(".command", { hasText: next }).first().waitFor();
    }
    assert.deepEqual(first.errors, []);
  } finally {
    await empty.stop();
  }
});

test("dark colours keep their contrast", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  for (const path of ["/", "/runs/1", "/compare?group=1,3,5&group=2,4,6", "/sweeps/1", "/predict?num_gpus=2&target=0.75", "/recommend?gpus=A100&clouds=aws&target=0.7", "/ledger", "/memory", "/environments"]) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await accessible(`${path} in dark colours`);
  }
});

test("no page had errors", () => assert.deepEqual(page.errors, []));
