// The charts of one run, from its series.
import { interpolated, type Curve, type CurveChart } from "./curve";
import { bytes } from "./format";
import type { RunSeries } from "./live_series";
import type { Epoch, RunDetail, Steps, UsageSeries } from "./types";

// Both in seconds: when the run began (Unix time), and how long after that its first step.
export interface Origin { began: number; firstStep: number }

export function originOf(run: RunDetail): Origin {
  const { started, started_at, startup_seconds } = run.record;
  const known = started?.attempt === 1 && started_at !== undefined;
  return { began: run.created_at, firstStep: known ? Math.max(0, started_at + (startup_seconds ?? 0) - run.created_at) : 0 };
}

// The time of the middle of each bucket of steps, with the evaluations in between.
export function stepTimes(steps: Steps, epochs: Epoch[], firstStep: number): number[] {
  let before = firstStep;
  let epoch = 0;
  let end = epochs[0]?.steps ?? Infinity; // the last step of the epoch
  return steps.seconds.mean.map((mean, i) => {
    for (; i * steps.bucket >= end; end += epochs[++epoch]?.steps ?? Infinity) before += epochs[epoch]!.eval_seconds;
    const length = (mean ?? 0) * Math.min(steps.bucket, steps.count - i * steps.bucket);
    before += length;
    return before - length / 2;
  });
}

function stepCharts(steps: Steps, epochs: Epoch[], firstStep: number): CurveChart[] {
  if (steps.count === 0) return [];
  // The middle of each bucket, counted from step 1.
  const step = steps.seconds.mean.map((_, i) => (i * steps.bucket + 1 + Math.min((i + 1) * steps.bucket, steps.count)) / 2);
  const each = epochs[0]?.steps;
  const at = { step, time: stepTimes(steps, epochs, firstStep), ...(each ? { epoch: step.map((s) => s / each) } : {}) };
  const rate = steps.seconds.mean.map((s) => (s ? steps.samples_per_step / s : null));
  return [
    { title: "Training loss", unit: "none", curves: [{ label: "training loss", at, values: steps.loss, color: 0 }] },
    { title: "Samples per second", unit: "per_second", fromZero: true, curves: [{ label: "samples per second", at, values: { mean: rate }, color: 2 }] },
    {
      title: "Step time", unit: "seconds", fromZero: true, curves: [
        { label: "whole step", at, values: steps.seconds, color: 0, smooth: false },
        { label: "waiting for input", at, values: steps.input_seconds, color: 1, smooth: false },
      ],
    },
  ];
}

function epochCharts(epochs: Epoch[], firstStep: number): CurveChart[] {
  if (epochs.length === 0) return [];
  const total = (length: (e: Epoch) => number) => epochs.map((_, i) => epochs.slice(0, i + 1).reduce((sum, e) => sum + length(e), 0));
  const at = { epoch: epochs.map((e) => e.epoch), step: total((e) => e.steps), time: total((e) => e.train_seconds + e.eval_seconds).map((t) => firstStep + t) };
  const curve = (label: string, color: number, key: "top1" | "train_top1" | "eval_loss" | "train_loss"): Curve =>
    ({ label, at, values: { mean: epochs.map((e) => e[key]) }, color, points: true, smooth: false });
  return [
    { title: "Accuracy", unit: "share", curves: [curve("evaluation top-1", 0, "top1"), curve("training top-1", 1, "train_top1")] },
    { title: "Loss by epoch", unit: "none", curves: [curve("evaluation", 0, "eval_loss"), curve("training", 1, "train_loss")] },
  ];
}

// Values of so few evaluations are shown as they are.
const few = 30;

// A program may log its epoch as a figure, which places the others on that axis.
function figureCharts(figures: RunSeries["figures"], began: number): CurveChart[] {
  const epoch = Object.entries(figures).find(([name]) => /(^|\/)epoch$/.test(name))?.[1];
  return Object.entries(figures).map(([name, { step, unix_seconds, value }], i) => {
    const at = {
      step,
      ...(unix_seconds ? { time: unix_seconds.map((t) => t - began) } : {}),
      ...(epoch ? { epoch: step.map((s) => interpolated(s, epoch.step, epoch.value.mean)) } : {}),
    };
    return { title: name, unit: "none", curves: [{ label: name, at, values: value, color: i, ...(step.length < few ? { points: true, smooth: false } : {}) }] };
  });
}

function usageCharts(use: UsageSeries, began: number, coresAllowed?: number, memoryLimit?: number): CurveChart[] {
  const at = { time: use.unix_seconds.map((t) => t - began) };
  if (at.time.length < 2) return [];
  const curve = (label: string, values: Curve["values"] | undefined, color: number): Curve[] =>
    (values ? [{ label, at, values, color, smooth: false }] : []);
  const chart = (title: string, unit: string, curves: Curve[], limit?: CurveChart["limit"]): CurveChart =>
    ({ title, unit, fromZero: true, curves, limit });
  const gpus = (key: "busy" | "memory_bytes" | "watts") => use.gpus.flatMap((gpu, i) => curve(`GPU ${gpu.index}`, gpu[key], i));
  return [
    chart("CPU cores in use", "count", curve("cores", use.cores, 0), coresAllowed ? { value: coresAllowed, label: `limit ${coresAllowed}` } : undefined),
    chart("Memory, all processes", "bytes", curve("resident", use.resident_bytes, 3), memoryLimit ? { value: memoryLimit, label: `limit ${bytes(memoryLimit)}` } : undefined),
    chart("Storage", "bytes_per_second", [...curve("read", use.read_bytes_per_s, 2), ...curve("write", use.write_bytes_per_s, 1)]),
    chart("GPU busy", "share", gpus("busy")),
    chart("GPU memory", "bytes", gpus("memory_bytes")),
    chart("GPU power, watts", "count", gpus("watts")),
  ].filter((each) => each.curves.length > 0);
}

// The charts in parts, each with the input that it depends on.
export function chartParts({ steps, epochs, figures, usage }: RunSeries, { began, firstStep }: Origin): [from: unknown[], make: () => CurveChart[]][] {
  return [
    [[steps, epochs, firstStep], () => (steps ? stepCharts(steps, epochs, firstStep) : [])],
    [[epochs, firstStep], () => epochCharts(epochs, firstStep)],
    [[figures, began], () => figureCharts(figures, began)],
    [[usage, began], () => (usage?.series ? usageCharts(usage.series, began, usage.cores_allowed, usage.memory_limit_bytes) : [])],
  ];
}

export const chartsOf = (series: RunSeries, origin: Origin): CurveChart[] => chartParts(series, origin).flatMap(([, make]) => make());
