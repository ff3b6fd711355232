// The series of a run, with live updates while it runs.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "./api";
import type { Buckets, Epoch, GpuSeries, Steps, Usage, UsageSeries } from "./types";

export interface RunSeries {
  steps: Steps | undefined;
  usage: Usage | undefined;
  epochs: Epoch[];
  figures: Record<string, Figure>;
  notes: string[];
}

interface Figure {
  step: number[];
  unix_seconds?: number[];
  value: Buckets;
}
interface Figures {
  count: number; // of lines with figures
  figures: RunSeries["figures"];
}

type Numbers = (number | null)[];

function extend(into: Buckets, more: Numbers): Buckets {
  const extended: Buckets = { mean: [...into.mean, ...more] };
  // New values are single: low, mean and high are the same.
  if (into.low && into.high) {
    extended.low = [...into.low, ...more];
    extended.high = [...into.high, ...more];
  }
  return extended;
}

function withSteps(steps: Steps, fresh: { first_step: number; seconds: Numbers; input_seconds: Numbers; loss: Numbers }): Steps {
  const known = steps.count;
  const skip = Math.max(0, known + 1 - fresh.first_step);
  if (fresh.first_step > known + 1 || skip >= fresh.seconds.length) return steps;
  // New steps are merged into buckets of the same width; an incomplete bucket is left out.
  const width = steps.bucket;
  const merge = (values: Numbers): Numbers => {
    if (width === 1) return values.slice(skip);
    const out: Numbers = [];
    for (let i = skip; i + width <= values.length; i += width) {
      const part = values.slice(i, i + width).filter((v): v is number => v !== null);
      out.push(part.length ? part.reduce((a, b) => a + b, 0) / part.length : null);
    }
    return out;
  };
  return {
    ...steps,
    count: known + fresh.seconds.length - skip,
    seconds: extend(steps.seconds, merge(fresh.seconds)),
    input_seconds: extend(steps.input_seconds, merge(fresh.input_seconds)),
    loss: extend(steps.loss, merge(fresh.loss)),
  };
}

const gpuKeys = ["busy", "memory_bytes", "watts", "sm_mhz", "celsius"] as const;

function withUsage(usage: UsageSeries | null, fresh: UsageSeries): UsageSeries {
  if (!usage) return fresh;
  const last = usage.unix_seconds[usage.unix_seconds.length - 1] ?? 0;
  const from = fresh.unix_seconds.findIndex((t) => t > last);
  if (from < 0) return usage;
  const join = (into: Buckets | undefined, more: Buckets | undefined): Buckets =>
    extend(into ?? { mean: [] }, (more?.mean ?? []).slice(from));
  const gpus = usage.gpus.map((gpu, i): GpuSeries => {
    const more = fresh.gpus[i];
    const extended = { ...gpu };
    for (const key of gpuKeys) extended[key] = join(gpu[key], more?.[key]);
    return extended;
  });
  return {
    ...usage,
    unix_seconds: [...usage.unix_seconds, ...fresh.unix_seconds.slice(from)],
    cores: join(usage.cores, fresh.cores),
    resident_bytes: join(usage.resident_bytes, fresh.resident_bytes),
    threads: join(usage.threads, fresh.threads),
    ...(usage.read_bytes_per_s ? { read_bytes_per_s: join(usage.read_bytes_per_s, fresh.read_bytes_per_s) } : {}),
    ...(usage.write_bytes_per_s ? { write_bytes_per_s: join(usage.write_bytes_per_s, fresh.write_bytes_per_s) } : {}),
    gpus: usage.gpus.length ? gpus : fresh.gpus,
  };
}

function withFigures(figures: RunSeries["figures"], fresh: { step: number | null; unix_seconds: number; values: Record<string, number> }): RunSeries["figures"] {
  const all = { ...figures };
  for (const [name, value] of Object.entries(fresh.values)) {
    const old = all[name] ?? { step: [], unix_seconds: [], value: { mean: [] } };
    all[name] = {
      step: [...old.step, fresh.step ?? (old.step[old.step.length - 1] ?? 0) + 1],
      ...(old.unix_seconds ? { unix_seconds: [...old.unix_seconds, fresh.unix_seconds] } : {}),
      value: extend(old.value, [value]),
    };
  }
  return all;
}

const noSeries: RunSeries = { steps: undefined, usage: undefined, epochs: [], figures: {}, notes: [] };

// Calls `ended` once, when a followed run ends.
export function useRunSeries(run: string, live: boolean, ended: () => void): RunSeries {
  const [series, set] = useState<RunSeries>(noSeries);
  const shown = useRef("");
  useEffect(() => {
    let stream: EventSource | undefined;
    let closed = false;
    if (shown.current !== run) set(noSeries); // live data stays until the complete series is loaded
    shown.current = run;
    const path = `/runs/${encodeURIComponent(run)}`;
    // Each part is shown as soon as it is here.
    const load = <T,>(part: string, change: (data: T) => Partial<RunSeries>) => get<T>(`${path}/${part}`).then((data) => {
      if (!closed) set((old) => ({ ...old, ...change(data) }));
      return data;
    });
    void Promise.all([
      load<Steps>("steps", (steps) => ({ steps })),
      load<Figures>("figures", ({ figures }) => ({ figures })),
      load<Usage>("usage", (usage) => ({ usage })),
      load<{ epochs: Epoch[] }>("epochs", (data) => data),
    ]).then(([steps, { count }, usage]) => {
      if (closed || !live) return;
      const times = usage.series?.unix_seconds;
      stream = new EventSource(`/api/v1${path}/live?from=${steps.count};${times?.[times.length - 1] ?? 0};${count}`);
      // Events come in groups: drawing once per frame is enough.
      let due: ((old: RunSeries) => RunSeries)[] = [];
      const apply = () => {
        const changes = due;
        due = [];
        if (!closed) set((old) => changes.reduce((series, change) => change(series), old));
      };
      const on = (kind: string, change: (old: RunSeries, data: never) => RunSeries) =>
        stream!.addEventListener(kind, (event) => {
          const data = JSON.parse((event as MessageEvent).data) as never;
          if (due.push((old) => change(old, data)) === 1) requestAnimationFrame(apply);
        });
      on("steps", (old, data) => old.steps ? { ...old, steps: withSteps(old.steps, data) } : old);
      on("usage", (old, data) => ({
        ...old,
        usage: { ...(old.usage ?? { why: "" }), why: "", series: withUsage(old.usage?.series ?? null, data) },
      }));
      on("epoch", (old, data: Epoch) => ({
        ...old,
        epochs: [...old.epochs.filter((e) => e.epoch < data.epoch), data],
      }));
      on("figures", (old, data) => ({ ...old, figures: withFigures(old.figures, data) }));
      on("note", (old, data: { text: string }) => ({ ...old, notes: [...old.notes, data.text] }));
      stream.addEventListener("end", () => {
        stream?.close();
        ended();
      });
    }, () => undefined);
    return () => {
      closed = true;
      stream?.close();
    };
  }, [run, live]);
  return series;
}
