// Past predictions and the values measured afterwards.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi } from "./api";
import { useColumns } from "./columns";
import { count, formatValue, share, shortTime, visible } from "./format";
import type { LedgerEntry, LedgerScore } from "./offer_types";
import { navigate, useRoute, withParams } from "./route";
import { useWidth } from "./parallel_lines";
import { SortTable } from "./run_report";
import { roundTicks } from "./statistics";
import type { Metric } from "./types";
import { Command, Empty, Loading, ProblemNote, Scroll, Section } from "./ui";

const height = 320;
const margin = { left: 62, right: 16, top: 10, bottom: 36 };

// Predicted over measured values; exact predictions are on the diagonal.
function Scatter({ entries, info, name }: { entries: LedgerEntry[]; info: Metric | undefined; name: string }): JSX.Element {
  const [place, width] = useWidth();
  const [hovered, setHovered] = useState<LedgerEntry>();
  const unit = info?.unit ?? "none";
  const all = entries.flatMap((e) => [e.measured!, e.value, e.low90, e.high90]);
  const low = Math.min(...all);
  const high = Math.max(...all);
  const pad = (high - low || Math.abs(high) || 1) * 0.05;
  const size = Math.min(width, 640);
  const part = (value: number) => (value - low + pad) / (high - low + 2 * pad);
  const xOf = (value: number) => margin.left + (size - margin.left - margin.right) * part(value);
  const yOf = (value: number) => height - margin.bottom - (height - margin.top - margin.bottom) * part(value);
  const ticks = roundTicks(low - pad, high + pad);
  return (
    <div ref={place} class="offer-chart">
      <svg width={size} height={height} role="img" aria-label={`${entries.length} predictions of ${info?.title ?? name} over the measured values; the table below lists them`}>
        {ticks.map((t) => (
          <g key={t}>
            <line class="rule" x1={xOf(t)} x2={xOf(t)} y1={margin.top} y2={height - margin.bottom} />
            <line class="rule" x1={margin.left} x2={size - margin.right} y1={yOf(t)} y2={yOf(t)} />
            <text x={xOf(t)} y={height - margin.bottom + 15} text-anchor="middle">{formatValue(unit, t)}</text>
            <text x={margin.left - 6} y={yOf(t) + 4} text-anchor="end">{formatValue(unit, t)}</text>
          </g>
        ))}
        <line class="limit" x1={xOf(low)} y1={yOf(low)} x2={xOf(high)} y2={yOf(high)} />
        <text x={size - margin.right} y={height - 4} text-anchor="end" class="title">measured</text>
        <text x={margin.left + 6} y={margin.top + 10} class="title">predicted, with 90 % interval</text>
        {entries.map((entry, i) => {
          const covered = entry.measured! >= entry.low90 && entry.measured! <= entry.high90;
          const x = xOf(entry.measured!);
          return (
            <g key={i} class={`offer strong ${covered ? "covered" : "missed"}`} onPointerEnter={() => setHovered(entry)} onPointerLeave={() => setHovered(undefined)}>
              <line x1={x} x2={x} y1={yOf(entry.low90)} y2={yOf(entry.high90)} />
              <circle cx={x} cy={yOf(entry.value)} r={4} />
            </g>
          );
        })}
      </svg>
      <p class="soft parallel-note" aria-hidden="true">
        {hovered ? `${visible(hovered.model)} on ${visible(hovered.data)}: predicted ${formatValue(unit, hovered.value)}, measured ${formatValue(unit, hovered.measured)}; based on ${visible(hovered.basis)}` : "Hover over a prediction for details."}
      </p>
    </div>
  );
}

export function LedgerView(): JSX.Element {
  const url = useRoute();
  const columns = useColumns();
  const { data, problem, reload } = useApi<{ scores: LedgerScore[]; predictions: LedgerEntry[] }>("/ledger");
  if (problem) return <main><ProblemNote problem={problem} reload={reload} /></main>;
  if (!data || !columns) return <main><Loading text="Loading the ledger…" /></main>;
  if (data.predictions.length === 0) {
    return (
      <main>
        <h1 class="sr">Ledger</h1>
        <Empty title="No predictions yet">
          <p>Tacho predicts a run from earlier runs of the same task, and compares the prediction with the measured values afterwards. Run the same task twice:</p>
          <p><Command text="tacho train lenet5 --data fashion-mnist -e 4" /></p>
        </Empty>
      </main>
    );
  }
  const metrics = new Map<string, Metric>(columns.flatMap((c) => (c.metric ? [[c.key, c.metric]] : [])));
  const known = [...new Set(data.predictions.map((p) => p.metric))];
  const wanted = url.searchParams.get("metric");
  const metric = wanted && known.includes(wanted) ? wanted : known[0]!;
  const info = metrics.get(metric);
  const measured = data.predictions.filter((p) => p.metric === metric && p.measured !== null);
  const error = (score: LedgerScore, value: number | undefined) => value === undefined ? "–"
    : score.errors_are === "absolute" ? `${(100 * value).toFixed(2)} points` : share(value);
  return (
    <main>
      <header class="run-head">
        <h1>Ledger</h1>
        <p class="meta"><span>predictions made before each run, and the values measured afterwards</span></p>
        <div class="actions"><a class="button" download href="/api/v1/ledger?format=csv">CSV</a>
          {known.length > 1 && (
            <label class="pick"><span>metric</span>
              <select value={metric} onChange={(e) => navigate(withParams(url, { metric: e.currentTarget.value }), true)}>
                {known.map((key) => <option key={key} value={key}>{metrics.get(key)?.title ?? key}</option>)}
              </select>
            </label>
          )}
        </div>
      </header>
      <Section id="scatter" title={`${info?.title ?? metric}: predicted and measured`}>
        {measured.length > 0 ? <Scatter entries={measured} info={info} name={metric} /> : <p class="soft">No measured values of this metric yet. They appear when the runs end.</p>}
      </Section>
      <Section id="scores" title="Accuracy of predictions">
        <Scroll label="scores">
          <table class="plain">
            <thead><tr><th scope="col">metric</th><th scope="col">model</th><th scope="col" class="number">predictions</th><th scope="col" class="number">measured</th>
              <th scope="col" class="number">median error</th><th scope="col" class="number">bias</th><th scope="col" class="number">within the 90 % interval</th><th scope="col">machine</th></tr></thead>
            <tbody>
              {data.scores.map((score) => (
                <tr key={`${score.metric}${score.model}${score.machine}`}>
                  <td>{metrics.get(score.metric)?.title ?? score.metric}</td>
                  <th scope="row">{visible(score.model)}</th>
                  <td class="number">{count(score.made)}</td>
                  <td class="number">{count(score.measured)}</td>
                  <td class="number">{error(score, score.median_error)}</td>
                  <td class="number">{error(score, score.bias)}</td>
                  <td class="number">{score.coverage === undefined ? "–" : share(score.coverage)}</td>
                  <td>{visible(score.machine)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </Section>
      <Section id="predictions" title="All predictions">
        <SortTable
          label="predictions" rows={data.predictions.filter((p) => p.metric === metric)} first={20}
          columns={[
            { key: "made", title: "time", value: (p) => p.made_at, text: (p) => shortTime(p.made_at) },
            { key: "run", title: "run", value: (p) => p.run_key, link: (p) => `/runs/${encodeURIComponent(p.run_key)}` },
            { key: "model", title: "model", value: (p) => p.model },
            { key: "data", title: "data", value: (p) => p.data },
            { key: "value", title: "predicted", value: (p) => p.value, text: (p) => formatValue(info?.unit ?? "none", p.value) },
            { key: "low", title: "90 % interval from", value: (p) => p.low90, text: (p) => formatValue(info?.unit ?? "none", p.low90) },
            { key: "high", title: "to", value: (p) => p.high90, text: (p) => formatValue(info?.unit ?? "none", p.high90) },
            { key: "measured", title: "measured", value: (p) => p.measured ?? Number.NaN, text: (p) => formatValue(info?.unit ?? "none", p.measured) },
            { key: "basis", title: "based on", value: (p) => p.basis, wide: true },
          ]}
        />
      </Section>
    </main>
  );
}
