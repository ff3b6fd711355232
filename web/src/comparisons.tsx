// Comparisons that `tacho compare` stored.
import type { JSX } from "preact";
import { useApi } from "./api";
import { Findings } from "./findings";
import { visible } from "./format";
import type { Comparison } from "./types";
import { Command, Empty, Loading, ProblemNote, Scroll, Section } from "./ui";

export function ComparisonsView(): JSX.Element {
  const { data, problem, reload } = useApi<{ comparisons: { id: number; title: string; started: string }[] }>("/comparisons");
  if (problem) return <main><ProblemNote problem={problem} reload={reload} /></main>;
  if (!data) return <main><Loading text="Loading comparisons…" /></main>;
  if (data.comparisons.length === 0) {
    return (
      <main>
        <h1 class="sr">Comparisons</h1>
        <Empty title="No comparisons yet">
          <p>This command runs a job bare and in a container, in random order, until the intervals are narrow:</p>
          <p><Command text="tacho compare --env bare,podman -- train mnist-cnn --data fashion-mnist" /></p>
        </Empty>
      </main>
    );
  }
  return (
    <main>
      <h1>Comparisons</h1>
      <table class="plain">
        <thead><tr><th scope="col" class="number">id</th><th scope="col">title</th><th scope="col">started</th></tr></thead>
        <tbody>
          {data.comparisons.map((row) => (
            <tr key={row.id}>
              <td class="number">{row.id}</td>
              <th scope="row"><a href={`/comparisons/${row.id}`}>{visible(row.title)}</a></th>
              <td>{new Date(row.started).toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  );
}

export function ComparisonView({ handle }: { handle: string }): JSX.Element {
  const path = `/comparisons/${encodeURIComponent(handle)}`;
  const { data, problem, reload } = useApi<Comparison & { id: number }>(path);
  if (problem?.status === 404) return <main><Empty title="No such comparison"><p>{problem.message}</p><p><a href="/comparisons">All comparisons</a></p></Empty></main>;
  if (problem) return <main><ProblemNote problem={problem} reload={reload} /></main>;
  if (!data) return <main><Loading text="Loading the comparison…" /></main>;
  return (
    <main class="compare">
      <header class="run-head">
        <p class="crumbs"><a href="/comparisons">Comparisons</a> / {data.id}</p>
        <h1>{visible(data.title)}</h1>
        {data.summary.map((line) => <p key={line} class="soft">{line}</p>)}
        <div class="actions">
          <a class="button" download href={`/api/v1${path}?format=html`}>Save report</a>
          <a class="button" download href={`/api/v1${path}?format=csv`}>CSV</a>
        </div>
      </header>
      {data.command && <p><Command text={data.command} /></p>}
      {data.notes.map((note) => <p key={note} class="note-line">{visible(note)}</p>)}
      <Findings comparison={data} />
      {data.tables.map((table) => (
        <Section key={table.title} id={table.title.toLowerCase().replace(/\W+/g, "-")} title={table.title}>
          <Scroll label={table.title}>
            <table class="plain">
              <thead><tr>{table.headings.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
              <tbody>{table.rows.map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{visible(cell)}</td>)}</tr>)}</tbody>
            </table>
          </Scroll>
        </Section>
      ))}
    </main>
  );
}
