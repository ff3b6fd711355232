// All sweeps with their progress, and a form that starts one.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, type Problem, useApi } from "./api";
import { count, seconds, shortTime, visible } from "./format";
import { navigate, useRoute, withParams } from "./route";
import type { Sweep } from "./types";
import { Command, Empty, Loading, ProblemNote, Scroll, Section } from "./ui";

const exampleGrid = `base: {model: mlp, data: fashion-mnist, train-samples: 6000, epochs: 1, threads: 1}
matrix:
  batch: [32, 128]
  lr: [0.01, 0.1]
`;

export const stateWords: Record<Sweep["state"], string> = {
  running: "running", stopped: "stopped", finished: "finished", cancelled: "cancelled",
};

export function useRefresh(reload: () => void, active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => document.hidden || reload(), 2000);
    return () => clearInterval(timer);
  }, [active]);
}

// The tasks of a sweep by state, as one bar.
export function ProgressBar({ sweep }: { sweep: Sweep }): JSX.Element {
  const { counts } = sweep;
  const ok = counts.outcomes["ok"] ?? 0;
  const parts: [string, number, string][] = [
    ["ok", ok, "ok"],
    ["not ok", counts.done - ok, "bad"],
    ["submitted", counts.submitted, "active"],
    ["skipped", counts.skipped + counts.cancelled, "skipped"],
    ["waiting", counts.waiting, "waiting"],
  ];
  const words = parts.filter(([, many]) => many > 0).map(([name, many]) => `${count(many)} ${name}`).join(", ");
  return (
    <span class="progress" role="img" aria-label={`${words} of ${counts.runs}`} title={words}>
      {parts.map(([name, many, kind]) => many > 0 && <i key={name} class={kind} style={{ width: `${(100 * many) / Math.max(1, counts.runs)}%` }} />)}
    </span>
  );
}

function NewSweep(): JSX.Element {
  const url = useRoute();
  const grid = url.searchParams.get("grid") ?? exampleGrid;
  const [starting, setStarting] = useState(false);
  const [refusal, setRefusal] = useState<Problem>();
  const start = (event: Event) => {
    event.preventDefault();
    setStarting(true);
    setRefusal(undefined);
    post<Sweep>("/sweeps", { grid }).then((sweep) => navigate(`/sweeps/${sweep.id}`), (failure: Problem) => {
      setRefusal(failure);
      setStarting(false);
    });
  };
  return (
    <details class="new-sweep" open={url.searchParams.has("grid")}>
      <summary>New sweep</summary>
      <form onSubmit={start}>
        <label>
          <span>Grid: options of all runs under base, lists of values under matrix; each combination is one run</span>
          <textarea rows={7} spellcheck={false} value={grid} onInput={(e) => navigate(withParams(url, { grid: e.currentTarget.value }), true)} />
        </label>
        {refusal && <ProblemNote problem={refusal} />}
        <p><button type="submit" class="primary" disabled={starting}>{starting ? "Starting…" : "Start"}</button></p>
      </form>
    </details>
  );
}

export function SweepsView({ readOnly }: { readOnly: boolean }): JSX.Element {
  const { data, problem, reload } = useApi<{ sweeps: Sweep[] }>("/sweeps");
  useRefresh(reload, true);
  if (problem && !data) return <main><ProblemNote problem={problem} reload={reload} /></main>;
  if (!data) return <main><Loading text="Loading sweeps…" /></main>;
  if (data.sweeps.length === 0) {
    return (
      <main>
        <h1 class="sr">Sweeps</h1>
        <Empty title="No sweeps yet">
          <p>A sweep runs every combination of a grid of options, on this machine or on a cluster, and can be resumed after an interruption. Start one{readOnly ? "" : " with the form below, or"} on the command line:</p>
          <p><Command text="tacho sweep examples/cpu-quick.yaml" /></p>
        </Empty>
        {!readOnly && <NewSweep />}
      </main>
    );
  }
  return (
    <main>
      <h1>Sweeps</h1>
      {!readOnly && <NewSweep />}
      <Section id="list" title="All sweeps">
        <Scroll label="sweeps">
          <table class="plain">
            <thead>
              <tr><th scope="col" class="number">id</th><th scope="col">name</th><th scope="col">started</th><th scope="col">state</th>
                <th scope="col" class="number">runs</th><th scope="col" class="bar-cell">progress</th><th scope="col" class="number">run time</th></tr>
            </thead>
            <tbody>
              {data.sweeps.map((sweep) => (
                <tr key={sweep.id}>
                  <td class="number">{sweep.id}</td>
                  <th scope="row"><a href={`/sweeps/${sweep.id}`}>{visible(sweep.name).slice(0, 200) || `sweep ${sweep.id}`}</a></th>
                  <td>{shortTime(sweep.created_at)}</td>
                  <td><span class={`stage ${sweep.state}`}>{stateWords[sweep.state]}</span></td>
                  <td class="number">{count(sweep.counts.runs)}</td>
                  <td class="bar-cell"><ProgressBar sweep={sweep} /></td>
                  <td class="number">{seconds(sweep.counts.run_seconds)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </Section>
    </main>
  );
}
