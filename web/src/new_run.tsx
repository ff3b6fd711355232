// A form that starts a run with `tacho train`.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post, type Problem, useApi } from "./api";
import { navigate, useRoute, withParams } from "./route";
import type { Catalog, Run } from "./types";
import { Command, Loading, ProblemNote } from "./ui";

export function NewRunView({ readOnly }: { readOnly: boolean }): JSX.Element {
  const url = useRoute();
  const { data: catalog, problem } = useApi<Catalog>("/catalog");
  const [starting, setStarting] = useState(false);
  const [refusal, setRefusal] = useState<Problem>();
  if (problem) return <main><ProblemNote problem={problem} /></main>;
  if (!catalog) return <main><Loading text="Loading the catalog…" /></main>;

  const value = (key: string, initial: string) => url.searchParams.get(key) ?? initial;
  const set = (key: string, text: string) => navigate(withParams(url, { [key]: text || null }), true);
  const model = catalog.models.find((m) => m.name === value("model", "mnist-cnn")) ?? catalog.models[0]!;
  const matching = catalog.datasets.filter((d) => d.input === model.input || d.input === "any");
  const data = matching.find((d) => d.name === value("data", "fashion-mnist")) ?? matching[0];
  const options = catalog.options.filter((o) => o.on_form && o.key !== "model" && o.key !== "data");
  const given = options.map((o) => ({ ...o, text: value(o.key, o.default) })).filter((o) => o.text !== o.default);
  const command = ["tacho train", model.name, `--data ${data?.name ?? ""}`, ...given.map((o) => `${o.option} ${o.text}`)].join(" ");

  const start = (event: Event) => {
    event.preventDefault();
    setStarting(true);
    setRefusal(undefined);
    const body: Record<string, unknown> = { model: model.name, data: data?.name };
    for (const each of given) body[each.key] = each.text;
    post<Run>("/jobs", body).then((run) => navigate(`/runs/${run.id}`), (failure: Problem) => {
      setRefusal(failure);
      setStarting(false);
    });
  };
  return (
    <main class="narrow">
      <h1>New run</h1>
      <form class="new-run" onSubmit={start}>
        <label>
          <span>model</span>
          <select value={model.name} onChange={(e) => set("model", e.currentTarget.value)}>
            {catalog.models.map((m) => <option key={m.name} value={m.name}>{m.name}</option>)}
          </select>
          <small>{model.help}</small>
        </label>
        <label>
          <span>data</span>
          <select value={data?.name ?? ""} onChange={(e) => set("data", e.currentTarget.value)}>
            {matching.map((d) => <option key={d.name} value={d.name}>{d.name}</option>)}
          </select>
          <small>{data?.help}</small>
        </label>
        {options.map((o) => (
          <label key={o.key}>
            <span>{o.option.slice(2)}</span>
            {o.choices.length > 0
              ? <select value={value(o.key, o.default)} onChange={(e) => set(o.key, e.currentTarget.value)}>
                  {o.default === "" && <option value="">default</option>}
                  {o.choices.map((c) => <option key={c} value={c}>{c}</option>)}
                </select>
              : <input inputMode={o.type === "text" ? "text" : "decimal"} value={value(o.key, o.default)} onInput={(e) => set(o.key, e.currentTarget.value)} />}
            <small>{o.help}</small>
          </label>
        ))}
        <p class="as-command">Equivalent command: <Command text={command} /></p>
        {refusal && <ProblemNote problem={refusal} />}
        <p><button type="submit" class="primary" disabled={starting || readOnly}>{starting ? "Starting…" : "Start"}</button>
          {readOnly && <span class="soft"> This server is read-only: run the command above instead.</span>}</p>
      </form>
    </main>
  );
}
