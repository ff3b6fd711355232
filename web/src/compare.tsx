// Groups of runs against the first of them.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi } from "./api";
import { Chart } from "./chart";
import { Findings } from "./findings";
import { seconds } from "./format";
import { go, useRoute, withParams } from "./route";
import { SortTable } from "./run_report";
import type { Band, Comparison, Diff } from "./types";
import { Empty, ProblemNote, Section, Waiting } from "./ui";

const curveChoices: { key: string; title: string; unit: string; x: string }[] = [
  { key: "loss", title: "training loss", unit: "none", x: "step" },
  { key: "top1", title: "top-1 accuracy", unit: "share", x: "epoch" },
  { key: "eval_loss", title: "evaluation loss", unit: "none", x: "epoch" },
  { key: "step_s", title: "step time", unit: "seconds", x: "step" },
];

// All groups on one axis: where a group has no value, there is a gap.
function Curves({ comparison, choice }: { comparison: Comparison; choice: (typeof curveChoices)[number] }) {
  const bands = (comparison.curves ?? []).map((curves) => curves[choice.key]).filter((b): b is Band => !!b);
  const x = [...new Set(bands.flatMap((band) => band.at))].sort((a, b) => a - b);
  if (x.length < 2) return <p class="soft">These runs have no {choice.title} over time.</p>;
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
  return <Chart title={`${choice.title}, median of each group, quartiles as a band`} unit={choice.unit} x={x} xTitle={choice.x} lines={lines} height={260} />;
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
          <input
            value={group} size={Math.max(4, group.length)} aria-label={`Group ${i + 1}${i === 0 ? ", the base" : ""}`}
            onChange={(e) => change(groups.map((g, j) => (j === i ? e.currentTarget.value : g)).filter(Boolean))}
          />
          <button type="button" class="quiet" aria-label={`Remove group ${i + 1}`} onClick={() => change(groups.filter((_, j) => j !== i))}>×</button>
        </span>
      ))}
      <form onSubmit={(e) => { e.preventDefault(); add(); }}>
        <input value={typed} placeholder="41,42 or batch=64 model=lenet5" aria-label="Add a group: run ids, or conditions" size={30} onInput={(e) => setTyped(e.currentTarget.value)} />
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
    <Section id="difference" title={`${data.kernels ? "Kernels" : "Operators"} that differ`} aside={<span class="soft">run {data.before} against run {data.after}</span>}>
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
  const query = groups.map((g) => `group=${encodeURIComponent(g)}`).join("&");
  const { data, problem, loading } = useApi<Comparison>(groups.length >= 2 ? `/compare?${query}` : null);
  const change = (next: string[]) => go(withParams(url, { group: next }));
  const firsts = data?.variants.map((_, i) => data.runs.find((run) => run.variant === i)?.run ?? "") ?? [];
  return (
    <main class="compare">
      <h1>Compare</h1>
      <Groups groups={groups} change={change} />
      {groups.length < 2 && (
        <Empty title={groups.length === 1 ? "One more group" : "Nothing to compare yet"}>
          <p>Choose runs in <a href="/">the list</a>, or name groups above: ids like <code>41,42</code>, or conditions like <code>batch=64 model=lenet5</code>.</p>
          <p>Several runs in a group make an interval possible; <code>tacho compare</code> makes them in fair order.</p>
        </Empty>
      )}
      {problem && groups.length >= 2 && <ProblemNote problem={problem} />}
      {!data && !problem && groups.length >= 2 && <Waiting what="comparing" />}
      {data && groups.length >= 2 && (
        <div class={loading ? "old" : ""}>
          {data.notes.map((note) => <p key={note} class="note-line">{note}</p>)}
          <Section
            id="curves" title="Curves"
            aside={(
              <label class="pick"><span class="sr">curve</span>
                <select value={curve.key} onChange={(e) => go(withParams(url, { curve: e.currentTarget.value }), true)}>
                  {curveChoices.map((c) => <option key={c.key} value={c.key}>{c.title}</option>)}
                </select>
              </label>
            )}
          >
            <Curves key={curve.key} comparison={data} choice={curve} />
          </Section>
          <Section id="findings" title="Figures" aside={<span class="soft">{data.summary[0]}</span>}>
            <Findings comparison={data} />
          </Section>
          {firsts[0] && firsts[1] && <KernelDiff before={firsts[0]} after={firsts[1]} />}
        </div>
      )}
    </main>
  );
}
