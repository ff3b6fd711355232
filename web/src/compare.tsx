// Compares groups of runs with the first group.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi } from "./api";
import { Chart } from "./chart";
import { Findings } from "./findings";
import { count, formatValue, seconds } from "./format";
import { navigate, useRoute, withParams } from "./route";
import { SortTable } from "./run_report";
import type { Band, Comparison, Diff } from "./types";
import { Command, Empty, Loading, ProblemNote, Scroll, Section, TextField } from "./ui";

const curveChoices: { key: string; title: string; unit: string; x: string; higher?: boolean }[] = [
  { key: "loss", title: "training loss", unit: "none", x: "step" },
  { key: "top1", title: "top-1 accuracy", unit: "share", x: "epoch", higher: true },
  { key: "eval_loss", title: "evaluation loss", unit: "none", x: "epoch" },
  { key: "step_s", title: "step time", unit: "seconds", x: "step" },
];

// All groups on one axis, with gaps where a group has no value.
function Curves({ comparison, choice }: { comparison: Comparison; choice: (typeof curveChoices)[number] }) {
  const bands = (comparison.curves ?? []).map((curves) => curves[choice.key]).filter((b): b is Band => !!b);
  const x = [...new Set(bands.flatMap((band) => band.at))].sort((a, b) => a - b);
  if (x.length < 2) return <p class="soft">These runs have no {choice.title} curve; select another curve above.</p>;
  const place = new Map(x.map((at, i) => [at, i]));
  const lines = bands.map((band, i) => {
    const spread = (values: number[]) => {
      const out: (number | null)[] = new Array<number | null>(x.length).fill(null);
      band.at.forEach((at, j) => (out[place.get(at)!] = values[j] ?? null));
      return out;
    };
    const several = Math.max(...band.runs, 0) > 1;
    const line = { label: comparison.variants[i]?.name ?? `group ${i + 1}`, values: spread(band.median), color: i };
    return several ? { ...line, low: spread(band.low), high: spread(band.high) } : line;
  });
  return <Chart title={`${choice.title}: median of each group, with quartiles`} unit={choice.unit} x={x} xTitle={choice.x} lines={lines} height={260} />;
}

// For each group the best value, the last value, and the value at a selected step.
function CurveTable({ comparison, choice, at, change }: { comparison: Comparison; choice: (typeof curveChoices)[number]; at: number | undefined; change: (at: number) => void }) {
  const bands = (comparison.curves ?? []).map((curves) => curves[choice.key]);
  const end = Math.max(0, ...bands.flatMap((band) => band?.at ?? []));
  const value = (v: number | undefined) => formatValue(choice.unit, v);
  const selected = Math.min(at ?? end, end);
  // The last point up to the selected step.
  const nearest = (band: Band) => band.at.reduce((found, where, i) => (where <= selected + 1e-9 ? i : found), 0);
  return (
    <>
      <label class="moment pick"><span>at {choice.x}</span>
        <input type="range" min={1} max={Math.max(1, Math.ceil(end))} value={Math.ceil(selected)} onInput={(e) => change(Number(e.currentTarget.value))} />
        <output>{count(Math.ceil(selected))}</output>
      </label>
      <Scroll label={`best value, last value and value at a ${choice.x}`}>
        <table class="plain">
          <thead><tr><th scope="col">group</th><th scope="col" class="number">best</th><th scope="col" class="number">at {choice.x}</th><th scope="col" class="number">last</th><th scope="col" class="number">at {choice.x} {count(Math.ceil(selected))}</th><th scope="col" class="number">quartiles</th></tr></thead>
          <tbody>
            {bands.map((band, i) => {
              if (!band || band.at.length === 0) return null;
              const best = band.median.reduce((found, v, j) => ((choice.higher ? v > band.median[found]! : v < band.median[found]!) ? j : found), 0);
              const here = nearest(band);
              const last = band.at.length - 1;
              return (
                <tr key={i}>
                  <th scope="row"><i class={`swatch inline c${i % 8}`} aria-hidden="true" /> {comparison.variants[i]?.name ?? `group ${i + 1}`}</th>
                  <td class="number">{value(band.median[best])}</td><td class="number soft">{count(Math.round(band.at[best]!))}</td>
                  <td class="number">{value(band.median[last])}</td>
                  <td class="number">{value(band.median[here])}</td><td class="number soft">{band.runs[here]! > 1 ? `${value(band.low[here])} – ${value(band.high[here])}` : "one run"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

function Groups({ groups, change }: { groups: string[]; change: (groups: string[]) => void }) {
  const [typed, setTyped] = useState("");
  const add = () => {
    if (typed.trim()) change([...groups, typed.trim()]);
    setTyped("");
  };
  return (
    <div class="group-bar">
      {groups.map((group, i) => (
        <span key={`${i}${group}`} class="chip">
          <i class={`swatch c${i % 8}`} aria-hidden="true" />
          <TextField
            value={group} size={Math.max(4, group.length)} aria-label={`Group ${i + 1}${i === 0 ? " (base)" : ""}`}
            commit={(text) => change(groups.map((g, j) => (j === i ? text : g)).filter(Boolean))}
          />
          <button type="button" class="quiet" aria-label={`Remove group ${i + 1}`} onClick={() => change(groups.filter((_, j) => j !== i))}>×</button>
        </span>
      ))}
      <form onSubmit={(e) => { e.preventDefault(); add(); }}>
        <input value={typed} placeholder="41,42 or batch=64 model=lenet5" aria-label="Add a group: run ids or conditions" size={30} onInput={(e) => setTyped(e.currentTarget.value)} />
        <button type="submit">Add group</button>
      </form>
    </div>
  );
}

function KernelDiff({ before, after }: { before: string; after: string }) {
  const { data } = useApi<Diff>(`/diff?before=${encodeURIComponent(before)}&after=${encodeURIComponent(after)}`);
  const rows = data?.kernels?.rows ?? data?.operators?.rows ?? [];
  if (!data || rows.length === 0) return null;
  return (
    <Section id="difference" title={`${data.kernels ? "Kernels" : "Operators"} that differ`} aside={<span class="soft">run {data.before} compared with run {data.after}</span>}>
      <SortTable
        label="differences" rows={rows.filter((row) => row.change !== "same")}
        columns={[
          { key: "change", title: "change", value: (r) => r.change },
          { key: "delta", title: "difference", value: (r) => r.after_s - r.before_s, text: (r) => seconds(r.after_s - r.before_s) },
          { key: "before", title: "before", value: (r) => r.before_s, text: (r) => seconds(r.before_s) },
          { key: "after", title: "after", value: (r) => r.after_s, text: (r) => seconds(r.after_s) },
          { key: "name", title: "name", value: (r) => r.name, wide: true },
        ]}
      />
    </Section>
  );
}

export function CompareView(): JSX.Element {
  const url = useRoute();
  const groups = url.searchParams.getAll("group");
  const curve = curveChoices.find((c) => c.key === url.searchParams.get("curve")) ?? curveChoices[0]!;
  const at = Number(url.searchParams.get("at") ?? 0) || undefined;
  const query = groups.map((g) => `group=${encodeURIComponent(g)}`).join("&");
  const { data, problem, loading } = useApi<Comparison>(groups.length >= 2 ? `/compare?${query}` : null);
  const change = (next: string[]) => navigate(withParams(url, { group: next }));
  const firsts = data?.variants.map((_, i) => data.runs.find((run) => run.variant === i)?.run ?? "") ?? [];
  return (
    <main class="compare">
      <header class="with-link"><h1>Compare</h1> <a href="/comparisons">Stored comparisons</a></header>
      <Groups groups={groups} change={change} />
      {groups.length < 2 && (
        <Empty title={groups.length === 1 ? "Add another group" : "Nothing to compare yet"}>
          <p>Select runs in the <a href="/">list of runs</a> and press Compare, or enter groups above: ids such as <code>41,42</code>, or conditions such as <code>batch=64 model=lenet5</code>.</p>
          <p>Intervals need several runs per group. This command makes them, in random order:</p>
          <p><Command text="tacho compare --vary batch=32,64 -- train lenet5 --data fashion-mnist -e 1" /></p>
        </Empty>
      )}
      {problem && groups.length >= 2 && <ProblemNote problem={problem} />}
      {!data && !problem && groups.length >= 2 && <Loading text="Comparing…" />}
      {data && groups.length >= 2 && (
        <div class={loading ? "old" : ""}>
          {data.notes.map((note) => <p key={note} class="note-line">{note}</p>)}
          <Section
            id="curves" title="Curves"
            aside={(
              <label class="pick"><span class="sr">curve</span>
                <select value={curve.key} onChange={(e) => navigate(withParams(url, { curve: e.currentTarget.value }), true)}>
                  {curveChoices.map((c) => <option key={c.key} value={c.key}>{c.title}</option>)}
                </select>
              </label>
            )}
          >
            <Curves key={curve.key} comparison={data} choice={curve} />
            <CurveTable comparison={data} choice={curve} at={at} change={(next) => navigate(withParams(url, { at: String(next) }), true)} />
          </Section>
          <Section id="findings" title="Metrics" aside={<span class="soft">{data.summary[0]}</span>}>
            <Findings comparison={data} />
          </Section>
          {firsts[0] && firsts[1] && <KernelDiff before={firsts[0]} after={firsts[1]} />}
        </div>
      )}
    </main>
  );
}
