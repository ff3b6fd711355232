// How the series of a live run grow, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./bundled.mjs";

const { mostBuckets } = await load("buckets.ts");
const { changes } = await load("live_series.ts");
const { interpolated } = await load("curve.ts");
const close = (actual, expected) => assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.abs(expected), `${actual} is not ${expected}`);
const logged = (from, to, value) => Array.from({ length: to - from + 1 }, (_, i) => ({ step: from + i, unix_seconds: 1000 + from + i, values: { loss: value(from + i) } }));
const withFigures = (figures, lines) => changes.figures({ figures }, lines).figures;

test("a few live figures are single points", () => {
  const { loss, acc } = withFigures({}, [...logged(1, 2, (i) => 1 / i), { step: null, unix_seconds: 1003, values: { loss: 0, acc: 0.5 } }]);
  assert.deepEqual(loss, { count: 3, bucket: 1, step: [1, 2, 3], unix_seconds: [1001, 1002, 1003], value: { mean: [1, 0.5, 0] } });
  assert.deepEqual([acc.step, acc.value.mean], [[1], [0.5]]);
});

test("many live figures are buckets like those of the server, without a lost extreme", () => {
  const value = (i) => (i === 7777 ? 9 : Math.sin(i));
  const total = 16_001;
  let figures = {};
  for (let from = 1; from <= total; from += 37) figures = withFigures(figures, logged(from, Math.min(from + 36, total), value));
  const { count, bucket, step, unix_seconds, value: { low, mean, high } } = figures.loss;
  assert.deepEqual([count, bucket], [total, 8]);
  assert.ok(mean.length <= mostBuckets && mean.length > mostBuckets / 2, `${mean.length} buckets`);
  mean.forEach((each, k) => {
    const part = Array.from({ length: Math.min(bucket, total - k * bucket) }, (_, i) => value(k * bucket + 1 + i));
    close(each, part.reduce((a, b) => a + b) / part.length);
    assert.deepEqual([low[k], high[k]], [Math.min(...part), Math.max(...part)]);
    close(step[k], k * bucket + 1 + (part.length - 1) / 2);
    close(unix_seconds[k], 1000 + step[k]);
  });
});

test("figures continue the buckets that the server sent", () => {
  const served = { loss: { count: 5, bucket: 2, step: [1.5, 3.5, 5], unix_seconds: [1, 3, 5], value: { low: [1, 3, 5], mean: [1.5, 3.5, 5], high: [2, 4, 5] } } };
  const { loss } = withFigures(served, [{ step: 6, unix_seconds: 6, values: { loss: 7 } }, { step: 7, unix_seconds: 7, values: { loss: 0 } }]);
  assert.deepEqual(loss, { count: 7, bucket: 2, step: [1.5, 3.5, 5.5, 7], unix_seconds: [1, 3, 5.5, 7], value: { low: [1, 3, 5, 0], mean: [1.5, 3.5, 6, 0], high: [2, 4, 7, 0] } });
});

test("steps that come a few at a time fill their buckets", () => {
  const served = { low: [1], mean: [1], high: [1] };
  const steps = { count: 4, bucket: 4, warmup: [], samples_per_step: 1, seconds: served, input_seconds: served, loss: { low: [null], mean: [null], high: [null] } };
  const fresh = (first_step, values) => ({ first_step, seconds: values, input_seconds: values, loss: values.map(() => null) });
  const after = changes.steps({ steps }, [fresh(4, [1, 2]), fresh(6, [4]), fresh(7, [6, 8, 5])]).steps;
  assert.equal(after.count, 9);
  assert.deepEqual(after.seconds, { low: [1, 2, 5], mean: [1, 5, 5], high: [1, 8, 5] });
  assert.deepEqual(after.loss.mean, [null, null, null]);
  assert.equal(changes.steps({ steps: after }, [fresh(12, [1])]).steps, after, "steps behind a gap");
});

test("a repeated epoch replaces the old one and those after it", () => {
  const epochs = (...numbers) => numbers.map((epoch) => ({ epoch }));
  assert.deepEqual(changes.epoch({ epochs: epochs(1, 2, 3) }, epochs(2, 3)).epochs, epochs(1, 2, 3));
  assert.deepEqual(changes.epoch({ epochs: epochs(1, 2, 3) }, epochs(2)).epochs, epochs(1, 2));
});

test("a point is placed on another axis without looking at all others", () => {
  let reads = 0;
  const xs = new Proxy(Array.from({ length: 16_000 }, (_, i) => i), { get: (target, key) => (++reads, target[key]) });
  assert.equal(interpolated(12_345.5, xs, xs), 12_345.5);
  assert.ok(reads < 50, `${reads} reads`);
});
