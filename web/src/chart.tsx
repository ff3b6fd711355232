// A line chart (uPlot) in the page's colours, with a legend, zoom and export.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { pictureOf, pngOf, svgOf } from "./chart_image";
import { layoutOf, nearestIndex, optionsOf, type ChartProps, type Layout, type Range } from "./chart_plot";
import type { Values } from "./curve";
import { formatValue } from "./format";
import { csvOf, saveFile } from "./save";
import { useThemeName } from "./theme";

// A text alternative for screen readers.
function describe(props: ChartProps): string {
  const parts = props.lines.map((line) => {
    const known = line.values.filter((v): v is number => v !== null && v !== undefined && Number.isFinite(v));
    if (known.length === 0) return `${line.label}: no values`;
    const [low, high] = known.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
    const text = (value: number | undefined) => formatValue(props.unit, value);
    return `${line.label}: from ${text(known[0])} to ${text(known[known.length - 1])}, lowest ${text(low)}, highest ${text(high)}`;
  });
  return `${props.title} by ${props.xTitle}. ${parts.join(". ")}`;
}

const plotsOf = (plot: uPlot, group: string | undefined) => (group ? uPlot.sync(group).plots : [plot]);
const wholeRange = (plot: uPlot): Range => ({ min: plot.data[0][0] ?? 0, max: plot.data[0][plot.data[0].length - 1] ?? 0 });

// Shows all of each chart.
function resetZoom(plot: uPlot, group: string | undefined): void {
  for (const each of plotsOf(plot, group)) each.setData(each.data, true);
}

// Zooms and moves with the keyboard; returns false for other keys.
function zoomWithKey(plot: uPlot, group: string | undefined, key: string): boolean {
  if (key === "Escape") {
    resetZoom(plot, group);
    return true;
  }
  const { min = 0, max = 0 } = plot.scales["x"]!;
  const whole = wholeRange(plot);
  const length = (max ?? 0) - (min ?? 0);
  const [factor, shift] = ({ "+": [0.5, 0], "=": [0.5, 0], "-": [2, 0], ArrowLeft: [1, -0.2], ArrowRight: [1, 0.2] } as Record<string, [number, number]>)[key] ?? [];
  if (factor === undefined || shift === undefined || whole.max === whole.min) return false;
  const next = Math.min(length * factor, whole.max - whole.min);
  const from = Math.min(Math.max((min ?? 0) + (length - next) / 2 + shift * length, whole.min), whole.max - next);
  for (const each of plotsOf(plot, group)) each.setScale("x", { min: from, max: from + next });
  return true;
}

interface LegendProps { props: ChartProps; layout: Layout; hidden: Set<string>; index: number | null; change: (hidden: Set<string>) => void }

// The values at the cursor, or the last ones. A click hides a line; with Ctrl or twice, it hides all others.
function Legend({ props, layout, hidden, index, change }: LegendProps): JSX.Element {
  const at = index ?? props.x.length - 1;
  const valueAt = (series: number) => {
    const values = layout.data[series] as Values;
    return formatValue(props.unit, values[nearestIndex(values, at)]);
  };
  const only = (label: string) => {
    const others = props.lines.map((line) => line.label).filter((each) => each !== label);
    change(new Set(!hidden.has(label) && others.every((each) => hidden.has(each)) ? [] : others));
  };
  const toggle = (label: string) => {
    const next = new Set(hidden);
    if (!next.delete(label)) next.add(label);
    change(next);
  };
  return (
    <ul class="chart-legend">
      <li class="soft">{props.xTitle} {formatValue(props.xUnit ?? "count", props.x[at])}</li>
      {props.lines.map((line, i) => {
        const { values, shown } = layout.lines[i]!;
        return (
          <li key={line.label}>
            <button
              type="button" class="quiet" aria-pressed={!hidden.has(line.label)} title="Click hides or shows the line, double click shows only this one"
              onClick={(event) => (event.ctrlKey || event.metaKey ? only(line.label) : toggle(line.label))} onDblClick={() => only(line.label)}
            ><i class={`swatch inline c${(line.color ?? i) % 8}${line.dashed ? " dashed" : ""}`} aria-hidden="true" /> {line.label}</button>
            {!hidden.has(line.label) && <b>{valueAt(shown)}{shown !== values && <span class="soft" title="not smoothed"> ({valueAt(values)})</span>}</b>}
          </li>
        );
      })}
    </ul>
  );
}

export function Chart(props: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const zoom = useRef<Range | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const [zoomed, setZoomed] = useState(false);
  const [large, setLarge] = useState(false);
  const [hidden, setHidden] = useState<Set<string>>(new Set());
  const theme = useThemeName();
  const height = (props.height ?? 168) * (large ? 2 : 1);
  const smoothing = props.smoothing ?? 0;
  const layout = useMemo(() => layoutOf(props), [props.x, props.lines, smoothing, props.log, theme]);
  const words = useMemo(() => describe(props), [props.x, props.lines]);
  // The chart is made again only if its shape changes: new data alone keeps the zoom.
  const shape = [theme, props.title, props.unit, props.xTitle, props.limit?.value, props.log, smoothing > 0,
    ...props.lines.map((l) => `${l.label} ${l.color} ${l.low ? 1 : 0} ${l.points ? 1 : 0}`)].join("|");
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const options = optionsOf({ ...props, height }, layout, element.clientWidth);
    const readZoom = (u: uPlot) => {
      const { min, max } = u.scales["x"]!;
      const whole = wholeRange(u);
      zoom.current = min != null && max != null && (min > whole.min || max < whole.max) ? { min, max } : null;
      setZoomed(zoom.current !== null);
    };
    const chart = new uPlot({
      ...options,
      hooks: { setCursor: [(u) => setIndex(u.cursor.idx ?? null)], setScale: [(u, key) => { if (key === "x") readZoom(u); }] },
    }, layout.data, element);
    plot.current = chart;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0 && element.clientWidth !== chart.width) chart.setSize({ width: element.clientWidth, height: chart.height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => {
    const chart = plot.current;
    if (!chart || chart.data === layout.data) return;
    const range = zoom.current;
    chart.setData(layout.data, range === null);
    if (range) chart.setScale("x", range);
  }, [layout]);
  useEffect(() => {
    const chart = plot.current;
    props.lines.forEach((line, i) => layout.lines[i]!.all.forEach((series) => {
      if (chart && chart.series[series]!.show === hidden.has(line.label)) chart.setSeries(series, { show: !hidden.has(line.label) });
    }));
  }, [hidden, shape]);
  useEffect(() => {
    if (plot.current && plot.current.height !== height) plot.current.setSize({ width: plot.current.width, height });
  }, [height]);

  const save = async (kind: "png" | "svg" | "csv") => {
    const chart = plot.current;
    if (!chart) return;
    const name = `${props.title.replace(/[^\w.-]+/g, "-")}.${kind}`;
    if (kind === "csv") return saveFile(name, "text/csv", csvOf([[props.xTitle, ...props.lines.map((l) => l.label)], ...props.x.map((x, i) => [x, ...props.lines.map((l) => l.values[i] ?? NaN)])]));
    const picture = pictureOf(chart, props, layout, hidden);
    const image = kind === "svg" ? svgOf(picture) : await pngOf(picture);
    if (image) saveFile(name, "image/svg+xml", image);
  };
  return (
    <figure class={large ? "chart large" : "chart"}>
      <figcaption title={props.help}>
        {props.title}
        {props.limit && <span class="soft"> ┄ {props.limit.label}</span>}
        <span class="chart-tools">
          {zoomed && <button type="button" class="quiet" onClick={() => plot.current && resetZoom(plot.current, props.group)}>Reset zoom</button>}
          <button type="button" class="quiet" aria-pressed={large} aria-label={`Enlarge ${props.title}`} title="Enlarge" onClick={() => setLarge(!large)}>⤢</button>
          <details class="menu">
            <summary class="quiet" aria-label={`Save ${props.title}`} title="Save">⤓</summary>
            <div class="choices">
              {(["png", "svg", "csv"] as const).map((kind) => (
                <button key={kind} type="button" class="quiet" onClick={(e) => { e.currentTarget.closest("details")!.open = false; void save(kind); }}>{kind.toUpperCase()}</button>
              ))}
            </div>
          </details>
        </span>
      </figcaption>
      <div
        ref={place} role="img" aria-label={words} tabIndex={0}
        onDblClick={() => plot.current && resetZoom(plot.current, props.group)}
        onKeyDown={(event) => { if (plot.current && zoomWithKey(plot.current, props.group, event.key)) event.preventDefault(); }}
      />
      <Legend props={props} layout={layout} hidden={hidden} index={index} change={setHidden} />
    </figure>
  );
}
