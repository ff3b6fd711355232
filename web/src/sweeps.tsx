// All sweeps, how far each is, and a form that starts one.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, useApi, type Problem } from "./api";
import { count, moment, seconds, visible } from "./format";
import { go, useRoute, withParams } from "./route";
import type { Sweep } from "./types";
import { Command, Empty, ProblemNote, Scroll, Section, Waiting } from "./ui";

const usualGrid = `base: {model: mlp, data: fashion-mnist, train-samples: 6000, epochs: 1, threads: 1}
matrix:
  batch: [32, 128]
  lr: [0.01, 0.1]
`;

export const stateWords: Record<Sweep["state"], string> = {
  running: "running", stopped: "stopped", finished: "finished", cancelled: "cancelled",
};

export function useRefresh(again: () => void, going: boolean): void {
  useEffect(() => {
    if (!going) return;
    const timer = setInterval(() => document.hidden || again(), 2000);
    return () => clearInterval(timer);
  }, [going]);
}

// Done, failed, under way, skipped, and what is left, as one bar.
export function ProgressBar({ sweep }: { sweep: Sweep }): JSX.Element {
  const { counts } = sweep;
  const good = counts.outcomes["ok"] ?? 0;
  const parts: [string, number, string][] = [
    ["ok", good, "ok"],
    ["ended otherwise", counts.done - good, "bad"],
    ["under way", counts.submitted, "going"],
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
  const grid = url.searchParams.get("grid") ?? usualGrid;
  const [starting, setStarting] = useState(false);
  const [refused, setRefused] = useState<Problem>();
  const start = (event: Event) => {
    event.preventDefault();
    setStarting(true);
    setRefused(undefined);
    post<Sweep>("/sweeps", { grid }).then((sweep) => go(`/sweeps/${sweep.id}`), (failure: Problem) => {
      setRefused(failure);
      setStarting(false);
    });
  };
  return (
    <details class="new-sweep" open={url.searchParams.has("grid")}>
      <summary>New sweep</summary>
      <form onSubmit={start}>
        <label>
          <span>The grid: options that all runs share, and lists of values; every combination is a run</span>
          <textarea rows={7} spellcheck={false} value={grid} onInput={(e) => go(withParams(url, { grid: e.currentTarget.value }), true)} />
        </label>
        {refused && <ProblemNote problem={refused} />}
        <p><button type="submit" class="primary" disabled={starting}>{starting ? "starting …" : "Start"}</button></p>
      </form>
    </details>
  );
}

export function SweepsView({ readOnly }: { readOnly: boolean }): JSX.Element {
  const { data, problem, again } = useApi<{ sweeps: Sweep[] }>("/sweeps");
  useRefresh(again, true);
  if (problem && !data) return <main><ProblemNote problem={problem} again={again} /></main>;
  if (!data) return <main><Waiting what="looking" /></main>;
  if (data.sweeps.length === 0) {
    return (
      <main>
        <h1 class="sr">Sweeps</h1>
        <Empty title="No sweep yet">
          <p>A grid of options makes many runs, here or on a cluster, and survives Ctrl-C, crashes and reboots.</p>
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
                  <td>{moment(sweep.created_at)}</td>
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
