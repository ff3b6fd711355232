// The curves of several runs in the same charts.
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { useApi, type Problem } from "./api";
import { overlaid, type CurveChart } from "./curve";
import { visible } from "./format";
import { useRunSeries } from "./live";
import { navigate, useRoute, withParams } from "./route";
import { ChartControls, Charts, useCharts, useChartView } from "./run_charts";
import type { RunDetail } from "./types";
import { Empty, ProblemNote, Section } from "./ui";

const mostRuns = 20;
const mostLive = 3; // a browser keeps at most six connections to a server
interface Shown { name: string; title: string; charts: CurveChart[]; problem: Problem | undefined }

// Shows nothing; passes on what it loads.
function RunSource({ handle, mayLive, change }: { handle: string; mayLive: boolean; change: (handle: string, shown: Shown) => void }): null {
  const { data: run, problem, reload } = useApi<RunDetail>(`/runs/${encodeURIComponent(handle)}`);
  const series = useRunSeries(handle, mayLive && run?.outcome === "running", reload);
  const charts = useCharts(series, run);
  useEffect(() => {
    if (run) change(handle, { name: visible(run.name || `run ${run.id}`), title: visible(run.title), charts, problem: undefined });
    else if (problem) change(handle, { name: handle, title: "", charts: [], problem });
  }, [charts, run, problem]);
  return null;
}

export function CurvesView(): JSX.Element {
  const url = useRoute();
  const view = useChartView();
  const asked = [...new Set((url.searchParams.get("runs") ?? "").split(",").filter(Boolean))];
  const handles = asked.slice(0, mostRuns);
  const [shown, setShown] = useState<Record<string, Shown>>({});
  const [typed, setTyped] = useState("");
  const keep = useCallback((handle: string, what: Shown) => setShown((old) => ({ ...old, [handle]: what })), []);
  const set = (next: string[]) => navigate(withParams(url, { runs: next.join(",") }));
  const charts = useMemo(() => {
    const names = handles.map((handle) => shown[handle]?.name);
    const distinct = (name: string, handle: string) => (names.filter((each) => each === name).length > 1 ? `${name} (${handle})` : name);
    return overlaid(handles.map((handle) => ({ name: distinct(shown[handle]?.name ?? handle, handle), charts: shown[handle]?.charts ?? [] })));
  }, [handles.join(), shown]);
  return (
    <main class="compare">
      <header class="with-link"><h1>Curves</h1> {handles.length > 1 && <a href={`/compare?${handles.map((each) => `group=${each}`).join("&")}`}>Compare these runs</a>}</header>
      <div class="group-bar">
        {handles.map((handle, i) => (
          <span key={handle} class="chip" title={shown[handle]?.title}>
            <i class={`swatch c${i % 8}`} aria-hidden="true" />
            <a href={`/runs/${handle}`}>{shown[handle]?.name ?? handle}</a>
            <button type="button" class="quiet" aria-label={`Remove run ${handle}`} onClick={() => set(handles.filter((each) => each !== handle))}>×</button>
          </span>
        ))}
        <form onSubmit={(event) => { event.preventDefault(); if (typed.trim()) set([...asked, typed.trim()]); setTyped(""); }}>
          <input value={typed} placeholder="42" aria-label="Add a run: its number or key" size={12} onInput={(event) => setTyped(event.currentTarget.value)} />
          <button type="submit">Add run</button>
        </form>
      </div>
      {handles.map((handle, i) => <RunSource key={handle} handle={handle} mayLive={i < mostLive} change={keep} />)}
      {handles.map((handle) => shown[handle]?.problem && <ProblemNote key={handle} problem={shown[handle]!.problem!} />)}
      {asked.length > mostRuns && <p role="status">Only the first {mostRuns} of {asked.length} runs are shown.</p>}
      {handles.length === 0
        ? <Empty title="No runs selected"><p>Select runs in the <a href="/">list of runs</a> and press Curves, or add the number of a run above.</p></Empty>
        : <Section id="charts" title="Charts" aside={<ChartControls charts={charts} view={view} />}><Charts charts={charts} view={view} /></Section>}
    </main>
  );
}
