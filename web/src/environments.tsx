// Comparisons of environments, and the container engines of this machine.
import type { JSX } from "preact";
import { useApi } from "./api";
import { Findings } from "./findings";
import { visible } from "./format";
import { navigate, useRoute, withParams } from "./route";
import type { Comparison } from "./types";
import { Command, Empty, Loading, ProblemNote, Scroll, Section } from "./ui";

interface Engine { environment: string; available: boolean; version: string; problem: string; images: string[] }
interface StoredComparison { id: number; title: string; started: string; environments: string[] }

// The verdicts: one row per metric, one column per environment.
function Verdicts({ comparison }: { comparison: Comparison }): JSX.Element | null {
  const shown = comparison.metrics.filter((m) => comparison.findings.some((f) => f.metric === m.key)).slice(0, 12);
  const others = comparison.variants.map((variant, i) => ({ variant, i })).filter(({ i }) => comparison.findings.some((f) => f.variant === i));
  if (shown.length === 0) return null;
  return (
    <Scroll label="verdicts">
      <table class="plain verdicts">
        <thead><tr><th scope="col">metric</th>{others.map(({ variant, i }) => <th key={i} scope="col">{visible(variant.group ? `${variant.group}: ${variant.name}` : variant.name)}</th>)}</tr></thead>
        <tbody>
          {shown.map((metric) => (
            <tr key={metric.key}>
              <th scope="row" title={metric.help}>{metric.title}</th>
              {others.map(({ i }) => {
                const at = comparison.findings.findIndex((f) => f.variant === i && f.metric === metric.key);
                const finding = comparison.findings[at];
                const decided = finding?.verdict === "higher" || finding?.verdict === "lower";
                const good = comparison.good[at];
                return <td key={i} class={decided && good !== null && good !== undefined ? (good ? "good" : "bad") : ""}>{finding?.words ?? "–"}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

export function EnvironmentsView(): JSX.Element {
  const url = useRoute();
  const { data, problem, reload } = useApi<{ engines: Engine[]; comparisons: StoredComparison[] }>("/environments");
  const wanted = Number(url.searchParams.get("comparison") ?? 0);
  const stored = data?.comparisons.find((c) => c.id === wanted) ?? data?.comparisons[0];
  const { data: comparison } = useApi<Comparison>(stored ? `/comparisons/${stored.id}` : null);
  if (problem) return <main><ProblemNote problem={problem} reload={reload} /></main>;
  if (!data) return <main><h1>Environments</h1><Loading text="Checking the container engines…" /></main>;
  return (
    <main>
      <h1>Environments</h1>
      {!stored && (
        <Empty title="No environments compared yet">
          <p>This command runs a job bare and in a container, in random order, until the intervals are narrow:</p>
          <p><Command text="tacho compare --env bare,podman -- train mnist-cnn --data fashion-mnist --steps 200" /></p>
        </Empty>
      )}
      {stored && (
        <Section
          id="found" title={visible(stored.title).slice(0, 200)}
          aside={data.comparisons.length > 1 && (
            <label class="pick"><span>comparison</span>
              <select value={String(stored.id)} onChange={(e) => navigate(withParams(url, { comparison: e.currentTarget.value }), true)}>
                {data.comparisons.map((c) => <option key={c.id} value={c.id}>{c.id}: {c.environments.join(", ")}, {c.started.slice(0, 10)}</option>)}
              </select>
            </label>
          )}
        >
          <p class="meta"><span>{stored.environments.join(", ")}</span><span>{new Date(stored.started).toLocaleString()}</span><a href={`/comparisons/${stored.id}`}>full comparison</a></p>
          {comparison ? <><Verdicts comparison={comparison} />{comparison.summary.map((line) => <p key={line} class="soft">{line}</p>)}</> : <Loading text="Loading the comparison…" />}
        </Section>
      )}
      {comparison && stored && <Section id="metrics" title="Metrics with intervals"><Findings comparison={comparison} /></Section>}
      <Section id="engines" title="Container engines">
        <dl class="health">
          {data.engines.map((engine) => (
            <div key={engine.environment}>
              <dt><span class={`health-mark ${engine.available ? "ok" : "missing"}`}>{engine.available ? "ok" : "missing"}</span> {engine.environment}</dt>
              <dd>{engine.available ? <>{visible(engine.version)}{engine.images.length > 0 && <p class="fix">images: {engine.images.map(visible).join(", ")}</p>}</> : visible(engine.problem)}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </main>
  );
}
