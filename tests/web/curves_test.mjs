// The parts of the pages that compute curves, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./bundled.mjs";

const { axisOf, interpolated, linesOn, overlaid, singlePoints, smoothed } = await load("curve.ts");
const { chartsOf, originOf, stepTimes } = await load("run_curves.ts");
const { discsOf, pathOf, svgOf } = await load("chart_image.ts");
const { nearestIndex } = await load("chart_plot.ts");

const close = (actual, expected) => actual.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-12, `${actual} is not ${expected}`));

test("smoothing is TensorBoard's: an average that its first values do not draw to zero", () => {
  assert.deepEqual(smoothed([5, 5, 5], 0.9).map((v) => v.toFixed(12)), Array(3).fill("5.000000000000"));
  close(smoothed([1, 3], 0.5), [1, (0.25 * 1 + 0.5 * 3) / 0.75]);
  assert.deepEqual(smoothed([2, 7], 0), [2, 7]);
});

test("smoothing keeps gaps, and continues behind them", () => {
  const values = smoothed([1, null, undefined, 3], 0.5);
  assert.deepEqual(values.slice(1, 3), [null, undefined]);
  close([values[3]], smoothed([1, 3], 0.5).slice(1));
});

test("values between points are on the line through them", () => {
  assert.equal(interpolated(5, [0, 10], [0, 2]), 1);
  assert.equal(interpolated(-1, [0, 10], [0, 2]), 0);
  assert.equal(interpolated(11, [0, 10], [0, 2]), 2);
});

const curve = (label, x, mean) => ({ label, at: { step: x }, values: { mean }, color: 0 });

test("curves of different lengths share an axis without gaps at the others' points", () => {
  const { x, lines } = linesOn([curve("a", [1, 3], [10, null]), curve("b", [2, 3], [20, 30])], "step");
  assert.deepEqual(x, [1, 2, 3]);
  assert.deepEqual(lines.map((line) => line.values), [[10, undefined, null], [undefined, 20, 30]]);
});

test("points are ordered along the axis", () => {
  const { x, lines } = linesOn([curve("a", [3, 1, 2], [30, 10, 20])], "step");
  assert.deepEqual([x, lines[0].values], [[1, 2, 3], [10, 20, 30]]);
});

test("a chart without the selected axis keeps its own", () => {
  const usage = { title: "CPU", unit: "count", curves: [{ ...curve("a", [], [1]), at: { time: [1] } }] };
  assert.equal(axisOf(usage, "epoch"), "time");
  assert.equal(axisOf({ ...usage, curves: [curve("a", [1], [1])] }, "epoch"), "step");
});

test("runs are laid over each other by the title of their charts", () => {
  const charts = [{ title: "loss", unit: "none", curves: [curve("loss", [1], [1])] }, { title: "time", unit: "seconds", curves: [curve("step", [1], [1]), curve("input", [1], [1])] }];
  const [loss, time] = overlaid([{ name: "run 1", charts }, { name: "run 2", charts }]);
  assert.deepEqual(loss.curves.map((c) => [c.label, c.color]), [["run 1", 0], ["run 2", 1]]);
  assert.deepEqual(time.curves.map((c) => [c.label, c.dashed]), [["run 1, step", false], ["run 1, input", true], ["run 2, step", false], ["run 2, input", true]]);
});

const steps = (mean, more = {}) => ({ count: mean.length, bucket: 1, warmup: [], samples_per_step: 2, seconds: { mean }, input_seconds: { mean }, loss: { mean }, ...more });
const epoch = (number, count, evaluation) => ({ epoch: number, steps: count, train_seconds: count, eval_seconds: evaluation });

test("the time of a step counts the evaluations before it", () => {
  assert.deepEqual(stepTimes(steps([1, 1, 1, 1]), [epoch(1, 2, 10), epoch(2, 2, 10)], 100), [100.5, 101.5, 112.5, 113.5]);
  assert.deepEqual(stepTimes(steps([2, 2], { bucket: 2, count: 3 }), [], 0), [2, 5]); // the last bucket has one step
});

test("a run has charts of steps, epochs, figures and usage, each with the axes that are known", () => {
  const figures = {
    loss: { step: [0, 10], unix_seconds: [1000, 1005], value: { mean: [2, 1] } },
    epoch: { step: [0, 10], unix_seconds: [1000, 1005], value: { mean: [0, 1] } },
  };
  const usage = { why: "", series: { unix_seconds: [1001, 1002], cores: { mean: [1, 2] }, resident_bytes: { mean: [1, 2] }, gpus: [] }, cores_allowed: 2 };
  const charts = chartsOf({ steps: steps([0.5, 0.5]), epochs: [epoch(1, 2, 0)], figures, usage }, { began: 1000, firstStep: 1 });
  const byTitle = Object.fromEntries(charts.map((chart) => [chart.title, chart.curves[0].at]));
  assert.deepEqual(byTitle["Training loss"], { step: [1, 2], time: [1.25, 1.75], epoch: [0.5, 1] });
  assert.deepEqual(byTitle["Accuracy"], { step: [2], time: [3], epoch: [1] });
  assert.deepEqual(byTitle["loss"], { step: [0, 10], time: [0, 5], epoch: [0, 1] });
  assert.deepEqual(byTitle["CPU cores in use"], { time: [1, 2] });
  assert.deepEqual(charts.find((chart) => chart.title === "Samples per second").curves[0].values.mean, [4, 4]);
});

test("the first step of a resumed run is at an unknown time", () => {
  const run = (attempt) => ({ created_at: 100, record: { started: { attempt }, started_at: 101, startup_seconds: 2 } });
  assert.deepEqual(originOf(run(1)), { began: 100, firstStep: 3 });
  assert.deepEqual(originOf(run(2)), { began: 100, firstStep: 0 });
});

test("the value at the cursor is that of the nearest point of the line", () => {
  assert.equal(nearestIndex([1, undefined, undefined, 4], 1), 0);
  assert.equal(nearestIndex([1, undefined, undefined, null], 2), 3);
});

test("a line is broken at gaps, not where only other lines have points", () => {
  const same = (v) => v;
  assert.equal(pathOf([0, 1, 2, 3, 4], [1, undefined, 2, null, 3], same, same), "M0.0 1.0L2.0 2.0M4.0 3.0");
});

test("points that no line can show are found: those between gaps", () => {
  assert.deepEqual(singlePoints([1]), [0]);
  assert.deepEqual(singlePoints([]), []);
  assert.deepEqual(singlePoints([null, 1, undefined, null, 2, undefined, 3, null, 4]), [1, 8]);
});

test("a point is drawn as a disc", () => {
  const same = (v) => v;
  assert.equal(discsOf([1, 2], [0, 10, 20], [5, 7, null], same, same), "M7.5 7.0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0Z");
});

test("a saved picture is well-formed, whatever a figure is called", () => {
  const label = { text: '<script>"&\u0007', x: 0, y: 0, color: "#000", anchor: "start" };
  const svg = svgOf({ width: 10, height: 10, paper: "#fff", inside: [0, 0, 10, 10], shapes: [{ path: "M0 0", stroke: "#000", inside: true }], labels: [label] });
  assert.match(svg, />&#60;script&#62;&#34;&#38;\ufffd<\/text>/);
  assert.doesNotMatch(svg, /<script/);
});
