// The roofline of a run: memory bandwidth and FLOP/s compared with the machine's peaks.
import type { JSX } from "preact";
import { useApi } from "./api";
import { bytes, formatValue, seconds, share, shortTime, visible } from "./format";
import { LabSurveys } from "./lab_surveys";
import { useWidth } from "./parallel_lines";
import { navigate, useRoute, withParams } from "./route";
import { SortTable } from "./run_report";
import { logTicks } from "./statistics";
import type { Report, Roofline, Run } from "./types";
import { Command, Empty, Loading, ProblemNote, Section } from "./ui";

const height = 340;
const margin = { left: 74, right: 16, top: 14, bottom: 38 };

export function flops(value: number): string {
  const units = ["", "k", "M", "G", "T", "P"];
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    ++unit;
  }
  return `${Number(rest.toPrecision(3))} ${units[unit]}FLOP/s`;
}

function RooflineChart({ roof }: { roof: Roofline }): JSX.Element {
  const [place, width] = useWidth();
  const points = roof.points.filter((p) => p.intensity > 0 && p.flops_per_s > 0);
  const ridge = roof.peak_flops / roof.peak_bytes_per_s;
  const xLow = Math.min(ridge, ...points.map((p) => p.intensity)) / 2;
  const xHigh = Math.max(ridge, ...points.map((p) => p.intensity)) * 3;
  const yHigh = roof.peak_flops * 1.6;
  const yLow = Math.min(xLow * roof.peak_bytes_per_s, ...points.map((p) => p.flops_per_s)) / 2;
  const log = (value: number, low: number, high: number) => (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low));
  const xOf = (value: number) => margin.left + (width - margin.left - margin.right) * log(value, xLow, xHigh);
  const yOf = (value: number) => height - margin.bottom - (height - margin.top - margin.bottom) * log(value, yLow, yHigh);
  const most = Math.max(...points.map((p) => p.seconds), 1e-12);
  return (
    <div ref={place} class="offer-chart">
      <svg width={width} height={height} role="img" aria-label={`Roofline of ${roof.machine} with ${points.length} points; the table below has the same data`}>
        {logTicks(xLow, xHigh).map((t) => (
          <g key={t}><line class="rule" x1={xOf(t)} x2={xOf(t)} y1={margin.top} y2={height - margin.bottom} />
            <text x={xOf(t)} y={height - margin.bottom + 15} text-anchor="middle">{t < 1 ? t.toPrecision(1) : t}</text></g>
        ))}
        {logTicks(yLow, yHigh).map((t) => (
          <g key={t}><line class="rule" x1={margin.left} x2={width - margin.right} y1={yOf(t)} y2={yOf(t)} />
            <text x={margin.left - 6} y={yOf(t) + 4} text-anchor="end">{flops(t).replace("FLOP/s", "F/s")}</text></g>
        ))}
        <polyline class="roof" points={`${xOf(xLow)},${yOf(xLow * roof.peak_bytes_per_s)} ${xOf(ridge)},${yOf(roof.peak_flops)} ${xOf(xHigh)},${yOf(roof.peak_flops)}`} />
        <text class="title" x={xOf(xLow) + 8} y={yOf(xLow * roof.peak_bytes_per_s) - 26}>{bytes(roof.peak_bytes_per_s)}/s</text>
        <text class="title" x={width - margin.right} y={yOf(roof.peak_flops) - 6} text-anchor="end">{flops(roof.peak_flops)}</text>
        <text class="title" x={width - margin.right} y={height - 4} text-anchor="end">FLOPs per byte</text>
        {points.map((point) => (
          <circle key={point.name} class={point.limit === "memory" ? "by-memory" : "by-compute"} cx={xOf(point.intensity)} cy={yOf(point.flops_per_s)} r={3 + 9 * Math.sqrt(point.seconds / most)}>
            <title>{`${point.name}: ${share(point.reached)} of its limit, ${seconds(point.seconds)} per step`}</title>
          </circle>
        ))}
      </svg>
    </div>
  );
}

export function MemoryView(): JSX.Element {
  const url = useRoute();
  const { data, problem, reload } = useApi<{ runs: Run[] }>("/memory");
  const wanted = url.searchParams.get("run");
  const run = data?.runs.find((r) => String(r.id) === wanted) ?? data?.runs[0];
  const { data: report, problem: reportProblem } = useApi<Report>(run ? `/runs/${run.id}/report` : null);
  if (problem) return <main><ProblemNote problem={problem} reload={reload} /></main>;
  if (!data) return <main><Loading text="Loading runs…" /></main>;
  if (!run) {
    return (
      <main>
        <h1 class="sr">Memory</h1>
        <Empty title="No memory traffic measured yet">
          <p>With --ops, Tacho times each operator of a run and compares it with the peak memory bandwidth and FLOP/s of the machine:</p>
          <p><Command text="tacho train lenet5 --data fashion-mnist --steps 200 --ops" /></p>
        </Empty>
        <LabSurveys />
      </main>
    );
  }
  const roof = report?.roofline;
  return (
    <main>
      <header class="run-head">
        <h1>Memory</h1>
        <p class="meta">
          <label class="pick"><span>run</span>
            <select value={String(run.id)} onChange={(e) => navigate(withParams(url, { run: e.currentTarget.value }), true)}>
              {data.runs.map((r) => <option key={r.id} value={r.id}>{r.id}: {visible(r.model).slice(0, 40)}, batch {r.batch}, {shortTime(r.created_at)}</option>)}
            </select>
          </label>
          <a href={`/runs/${run.id}`}>open run</a>
          {roof && <span>{visible(roof.machine)}</span>}
        </p>
      </header>
      {reportProblem && <ProblemNote problem={reportProblem} />}
      {!report && !reportProblem && <Loading text="Loading the run…" />}
      {report && !roof && <p class="soft">The operators of this run were timed, but there is no roofline: {report.absent.map((a) => `${a.part}: ${a.why}`).join("; ") || "the machine's peaks are unknown"}. Select another run above.</p>}
      {roof && (
        <>
          <Section id="roof" title="Roofline" aside={<span class="soft">one dot per operator, or kernel class on a GPU, sized by its time; on the slope, memory is the limit</span>}>
            <RooflineChart roof={roof} />
          </Section>
          <Section id="bandwidth" title="Memory bandwidth" aside={<span class="soft">above 100 %: part of the data came from a cache</span>}>
            <ul class="bandwidth">
              {roof.points.slice(0, 12).map((point) => (
                <li key={point.name}>
                  <span class="name">{visible(point.name)}</span>
                  <span class="gauge" role="img" aria-label={`${share(point.bytes_per_s / roof.peak_bytes_per_s)} of the peak memory bandwidth`}><b style={{ width: `${Math.min(100, (100 * point.bytes_per_s) / roof.peak_bytes_per_s)}%` }} /></span>
                  <span class="number">{bytes(point.bytes_per_s)}/s</span>
                  <span class="number soft">{share(point.bytes_per_s / roof.peak_bytes_per_s)}</span>
                </li>
              ))}
            </ul>
          </Section>
          <Section id="points" title="Times and rates">
            <SortTable
              label="roofline points" rows={roof.points}
              columns={[
                { key: "seconds", title: "time per step", value: (p) => p.seconds, text: (p) => seconds(p.seconds) },
                { key: "bytes", title: "bytes/s", value: (p) => p.bytes_per_s, text: (p) => formatValue("bytes_per_second", p.bytes_per_s) },
                { key: "flops", title: "FLOP/s", value: (p) => p.flops_per_s, text: (p) => flops(p.flops_per_s) },
                { key: "intensity", title: "FLOPs per byte", value: (p) => p.intensity, text: (p) => p.intensity.toPrecision(3) },
                { key: "reached", title: "of its limit", value: (p) => p.reached, text: (p) => share(p.reached) },
                { key: "limit", title: "limit", value: (p) => p.limit },
                { key: "name", title: "name", value: (p) => p.name, wide: true },
              ]}
            />
          </Section>
        </>
      )}
      <LabSurveys />
    </main>
  );
}
