// Starts a run: what `tacho train` would be told.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post, useApi, type Problem } from "./api";
import { go, useRoute, withParams } from "./route";
import type { Catalog, Run } from "./types";
import { Command, ProblemNote, Waiting } from "./ui";

const numbers: { key: string; option: string; label: string; usual: string; help: string }[] = [
  { key: "batch", option: "--batch", label: "batch", usual: "64", help: "samples in a step" },
  { key: "epochs", option: "--epochs", label: "epochs", usual: "1", help: "passes over the training part" },
  { key: "steps", option: "--steps", label: "steps at most", usual: "", help: "ends the run early" },
  { key: "lr", option: "--lr", label: "learning rate", usual: "", help: "empty: what trains the model well" },
  { key: "seed", option: "--seed", label: "seed", usual: "0", help: "of everything that is drawn" },
  { key: "threads", option: "--threads", label: "threads", usual: "", help: "empty: as many as help" },
  { key: "train_samples", option: "--train-samples", label: "training samples", usual: "", help: "only the first so many" },
];

export function NewRunView({ readOnly }: { readOnly: boolean }): JSX.Element {
  const url = useRoute();
  const { data: catalog, problem } = useApi<Catalog>("/catalog");
  const [starting, setStarting] = useState(false);
  const [refused, setRefused] = useState<Problem>();
  if (problem) return <main><ProblemNote problem={problem} /></main>;
  if (!catalog) return <main><Waiting what="reading the catalogue" /></main>;

  const value = (key: string, usual: string) => url.searchParams.get(key) ?? usual;
  const set = (key: string, text: string) => go(withParams(url, { [key]: text || null }), true);
  const model = catalog.models.find((m) => m.name === value("model", "mnist-cnn")) ?? catalog.models[0]!;
  const fitting = catalog.datasets.filter((d) => d.input === model.input || d.input === "any");
  const data = fitting.find((d) => d.name === value("data", "fashion-mnist")) ?? fitting[0];
  const given = numbers.map((n) => ({ ...n, text: value(n.key, n.usual) })).filter((n) => n.text !== "");
  const command = ["tacho train", model.name, `--data ${data?.name ?? ""}`, ...given.map((n) => `${n.option} ${n.text}`)].join(" ");

  const start = (event: Event) => {
    event.preventDefault();
    setStarting(true);
    setRefused(undefined);
    const body: Record<string, unknown> = { model: model.name, data: data?.name };
    for (const each of given) body[each.key] = Number.isFinite(Number(each.text)) ? Number(each.text) : each.text;
    post<Run>("/jobs", body).then((run) => go(`/runs/${run.id}`), (failure: Problem) => {
      setRefused(failure);
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
            {fitting.map((d) => <option key={d.name} value={d.name}>{d.name}</option>)}
          </select>
          <small>{data?.help}</small>
        </label>
        {numbers.map((n) => (
          <label key={n.key}>
            <span>{n.label}</span>
            <input inputMode="decimal" value={value(n.key, n.usual)} onInput={(e) => set(n.key, e.currentTarget.value)} />
            <small>{n.help}</small>
          </label>
        ))}
        <p class="as-command">The same as <Command text={command} /></p>
        {refused && <ProblemNote problem={refused} />}
        <p><button type="submit" class="primary" disabled={starting || readOnly}>{starting ? "starting …" : "Start"}</button>
          {readOnly && <span class="soft"> this server only shows</span>}</p>
      </form>
    </main>
  );
}
