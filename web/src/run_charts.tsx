// The charts of one or several runs, and the controls for all of them.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Chart } from "./chart";
import { axisOf, linesOn, type Axis, type ChartView, type CurveChart } from "./curve";
import { count, share } from "./format";
import type { RunSeries } from "./live_series";
import { navigate, useRoute, withParams } from "./route";
import { chartParts, originOf } from "./run_curves";
import type { RunDetail } from "./types";

const usualSmoothing = 0.6; // as in TensorBoard
const axisNames: Record<Axis, string> = { step: "step", time: "time", epoch: "epoch" };

export function useChartView(): ChartView {
  const { searchParams } = useRoute();
  const axis = searchParams.get("x");
  const smoothing = Number(searchParams.get("smooth") ?? usualSmoothing);
  return {
    axis: axis === "time" || axis === "epoch" ? axis : "step",
    smoothing: smoothing >= 0 && smoothing < 1 ? smoothing : usualSmoothing,
    log: searchParams.get("y") === "log",
    find: searchParams.get("charts") ?? "",
  };
}

const unknownOrigin = { began: 0, firstStep: 0 };

// Only what depends on new data is made, and drawn, again.
export function useCharts(series: RunSeries, run: RunDetail | undefined): CurveChart[] {
  const parts = chartParts(series, run ? originOf(run) : unknownOrigin).map(([from, make]) => useMemo(make, from));
  return useMemo(() => (run ? parts.flat() : []), [...parts, !run]);
}

export function ChartControls({ charts, view }: { charts: CurveChart[]; view: ChartView }): JSX.Element {
  const url = useRoute();
  const set = (changes: Record<string, string | null>) => navigate(withParams(url, changes), true);
  const has = (axis: Axis) => charts.some((chart) => chart.curves.some((curve) => curve.at[axis]));
  return (
    <div class="chart-controls">
      <label class="pick"><span>x axis</span>
        <select value={view.axis} onChange={(e) => set({ x: e.currentTarget.value === "step" ? null : e.currentTarget.value })}>
          {(["step", "time", "epoch"] as const).map((axis) => <option key={axis} value={axis} disabled={axis !== view.axis && !has(axis)}>{axisNames[axis]}</option>)}
        </select>
      </label>
      <label class="pick"><span>smoothing</span>
        <input
          type="range" min="0" max="0.99" step="0.01" value={view.smoothing}
          onInput={(e) => set({ smooth: Number(e.currentTarget.value) === usualSmoothing ? null : e.currentTarget.value })}
        />
        <output>{view.smoothing.toFixed(2)}</output>
      </label>
      <label class="pick"><input type="checkbox" checked={view.log} onChange={(e) => set({ y: e.currentTarget.checked ? "log" : null })} /> logarithmic y</label>
      {(charts.length > 8 || view.find) && <input type="search" value={view.find} placeholder="find charts" aria-label="Show only charts whose title contains" onInput={(e) => set({ charts: e.currentTarget.value })} />}
    </div>
  );
}

function OneChart({ chart, view }: { chart: CurveChart; view: ChartView }): JSX.Element {
  const axis = axisOf(chart, view.axis);
  const { x, lines } = useMemo(() => linesOn(chart.curves, axis), [chart, axis]);
  return (
    <Chart
      title={chart.title} unit={chart.unit} x={x} xTitle={axisNames[axis]} lines={lines} log={view.log} smoothing={view.smoothing}
      fromZero={chart.fromZero ?? false} limit={chart.limit} group={axis} {...(axis === "time" ? { xUnit: "seconds" } : {})}
    />
  );
}

export function Charts({ charts, view }: { charts: CurveChart[]; view: ChartView }): JSX.Element {
  const found = charts.filter((chart) => chart.title.toLowerCase().includes(view.find.toLowerCase()));
  return (
    <div class="charts">
      {found.map((chart) => <OneChart key={chart.title} chart={chart} view={view} />)}
      {found.length === 0 && charts.length > 0 && <p class="soft">None of the {count(charts.length)} charts has “{view.find}” in its title.</p>}
    </div>
  );
}

// What is missing, or left out.
export function ChartNotes({ series, live }: { series: RunSeries; live: boolean }): JSX.Element {
  const { steps, usage, epochs, figures } = series;
  return (
    <div class="chart-notes">
      {steps?.count === 0 && epochs.length === 0 && Object.keys(figures).length === 0 && (
        <p class="soft">{live ? "No steps yet." : "No steps were recorded."} A watched program gets charts of the figures that it prints, such as <code>loss=0.3</code>.</p>
      )}
      {usage && !usage.series && <p class="soft">No usage data: {usage.why}.</p>}
      {steps && steps.warmup.length > 0 && (
        <p class="soft note">
          {steps.warmup.length} warm-up {steps.warmup.length === 1 ? "step is" : "steps are"} excluded from the
          metrics ({share(steps.warmup.length / Math.max(1, steps.count))} of all steps).
        </p>
      )}
    </div>
  );
}
