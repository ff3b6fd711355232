// One run: metrics, live charts, where the time went, log and files.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post, type Problem, useApi } from "./api";
import { useColumns } from "./columns";
import { bytes, count, formatValue, fullTime, seconds, share, visible } from "./format";
import { useRunSeries } from "./live";
import { ChartControls, ChartNotes, Charts, useCharts, useChartView } from "./run_charts";
import { RunEdit, RunWords } from "./run_edit";
import { AdviceList, SortTable, StepBar } from "./run_report";
import { mean } from "./statistics";
import { TimelineView } from "./timeline";
import type { Metric, Report, RunDetail } from "./types";
import { Command, Empty, Loading, OutcomeMark, ProblemNote, Section } from "./ui";

const headline = ["top1", "samples_per_s", "step_s", "wall_s", "peak_memory", "gpu_busy", "cores_used", "parameters", "eval_loss"];

function Tiles({ run, metrics }: { run: RunDetail; metrics: Map<string, Metric> }): JSX.Element {
  const { step_p25_s: low, step_p75_s: high } = run.metrics;
  const keys = headline.filter((key) => run.metrics[key] !== undefined).slice(0, 7);
  if (keys.length === 0) return <></>;
  return (
    <dl class="tiles">
      {keys.map((key) => (
        <div key={key} title={metrics.get(key)?.help}>
          <dt>{metrics.get(key)?.title ?? key}</dt>
          <dd>
            {formatValue(metrics.get(key)?.unit ?? "none", run.metrics[key])}
            {key === "step_s" && low !== undefined && high !== undefined && <small>{formatValue("seconds", low)} – {formatValue("seconds", high)}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function AllMetrics({ run, metrics }: { run: RunDetail; metrics: Map<string, Metric> }): JSX.Element {
  if (Object.keys(run.metrics).length === 0) return <p class="soft">No metrics {run.outcome === "running" ? "yet" : "were measured"}.</p>;
  return (
    <dl class="facts columns">
      {[...metrics].filter(([key]) => run.metrics[key] !== undefined).map(([key, metric]) => (
        <div key={key} title={metric.help}>
          <dt>{metric.title}</dt>
          <dd>{formatValue(metric.unit, run.metrics[key])}</dd>
        </div>
      ))}
    </dl>
  );
}

// Flattens nested settings: "optimizer kind: sgd".
function lines(value: unknown, name = ""): [string, string][] {
  if (value === null || value === undefined || value === "") return [];
  if (Array.isArray(value) && value.every((v) => typeof v !== "object")) return value.length ? [[name, value.join(" ")]] : [];
  if (typeof value === "object") {
    return Object.entries(value as object).flatMap(([key, inner]) => lines(inner, `${name} ${key.replaceAll("_", " ")}`.trim()));
  }
  return [[name, typeof value === "boolean" ? (value ? "yes" : "no") : String(value)]];
}

function Facts({ title, value }: { title: string; value: unknown }): JSX.Element | null {
  const all = lines(value);
  if (all.length === 0) return null;
  return (
    <div class="fact-group">
      <h3>{title}</h3>
      <dl class="facts flow">
        {all.map(([name, text]) => <div key={name}><dt>{visible(name)}</dt><dd>{visible(text)}</dd></div>)}
      </dl>
    </div>
  );
}

function Log({ id, live }: { id: number; live: boolean }): JSX.Element {
  const log = useApi<{ file: string; size: number; from: number; text: string }>(`/runs/${id}/log`);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(log.reload, 2000);
    return () => clearInterval(timer);
  }, [live]);
  useEffect(() => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [log.data?.size]);
  if (log.problem) return <ProblemNote problem={log.problem} reload={log.reload} />;
  if (!log.data) return <Loading text="Loading the log…" />;
  if (log.data.size === 0) return <p class="soft">{live ? "No output yet." : "The run printed nothing."}</p>;
  return (
    <>
      {log.data.from > 0 && <p class="soft">The last {bytes(log.data.size - log.data.from)} of {bytes(log.data.size)}. Download the whole file below.</p>}
      <pre ref={box} class="log" tabIndex={0} aria-label={`End of ${log.data.file}`}>{log.data.text}</pre>
    </>
  );
}

function Files({ id }: { id: number }): JSX.Element {
  const { data, problem } = useApi<{ folder: string; present: boolean; files: { path: string; bytes: number }[] }>(`/runs/${id}/files`);
  if (problem) return <ProblemNote problem={problem} />;
  if (!data) return <Loading text="Loading files…" />;
  if (!data.present) return <p class="soft">The folder <code>{data.folder}</code> no longer exists. Remove the run with <Command text={`tacho runs rm ${id}`} /></p>;
  return (
    <>
      <p class="soft"><code>{data.folder}</code>{data.files.length === 0 && " has no files."}</p>
      <ul class="files">
        {[...data.files].sort((a, b) => a.path.localeCompare(b.path)).map((file) => (
          <li key={file.path}>
            <a download href={`/api/v1/runs/${id}/files/${file.path.split("/").map(encodeURIComponent).join("/")}`}>{visible(file.path)}</a>
            <span class="soft number">{bytes(file.bytes)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

// Times are means over the timed steps.
function Operators({ operators }: { operators: NonNullable<Report["operators"]> }): JSX.Element | null {
  const steps = operators.step_s.length;
  if (operators.rows.length === 0 || steps === 0) return null;
  return (
    <Section id="operators" title="Operators" aside={<span class="soft">means of {count(steps)} {steps === 1 ? "step" : "steps"} of {seconds(mean(operators.step_s))}</span>}>
      <SortTable
        label="operators" rows={operators.rows}
        columns={[
          { key: "self", title: "self time", value: (o) => o.self_s / steps, text: (o) => seconds(o.self_s / steps) },
          { key: "total", title: "total time", value: (o) => o.total_s / steps, text: (o) => seconds(o.total_s / steps) },
          { key: "calls", title: "calls", value: (o) => o.calls / steps, text: (o) => count(o.calls / steps) },
          { key: "phase", title: "phase", value: (o) => o.phase },
          { key: "name", title: "operator", value: (o) => o.name },
          { key: "shapes", title: "shapes", value: (o) => o.shapes, wide: true },
        ]}
      />
    </Section>
  );
}

function ReportParts({ id, report }: { id: number; report: Report }): JSX.Element {
  return (
    <>
      {report.step && report.step.parts.length > 0 && <Section id="step" title="Training step"><StepBar step={report.step} /></Section>}
      <Section id="advice" title="Advice"><AdviceList advice={report.advice} /></Section>
      {report.gpu.map((gpu) => (
        <Section key={gpu.process} id={`kernels-${gpu.process}`} title={`Kernels on ${gpu.gpu}`} aside={<span class="soft">{count(gpu.kernel_count)} kernels of process {gpu.process}</span>}>
          <SortTable
            label={`kernels of process ${gpu.process}`} rows={gpu.kernels}
            columns={[
              { key: "share", title: "share", value: (k) => k.share, text: (k) => share(k.share) },
              { key: "total", title: "time", value: (k) => k.total_s, text: (k) => seconds(k.total_s) },
              { key: "count", title: "calls", value: (k) => k.count, text: (k) => count(k.count) },
              { key: "median", title: "median", value: (k) => k.median_s, text: (k) => seconds(k.median_s) },
              { key: "min", title: "min", value: (k) => k.min_s, text: (k) => seconds(k.min_s) },
              { key: "max", title: "max", value: (k) => k.max_s, text: (k) => seconds(k.max_s) },
              { key: "class", title: "kind", value: (k) => k.class ?? "" },
              { key: "name", title: "kernel", value: (k) => k.name, wide: true },
            ]}
          />
        </Section>
      ))}
      {report.gpu.length > 0 && <Section id="timeline" title="Timeline"><TimelineView run={id} /></Section>}
      {report.operators && <Operators operators={report.operators} />}
      {report.absent.length > 0 && (
        <details class="absent">
          <summary>Missing from this report</summary>
          <ul>{report.absent.map((part) => <li key={part.part}>{part.part}: {part.why}</li>)}</ul>
        </details>
      )}
    </>
  );
}

export function RunView({ handle, readOnly }: { handle: string; readOnly: boolean }): JSX.Element {
  const path = `/runs/${encodeURIComponent(handle)}`;
  const { data: run, problem, reload } = useApi<RunDetail>(path);
  const live = run?.outcome === "running";
  const series = useRunSeries(handle, live, reload);
  const view = useChartView();
  const charts = useCharts(series, run);
  const columns = useColumns();
  const report = useApi<Report>(run && !live ? `${path}/report` : null);
  const [cancelling, setCancelling] = useState<Problem | "requested" | null>(null);
  const metrics = new Map<string, Metric>((columns ?? []).flatMap((c) => (c.metric ? [[c.key, c.metric]] : [])));
  useEffect(() => {
    if (run) document.title = `Run ${run.id}: ${visible(run.name || run.model)}`;
  }, [run?.id, run?.name]);
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(reload, 4000);
    return () => clearInterval(timer);
  }, [live]);

  if (problem) return <main>{problem.status === 404 ? <Empty title="No such run"><p>{problem.message}</p><p><a href="/">All runs</a></p></Empty> : <ProblemNote problem={problem} reload={reload} />}</main>;
  if (!run) return <main><Loading text="Loading the run…" /></main>;
  const cancel = () => {
    setCancelling("requested");
    post(`${path}/cancel`).then(reload, (failure: Problem) => setCancelling(failure));
  };
  return (
    <main class="run">
      <header class="run-head">
        <p class="crumbs"><a href="/">Runs</a> / {run.id}</p>
        <h1>{visible(run.title)}</h1>
        <p class="meta">
          <OutcomeMark outcome={run.outcome} />
          <span>{fullTime(run.created_at)}</span>
          <span>{run.device}, {visible(run.environment)}</span>
          <code>{run.key}</code>
        </p>
        <RunWords run={run} />
        {run.reason && <p class={run.outcome === "ok" ? "soft" : "reason"}>{visible(run.reason)}</p>}
        {!!run.record.disturbed?.length && <p class="reason">Disturbed: {visible(run.record.disturbed.join("; "))}; do not compare its metrics with those of other runs</p>}
        <div class="actions">
          <a class="button" href={`/curves?runs=${run.id}`}>Curves</a>
          <a class="button" href={`/compare?group=${run.id}`}>Compare</a>
          {!live && <a class="button" download href={`/api/v1${path}/report?format=html`}>Save report</a>}
          <details class="menu">
            <summary>Export</summary>
            <div class="choices">
              <a download href={`/api/v1${path}/record`}>record as JSON</a>
              <a download href={`/api/v1${path}/steps?format=csv`}>steps as CSV</a>
              <a download href={`/api/v1${path}/epochs?format=csv`}>epochs as CSV</a>
            </div>
          </details>
          {!readOnly && <RunEdit run={run} live={live} reload={reload} />}
          {live && !readOnly && <button type="button" class="danger" onClick={cancel} disabled={cancelling === "requested"}>{cancelling === "requested" ? "Cancelling…" : "Cancel"}</button>}
          {cancelling && cancelling !== "requested" && <span class="bad" role="alert">{cancelling.message}</span>}
        </div>
      </header>
      <Tiles run={run} metrics={metrics} />
      {[...new Set([...run.record.notes, ...series.notes])].map((note) => <p key={note} class="note-line">{visible(note)}</p>)}
      <Section id="charts" title="Charts" aside={charts.length > 0 && <ChartControls charts={charts} view={view} />}>
        <Charts charts={charts} view={view} />
        <ChartNotes series={series} live={live} />
      </Section>
      {report.data && <ReportParts id={run.id} report={report.data} />}
      {report.problem && <ProblemNote problem={report.problem} />}
      <Section id="metrics" title="All metrics"><AllMetrics run={run} metrics={metrics} /></Section>
      <Section id="log" title="Log"><Log id={run.id} live={live} /></Section>
      <Section id="environment" title="Configuration and environment">
        <div class="fact-groups">
          <Facts title="configuration" value={run.record.command ?? run.record.spec} />
          <Facts title="program" value={run.record["described"]} />
          <Facts title="machine and versions" value={run.record.started} />
          <Facts title="data" value={run.record.input} />
          <Facts title="environment" value={run.record["environment_facts"]} />
        </div>
      </Section>
      <Section id="files" title="Files"><Files id={run.id} /></Section>
    </main>
  );
}
