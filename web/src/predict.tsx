// Predicts a whole training: a form, time, memory, cost and chance with intervals, accuracy by epoch.
import type { JSX } from "preact";
import { useApi, usePost } from "./api";
import { Chart } from "./chart";
import { dollars, seconds, share } from "./format";
import type { Instance, Range, TrainingPrediction } from "./offer_types";
import { navigate, useRoute } from "./route";
import type { Catalog } from "./types";
import { Command, Loading, ProblemNote, Scroll, Section, TextField } from "./ui";

// Keys are those of the API.
interface Field {
  key: string;
  label: string;
  option: string; // of `tacho predict`
  initial: string;
  help: string;
  isNumber?: true;
  choices?: string[];
}
const fields: Field[] = [
  { key: "model", label: "model", option: "", initial: "resnet18", help: "such as resnet18" },
  { key: "data", label: "data", option: "--data", initial: "cifar10", help: "such as cifar10" },
  { key: "gpu", label: "GPU", option: "--gpu", initial: "V100", help: "such as A100" },
  { key: "num_gpus", label: "number of GPUs", option: "--num-gpus", initial: "1", help: "in total", isNumber: true },
  { key: "batch_per_gpu", label: "batch per GPU", option: "-b", initial: "128", help: "samples per step", isNumber: true },
  { key: "precision", label: "precision", option: "--precision", initial: "", help: "", choices: ["fp32", "tf32", "amp", "fp16", "bf16", "fp8"] },
  { key: "workers", label: "workers per GPU", option: "--workers", initial: "", help: "enough", isNumber: true },
  { key: "epochs", label: "epochs", option: "-e", initial: "30", help: "length of the training", isNumber: true },
  { key: "learning_rate", label: "learning rate", option: "--lr", initial: "", help: "as known trainings", isNumber: true },
  { key: "target", label: "target accuracy", option: "--target", initial: "", help: "such as 0.75", isNumber: true },
  { key: "software", label: "software", option: "--software", initial: "", help: "any" },
];

// The address holds the request, so a link repeats it.
function valuesOf(params: URLSearchParams): (Field & { text: string })[] {
  return fields.map((field) => ({ ...field, text: (params.get(field.key) ?? field.initial).trim() }));
}

// The server says what is wrong with text that is not a number.
function requestOf(params: URLSearchParams): Record<string, string | number> {
  return Object.fromEntries(valuesOf(params).filter(({ text }) => text)
    .map(({ key, text, isNumber }) => [key, isNumber && Number.isFinite(Number(text)) ? Number(text) : text]));
}

function commandOf(params: URLSearchParams): string {
  const quoted = (text: string) => (/^[\w.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const words = valuesOf(params).filter(({ text }) => text).map(({ option, text }) => `${option} ${quoted(text)}`.trim());
  return ["tacho predict", ...words].join(" ");
}

// The field that an error of the server is about, if it is about one.
function wrongField(message: string): { key: string; text: string } | undefined {
  const read = /^the request: '(\w+)': (.+)$/.exec(message);
  const word = read?.[1] ?? /^(?:unknown )?(\w+)/.exec(message)?.[1]?.toLowerCase();
  const key = word === "dataset" ? "data" : word;
  // The list of known names is long, and the field suggests them.
  const text = (read?.[2] ?? message).replace(/(did you mean '.+'\?) \(known: .+\)$/, "$1");
  return key && fields.some((field) => field.key === key) ? { key, text } : undefined;
}

function TrainingForm({ url, suggestions, wrong }: { url: URL; suggestions: Record<string, string[]>; wrong: { key: string; text: string } | undefined }): JSX.Element {
  const set = ({ key, initial }: Field, text: string) => {
    const next = new URL(url);
    if (text === initial) next.searchParams.delete(key);
    else next.searchParams.set(key, text);
    navigate(next.pathname + next.search, true);
  };
  return (
    <form class="request-form" onSubmit={(event) => event.preventDefault()}>
      {valuesOf(url.searchParams).map((field) => {
        const { key, label, help, text, choices } = field;
        const shared = {
          id: key, value: text, "aria-invalid": wrong?.key === key, "aria-describedby": wrong?.key === key ? `${key}-error` : undefined,
        };
        return (
          <div key={key} class="field">
            <label for={key}><span>{label}</span>
              {choices
                ? <select {...shared} onChange={(event) => set(field, event.currentTarget.value)}><option value="">default</option>{choices.map((each) => <option key={each} value={each}>{each}</option>)}</select>
                : <TextField {...shared} commit={(typed) => set(field, typed)} list={`${key}-known`} inputMode={field.isNumber ? "decimal" : "text"} placeholder={help} />}
            </label>
            {suggestions[key] && <datalist id={`${key}-known`}>{suggestions[key].map((each) => <option key={each} value={each} />)}</datalist>}
            {wrong?.key === key && <small id={`${key}-error`} class="bad" role="alert">{wrong.text}</small>}
          </div>
        );
      })}
    </form>
  );
}

function Figures({ prediction }: { prediction: TrainingPrediction }): JSX.Element {
  const { cost, memory_gb: memory, chance } = prediction;
  const last = prediction.accuracy.at(-1);
  const between = (range: Range, text: (value: number) => string) => `${text(range.low90)} – ${text(range.high90)}`;
  const rows: [string, string, string, string][] = [
    ["time per epoch", seconds(prediction.epoch_seconds.value), between(prediction.epoch_seconds, seconds), "with the evaluation"],
    ["total time", seconds(prediction.total_seconds.value), between(prediction.total_seconds, seconds), "without start-up"],
    cost
      ? ["cost", dollars(cost.dollars.value), between(cost.dollars, dollars), `${cost.cloud} ${cost.instance}, ${cost.region}: ${dollars(cost.on_demand_usd_h)} per hour, as of ${cost.date}`]
      : ["cost", "–", "–", "no machine with these GPUs has a price"],
    memory === null
      ? ["memory per GPU", "–", "–", "unknown, because the model's cost is unknown"]
      : ["memory per GPU", `${Number(memory.toPrecision(3))} GB`, "–", `${prediction.fits ? "fits" : "does not fit"} on ${prediction.gpu}; an estimate without interval`],
  ];
  if (last) rows.push([`accuracy after epoch ${last.epoch}`, share(last.top1), `${share(last.low90)} – ${share(last.high90)}`, "top-1"]);
  if (chance !== null) rows.push(["chance to reach the target", `${(100 * chance).toFixed(0)} %`, "–", `a probability, for top-1 ${prediction.target_top1} by epoch ${prediction.epochs}`]);
  return (
    <Scroll label="figures">
      <table class="plain training-table">
        <thead><tr><th scope="col">figure</th><th scope="col" class="number">value</th><th scope="col" class="number">90 % interval</th></tr></thead>
        <tbody>
          {rows.map(([name, value, interval, note]) => (
            <tr key={name}><th scope="row">{name} <small>{note}</small></th><td class="number">{value}</td><td class="number soft">{interval}</td></tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function AccuracyChart({ prediction: { accuracy, target_top1: target } }: { prediction: TrainingPrediction }): JSX.Element {
  return (
    <Chart
      title="Top-1 accuracy" unit="share" xTitle="epoch" height={280} x={accuracy.map((each) => each.epoch)}
      limit={target === null ? undefined : { value: target, label: `target ${share(target)}` }}
      lines={[{
        label: "top-1", points: accuracy.length < 20, values: accuracy.map((each) => each.top1),
        low: accuracy.map((each) => each.low90), high: accuracy.map((each) => each.high90),
      }]}
    />
  );
}

export function PredictView(): JSX.Element {
  const url = useRoute();
  const { data: catalog } = useApi<Catalog>("/catalog");
  const { data: market } = useApi<{ instances: Instance[] }>("/instances");
  const { data: prediction, problem, loading } = usePost<TrainingPrediction>("/predict/training", JSON.stringify(requestOf(url.searchParams)));
  const wrong = problem && wrongField(problem.message);
  const suggestions = {
    model: catalog?.models.map((m) => m.name) ?? [],
    data: catalog?.datasets.map((d) => d.name) ?? [],
    gpu: [...new Set(market?.instances.map((i) => i.gpu).filter(Boolean))].sort(),
    software: ["tacho", "pytorch", "pytorch-compile"],
  };
  return (
    <main>
      <h1>Predict a training</h1>
      <TrainingForm url={url} suggestions={suggestions} wrong={wrong} />
      <p class="as-command">Equivalent command: <Command text={commandOf(url.searchParams)} /></p>
      {loading && !prediction && <Loading text="Predicting time, cost and accuracy…" />}
      {problem && !wrong && <ProblemNote problem={problem} />}
      {prediction && (
        <div class={loading ? "old" : ""}>
          <Section id="figures" title="Time, cost and memory">
            <Figures prediction={prediction} />
            {!prediction.fits && <p class="note-line">The batch does not fit in the memory of {prediction.gpu}; use a smaller one.</p>}
            {prediction.reason && <p class="note-line">{prediction.reason}</p>}
            <p class="soft">Software: {prediction.software}. Based on {prediction.basis}.</p>
          </Section>
          <Section id="accuracy" title="Accuracy by epoch" aside={prediction.accuracy.length > 0 && <span class="soft">band: 90 % interval</span>}>
            {prediction.accuracy.length > 0 ? <AccuracyChart prediction={prediction} /> : <p>{prediction.accuracy_reason}</p>}
          </Section>
        </div>
      )}
    </main>
  );
}
