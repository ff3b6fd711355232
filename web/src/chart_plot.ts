// How uPlot draws a chart: scales, axes, series.
import uPlot from "uplot";
import { singlePoints, smoothed, type Values } from "./curve";
import { seconds, tick } from "./format";
import { logTicks, roundTicks } from "./statistics";

export interface Line {
  label: string;
  values: Values;
  low?: Values;
  high?: Values;
  color?: number; // index of a series colour: --c0 to --c7
  dashed?: boolean;
  points?: boolean;
  smooth?: boolean;
}
export interface ChartProps {
  title: string;
  unit: string;
  x: number[];
  xTitle: string;
  xUnit?: string;
  lines: Line[];
  fromZero?: boolean;
  height?: number;
  group?: string; // charts of the same group share their cursor and zoom
  limit?: { value: number; label: string } | undefined;
  help?: string;
  smoothing?: number; // weight of the earlier values, 0 to 0.99
  log?: boolean;
}
export type Range = { min: number; max: number };

export const colorOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const lineColor = (index: number) => colorOf(`--c${index % 8}`);
const translucent = (color: string, percent: number) => `color-mix(in srgb, ${color} ${percent}%, transparent)`;

// Byte axes use powers of two, so that ticks are round numbers.
const byteSteps = Array.from({ length: 60 }, (_, i) => 2 ** i);

export const pointSize = 5; // diameter
// A line's points: all, or those that the line cannot show.
const pointsOf = (line: Line, fill: string): uPlot.Series.Points => ({
  size: pointSize, fill, show: line.points ?? false, filter: (u, i) => (line.points ? null : singlePoints(u.data[i]!)),
});

const isSmoothed = (props: ChartProps, line: Line) => (props.smoothing ?? 0) > 0 && line.smooth !== false;
const positive = (values: Values): Values => values.map((v) => (v !== null && v !== undefined && v <= 0 ? null : v));

// The places of a line among the series of uPlot.
export interface LineSeries {
  all: number[];
  low?: number;
  high?: number;
  values: number;
  shown: number; // the smoothed values, or the values
}
export interface Layout {
  data: uPlot.AlignedData;
  series: uPlot.Series[];
  bands: uPlot.Band[];
  lines: LineSeries[];
}

// Low and high are invisible series; the area between them is filled.
export function layoutOf(props: ChartProps): Layout {
  const data: Values[] = [props.x];
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  const add = (values: Values, how: uPlot.Series) => {
    series.push({ points: { show: false }, ...how });
    return data.push(props.log ? positive(values) : values) - 1;
  };
  const lines = props.lines.map((line, i): LineSeries => {
    const color = lineColor(line.color ?? i);
    const places: LineSeries = { all: [], values: 0, shown: 0 };
    if (line.low && line.high) {
      places.high = add(line.high, { stroke: "transparent", width: 0 });
      places.low = add(line.low, { stroke: "transparent", width: 0 });
      places.all.push(places.high, places.low);
      bands.push({ series: [places.high, places.low], fill: translucent(color, 18) });
    }
    const smooth = isSmoothed(props, line);
    const stroke = smooth ? translucent(color, 35) : color;
    const dash = line.dashed ? { dash: [5, 4] } : {};
    places.values = places.shown = add(line.values, {
      label: line.label, stroke, width: smooth ? 1 : 1.5, spanGaps: false, points: pointsOf(line, stroke), ...dash,
    });
    places.all.push(places.values);
    if (smooth) {
      places.shown = add(smoothed(line.values, props.smoothing!), { label: line.label, stroke: color, width: 1.8, points: pointsOf(line, color), ...dash });
      places.all.push(places.shown);
    }
    return places;
  });
  return { data: data as uPlot.AlignedData, series, bands, lines };
}

function limitLine(limit: { value: number }): uPlot.Plugin {
  return {
    hooks: {
      draw: (u) => {
        const y = u.valToPos(limit.value, "y", true);
        if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
        const { ctx } = u;
        ctx.save();
        ctx.strokeStyle = colorOf("--soft");
        ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
        ctx.lineWidth = devicePixelRatio;
        ctx.beginPath();
        ctx.moveTo(u.bbox.left, y);
        ctx.lineTo(u.bbox.left + u.bbox.width, y);
        ctx.stroke();
        ctx.restore();
      },
    },
  };
}

// The nearest point of the line: lines of other runs have points in between.
export function nearestIndex(values: ArrayLike<number | null | undefined>, index: number): number {
  for (let away = 0; away < values.length; ++away) {
    if (values[index - away] !== undefined) return index - away;
    if (values[index + away] !== undefined) return index + away;
  }
  return index;
}

function yScale(props: ChartProps): uPlot.Scale {
  return {
    distr: props.log ? 3 : 1,
    range: (_u, low, high) => {
      if (!Number.isFinite(low) || !Number.isFinite(high)) return props.log ? [0.1, 1] : [0, 1];
      if (props.log) {
        const pad = Math.max(1.05, (high / low) ** 0.06);
        return [low / pad, high * pad];
      }
      const bottom = props.fromZero ? Math.min(0, low) : low;
      const pad = (high - bottom || Math.abs(high) || 1) * 0.06;
      return [props.fromZero ? bottom : bottom - pad, high + pad];
    },
  };
}

function logSplitsOf(min: number, max: number, isBytes: boolean): number[] {
  const powers = byteSteps.filter((each) => each >= min && each <= max);
  if (isBytes && powers.length > 1) return powers.filter((_, i) => i % Math.ceil(powers.length / 7) === 0);
  return max / min < 5 ? roundTicks(min, max) : logTicks(min, max);
}

export function optionsOf(props: ChartProps, layout: Layout, width: number): uPlot.Options {
  const soft = colorOf("--soft");
  const axis: uPlot.Axis = { stroke: soft, font: `11px ${getComputedStyle(document.body).fontFamily}`, grid: { stroke: colorOf("--rule"), width: 1 }, ticks: { show: false }, gap: 4 };
  const xText = (t: number) => (props.xUnit === "seconds" ? seconds(t) : tick("count", t));
  const isBytes = props.unit.startsWith("bytes");
  const logSplits = { splits: (_u: uPlot, _i: number, min: number, max: number) => logSplitsOf(min, max, isBytes), filter: (_u: uPlot, ticks: number[]) => ticks };
  return {
    width,
    height: props.height ?? 168,
    padding: [8, 16, 0, 0],
    cursor: {
      points: { size: 6 },
      y: false,
      ...(props.group ? { sync: { key: props.group } } : {}),
      drag: { x: true, y: false },
      dataIdx: (u, i, index) => (i === 0 ? index : nearestIndex(u.data[i]!, index)),
    },
    legend: { show: false },
    scales: { x: { time: false }, y: yScale(props) },
    axes: [
      { ...axis, size: 24, values: (_u, ticks) => ticks.map(xText) },
      {
        ...axis, ...(isBytes ? { incrs: byteSteps } : {}), ...(props.log ? logSplits : {}),
        size: (_u, values) => 14 + Math.max(18, ...(values ?? []).map((v) => v.length * 6)),
        values: (_u, ticks) => ticks.map((t) => tick(props.unit, t)),
      },
    ],
    series: layout.series,
    bands: layout.bands,
    plugins: props.limit ? [limitLine(props.limit)] : [],
  };
}
