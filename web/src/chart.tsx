// A line chart (uPlot) in the page's colours, with bands for the spread of values.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { formatValue, seconds, tick } from "./format";
import { useThemeName } from "./theme";

export interface Line {
  label: string;
  values: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
  color?: number; // index of a series colour: --c0 to --c7
  points?: boolean;
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
  group?: string; // charts of the same group share their cursor
  limit?: { value: number; label: string } | undefined;
  help?: string;
}

const colorOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const lineColor = (index: number) => colorOf(`--c${index % 8}`);

function translucent(color: string): string {
  return `color-mix(in srgb, ${color} 18%, transparent)`;
}

// Byte axes use powers of two, so that ticks are round numbers.
const byteSteps = Array.from({ length: 60 }, (_, i) => 2 ** i);

// Low and high are hidden series; the area between them is filled.
function seriesOf(props: ChartProps): { data: uPlot.AlignedData; series: uPlot.Series[]; bands: uPlot.Band[] } {
  const data: (number | null)[][] = [props.x];
  const series: uPlot.Series[] = [{ label: props.xTitle, value: (_u, v) => v === null ? "–" : formatValue(props.xUnit ?? "count", v) }];
  const bands: uPlot.Band[] = [];
  props.lines.forEach((line, i) => {
    const color = lineColor(line.color ?? i);
    if (line.low && line.high) {
      const at = data.length;
      data.push(line.high, line.low);
      for (const name of ["high", "low"]) {
        series.push({ label: `${line.label} ${name}`, stroke: "transparent", width: 0, points: { show: false }, value: (_u, v) => formatValue(props.unit, v) });
      }
      bands.push({ series: [at, at + 1], fill: translucent(color) });
    }
    data.push(line.values);
    series.push({
      label: line.label,
      stroke: color,
      width: 1.5,
      points: line.points ? { show: true, size: 5, fill: color } : { show: false },
      value: (_u, v) => formatValue(props.unit, v),
      spanGaps: false,
    });
  });
  return { data: data as uPlot.AlignedData, series, bands };
}

function limitLine(limit: { value: number; label: string }): uPlot.Plugin {
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

function optionsOf(props: ChartProps, width: number): uPlot.Options {
  const { series, bands } = seriesOf(props);
  const soft = colorOf("--soft");
  const rule = colorOf("--rule");
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: soft, font, grid: { stroke: rule, width: 1 }, ticks: { show: false } };
  const xSeconds = props.xUnit === "seconds";
  return {
    width,
    height: props.height ?? 168,
    padding: [8, 10, 0, 0],
    cursor: {
      points: { size: 6 },
      y: false,
      ...(props.group ? { sync: { key: props.group } } : {}),
      drag: { x: true, y: false },
    },
    legend: { show: true, live: true, isolate: true },
    scales: {
      x: { time: false },
      y: {
        range: (_u, low, high) => {
          if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
          const bottom = props.fromZero ? Math.min(0, low) : low;
          const pad = (high - bottom || Math.abs(high) || 1) * 0.06;
          return [props.fromZero ? bottom : bottom - pad, high + pad];
        },
      },
    },
    axes: [
      { ...axis, size: 24, gap: 4, values: (_u, ticks) => ticks.map((t) => xSeconds ? seconds(t) : tick("count", t)) },
      { ...axis, ...(props.unit.startsWith("bytes") ? { incrs: byteSteps } : {}), size: (_u, values) => 14 + Math.max(18, ...(values ?? []).map((v) => v.length * 6)), gap: 4, values: (_u, ticks) => ticks.map((t) => tick(props.unit, t)) },
    ],
    series,
    bands,
    plugins: props.limit ? [limitLine(props.limit)] : [],
  };
}

// A text alternative for screen readers.
function describe(props: ChartProps): string {
  const parts = props.lines.map((line) => {
    const known = line.values.filter((v): v is number => v !== null && Number.isFinite(v));
    if (known.length === 0) return `${line.label}: no values`;
    const last = known[known.length - 1]!;
    return `${line.label}: from ${formatValue(props.unit, known[0])} to ${formatValue(props.unit, last)}, ` +
      `lowest ${formatValue(props.unit, Math.min(...known.slice(0, 20000)))}, highest ${formatValue(props.unit, Math.max(...known.slice(0, 20000)))}`;
  });
  return `${props.title} by ${props.xTitle}. ${parts.join(". ")}`;
}

export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = useThemeName();
  const shape = `${theme}|${props.title}|${props.unit}|${props.xUnit}|${props.limit?.value}|` +
    props.lines.map((l) => `${l.label}${l.color}${l.low ? 1 : 0}${l.points ? 1 : 0}`).join(",");
  // The chart is rebuilt only if its shape changes: new data alone keeps the zoom.
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const { data } = seriesOf(props);
    const chart = new uPlot(optionsOf(props, element.clientWidth), data, element);
    plot.current = chart;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) chart.setSize({ width: element.clientWidth, height: props.height ?? 168 });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => {
    plot.current?.setData(seriesOf(props).data);
  }, [props.x, props.lines.map((l) => l.values.length).join(), props.x[props.x.length - 1]]);
  return (
    <figure class="chart">
      <figcaption title={props.help}>
        {props.title}
        {props.limit && <span class="soft"> ┄ {props.limit.label}</span>}
      </figcaption>
      <div ref={place} role="img" aria-label={describe(props)} />
    </figure>
  );
}
