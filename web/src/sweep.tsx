// One sweep: progress, a heat map of two options, parallel coordinates of all options, and its runs.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, type Problem, useApi } from "./api";
import { useColumns } from "./columns";
import { count, formatValue, fullTime, outcomeWords, seconds, visible } from "./format";
import { HeatMap } from "./heat_map";
import { ParallelLines } from "./parallel_lines";
import { navigate, useRoute, withParams } from "./route";
import { SortTable, type TableColumn } from "./run_report";
import { ProgressBar, stateWords, useRefresh } from "./sweeps";
import type { Metric, SweepDetail, SweepTask } from "./types";
import { Empty, Loading, ProblemNote, Section } from "./ui";

const defaultMetrics = ["top1", "samples_per_s", "step_s", "peak_memory", "wall_s"];

function stateOf(task: SweepTask): string {
  return task.outcome ? outcomeWords[task.outcome] ?? task.outcome : task.state;
}

function RunsOfSweep({ sweep, metrics }: { sweep: SweepDetail; metrics: Map<string, Metric> }): JSX.Element {
  const present = defaultMetrics.filter((key) => sweep.tasks.some((task) => task.metrics[key] !== undefined));
  const repeated = sweep.tasks.some((task) => task.repetition > 1);
  const columns: TableColumn<SweepTask>[] = [
    { key: "run", title: "run", value: (t) => t.run ?? 0, text: (t) => (t.run === null ? "–" : String(t.run)), link: (t) => (t.run === null ? undefined : `/runs/${t.run}`) },
    ...sweep.axes.map((axis): TableColumn<SweepTask> => {
      const numbers = sweep.tasks.every((t) => t.configuration[axis] === undefined || Number.isFinite(Number(t.configuration[axis])));
      return {
        key: `axis ${axis}`, title: axis,
        value: (t) => (numbers ? Number(t.configuration[axis] ?? Number.NaN) : t.configuration[axis] ?? ""),
        text: (t) => visible(t.configuration[axis] ?? "–"),
      };
    }),
    ...(repeated ? [{ key: "repetition", title: "repetition", value: (t: SweepTask) => t.repetition }] : []),
    ...present.map((key): TableColumn<SweepTask> => ({
      key, title: metrics.get(key)?.title ?? key,
      value: (t) => t.metrics[key] ?? Number.NaN, text: (t) => formatValue(metrics.get(key)?.unit ?? "none", t.metrics[key]),
    })),
    { key: "state", title: "state", value: stateOf },
    ...(sweep.tasks.some((t) => t.state !== "done" && t.reason)
      ? [{ key: "why", title: "note", value: (t: SweepTask) => (t.state === "done" ? "" : visible(t.reason)), wide: true }] : []),
  ];
  return <SortTable label="runs of the sweep" rows={sweep.tasks} columns={columns} first={40} />;
}

export function SweepView({ handle, readOnly }: { handle: string; readOnly: boolean }): JSX.Element {
  const url = useRoute();
  const path = `/sweeps/${encodeURIComponent(handle)}`;
  const { data: sweep, problem, reload } = useApi<SweepDetail>(path);
  const columns = useColumns();
  const [failure, setFailure] = useState<Problem>();
  const [requested, setRequested] = useState(false);
  useRefresh(reload, sweep?.state === "running" || requested);
  useEffect(() => {
    if (sweep) document.title = `Sweep ${sweep.id}: ${visible(sweep.name)}`;
  }, [sweep?.id]);
  useEffect(() => setRequested(false), [sweep?.state]);
  if (problem && !sweep) {
    return <main>{problem.status === 404 ? <Empty title="No such sweep"><p>{problem.message}</p><p><a href="/sweeps">All sweeps</a></p></Empty> : <ProblemNote problem={problem} reload={reload} />}</main>;
  }
  if (!sweep || !columns) return <main><Loading text="Loading the sweep…" /></main>;
  const metrics = new Map<string, Metric>(columns.flatMap((c) => (c.metric ? [[c.key, c.metric]] : [])));
  const measured = [...metrics.keys()].filter((key) => sweep.tasks.some((task) => task.metrics[key] !== undefined));
  const selected = url.searchParams.get("metric");
  const metric = selected && measured.includes(selected) ? selected : defaultMetrics.find((key) => measured.includes(key));
  const axisAt = (name: string, otherwise: string | undefined) => {
    const wanted = url.searchParams.get(name);
    return wanted && sweep.axes.includes(wanted) ? wanted : otherwise;
  };
  const x = axisAt("x", sweep.axes[0]);
  const y = axisAt("y", sweep.axes.find((axis) => axis !== x));
  const set = (changes: Record<string, string>) => navigate(withParams(url, changes), true);
  const send = (action: "cancel" | "resume") => {
    setFailure(undefined);
    setRequested(true);
    post(`${path}/${action}`).then(reload, (problem: Problem) => {
      setFailure(problem);
      setRequested(false);
    });
  };
  const ended = sweep.counts.done + sweep.counts.skipped + sweep.counts.cancelled;
  return (
    <main class="sweep">
      <header class="run-head">
        <p class="crumbs"><a href="/sweeps">Sweeps</a> / {sweep.id}</p>
        <h1>{visible(sweep.name).slice(0, 300) || `sweep ${sweep.id}`}</h1>
        <p class="meta">
          <span class={`stage ${sweep.state}`}>{stateWords[sweep.state]}</span>
          <span role="status">{count(ended)} of {count(sweep.counts.runs)} ended</span>
          <span>{seconds(sweep.counts.run_seconds)} of run time</span>
          <span>{fullTime(sweep.created_at)}</span>
        </p>
        <ProgressBar sweep={sweep} />
        <div class="actions">
          <a class="button" download href={`/api/v1${path}?format=csv`}>CSV</a>
          {!readOnly && sweep.state === "running" && <button type="button" class="danger" disabled={requested} onClick={() => send("cancel")}>{requested ? "Cancelling…" : "Cancel"}</button>}
          {!readOnly && sweep.state === "stopped" && <button type="button" disabled={requested} onClick={() => send("resume")}>{requested ? "Resuming…" : "Resume"}</button>}
          {failure && <span class="bad" role="alert">{failure.message}</span>}
        </div>
      </header>
      {!metric && (
        <p class="soft">{sweep.state === "stopped" && !readOnly ? "No results yet. Press Resume to continue the sweep."
          : sweep.state === "running" || sweep.state === "stopped" ? "No results yet. Charts appear when the first run ends." : "No run of this sweep has metrics."}</p>
      )}
      {metric && (
        <p class="bar sweep-bar">
          <label class="pick"><span>metric</span>
            <select value={metric} onChange={(e) => set({ metric: e.currentTarget.value })}>
              {measured.map((key) => <option key={key} value={key}>{metrics.get(key)?.title ?? key}</option>)}
            </select>
          </label>
          {sweep.axes.length >= 2 && (["x", "y"] as const).map((name) => (
            <label key={name} class="pick"><span>{name === "x" ? "columns" : "rows"}</span>
              <select value={(name === "x" ? x : y) ?? ""} onChange={(e) => set({ [name]: e.currentTarget.value })}>
                {sweep.axes.map((axis) => <option key={axis} value={axis} disabled={axis === (name === "x" ? y : x)}>{axis}</option>)}
              </select>
            </label>
          ))}
        </p>
      )}
      {metric && x && y && (
        <Section id="map" title={`${metrics.get(metric)?.title ?? metric} by ${x} and ${y}`} aside={<span class="soft">median of the runs in each cell</span>}>
          <HeatMap tasks={sweep.tasks} x={x} y={y} metric={metric} info={metrics.get(metric)} />
        </Section>
      )}
      {metric && sweep.axes.length > 0 && (
        <Section id="lines" title="Parallel coordinates" aside={<span class="soft">one line per run, coloured by the metric</span>}>
          <ParallelLines tasks={sweep.tasks} axes={sweep.axes} metric={metric} info={metrics.get(metric)} />
        </Section>
      )}
      <Section id="runs" title="Runs"><RunsOfSweep sweep={sweep} metrics={metrics} /></Section>
      <Section id="grid" title="Grid"><pre class="log" tabIndex={0} aria-label="Grid as YAML">{sweep.grid}</pre></Section>
    </main>
  );
}
