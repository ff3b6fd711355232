// Curves and their places on the axes of a chart.
import uPlot from "uplot";
import type { Line } from "./chart_plot";
import type { Buckets } from "./types";

export type Axis = "step" | "time" | "epoch";
export type Values = (number | null | undefined)[]; // null is a gap, undefined is no point at this x

export interface Curve {
  label: string;
  at: Partial<Record<Axis, number[]>>;
  values: Buckets;
  color: number;
  dashed?: boolean;
  points?: boolean;
  smooth?: boolean; // false: never smoothed
}
export interface CurveChart {
  title: string;
  unit: string;
  curves: Curve[];
  fromZero?: boolean;
  limit?: { value: number; label: string } | undefined;
}
// How all charts of a page are shown.
export interface ChartView {
  axis: Axis;
  smoothing: number; // 0 to 0.99
  log: boolean;
  find: string; // only charts whose title contains it
}

// The exponential moving average of TensorBoard: the first values are not drawn towards zero.
export function smoothed(values: Values, weight: number): Values {
  let sum = 0;
  let missing = 1; // the weight that no value has yet
  return values.map((value) => {
    if (value === null || value === undefined) return value;
    sum = sum * weight + value * (1 - weight);
    missing *= weight;
    return sum / (1 - missing);
  });
}

// The value at `x` on the line through the points, which ascend; the nearest point's beyond them.
export function interpolated(x: number, xs: number[], ys: (number | null)[]): number {
  let [first, last] = [0, xs.length]; // the first point at or behind x is between them
  while (first < last) {
    const middle = (first + last) >> 1;
    if (xs[middle]! < x) first = middle + 1;
    else last = middle;
  }
  if (first === 0 || first === xs.length) return ys[first === 0 ? 0 : first - 1] ?? NaN;
  const part = (x - xs[first - 1]!) / (xs[first]! - xs[first - 1]!);
  return (ys[first - 1] ?? NaN) * (1 - part) + (ys[first] ?? NaN) * part;
}

// The points that a line cannot show, because there are gaps on both sides.
export function singlePoints(values: ArrayLike<number | null | undefined>): number[] {
  const single: number[] = [];
  let inARow = 0;
  let last = 0;
  for (let i = 0; i <= values.length; ++i) {
    const value = i < values.length ? values[i] : null;
    if (value === undefined) continue;
    if (value === null && inARow === 1) single.push(last);
    inARow = value === null ? 0 : inARow + 1;
    last = i;
  }
  return single;
}

const isAscending = (xs: number[]) => xs.every((x, i) => i === 0 || xs[i - 1]! <= x);

// The axis of a chart: the selected one, or else one that its curves have.
export function axisOf(chart: CurveChart, axis: Axis): Axis {
  const has = (each: Axis) => chart.curves.some((curve) => curve.at[each]);
  return [axis, "step" as const, "time" as const].find(has) ?? "epoch";
}

// The curves of a chart that have this axis, as lines over the same x.
export function linesOn(curves: Curve[], axis: Axis): { x: number[]; lines: Line[] } {
  const placed = curves.filter((curve) => curve.at[axis]?.length);
  if (placed.length === 0) return { x: [], lines: [] };
  const tables = placed.map(({ at, values }): uPlot.AlignedData => {
    const x = at[axis]!;
    const columns = [x, values.mean, ...(values.low && values.high ? [values.low, values.high] : [])] as number[][];
    if (isAscending(x)) return columns as unknown as uPlot.AlignedData;
    const order = x.map((_, i) => i).sort((a, b) => x[a]! - x[b]!);
    return columns.map((column) => order.map((i) => column[i])) as unknown as uPlot.AlignedData;
  });
  const [x, ...columns] = uPlot.join(tables) as [number[], ...Values[]];
  const lines = placed.map((curve): Line => {
    const line: Line = { ...curve, values: columns.shift()! };
    return curve.values.low && curve.values.high ? { ...line, low: columns.shift()!, high: columns.shift()! } : line;
  });
  return { x, lines };
}

// The charts of several runs, with one line per run and curve.
export function overlaid(runs: { name: string; charts: CurveChart[] }[]): CurveChart[] {
  const byTitle = new Map<string, CurveChart>();
  runs.forEach((run, color) => run.charts.forEach(({ limit: _, ...chart }) => {
    const all = byTitle.get(chart.title) ?? { ...chart, curves: [] };
    byTitle.set(chart.title, all);
    chart.curves.forEach((curve, i) => all.curves.push({
      ...curve, color, dashed: i > 0, values: { mean: curve.values.mean },
      label: chart.curves.length > 1 ? `${run.name}, ${curve.label}` : run.name,
    }));
  }));
  return [...byTitle.values()];
}
