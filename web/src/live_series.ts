// What the events of a live run add to its series.
import { grown, type Extent, type Numbers } from "./buckets";
import type { Buckets, Epoch, GpuSeries, Steps, Usage, UsageSeries } from "./types";

interface Figure extends Extent {
  step: number[];
  unix_seconds?: number[];
  value: Buckets;
}
export interface RunSeries {
  steps: Steps | undefined;
  usage: Usage | undefined;
  epochs: Epoch[];
  figures: Record<string, Figure>;
  notes: string[];
}
interface FreshSteps { first_step: number; seconds: Numbers; input_seconds: Numbers; loss: Numbers }
interface FreshFigures { step: number | null; unix_seconds: number; values: Record<string, number> }

export function withSteps(steps: Steps, fresh: FreshSteps): Steps {
  const skip = Math.max(0, steps.count + 1 - fresh.first_step);
  if (fresh.first_step > steps.count + 1 || skip >= fresh.seconds.length) return steps;
  const { seconds, input_seconds, loss } = steps;
  const { columns, ...extent } = grown({ seconds, input_seconds, loss }, steps, {
    seconds: fresh.seconds.slice(skip), input_seconds: fresh.input_seconds.slice(skip), loss: fresh.loss.slice(skip),
  });
  return { ...steps, ...extent, ...columns };
}

const noFigure: Figure = { count: 0, bucket: 1, step: [], unix_seconds: [], value: { mean: [] } };

// All lines at once: a program may log thousands per second.
export function withFigures(figures: RunSeries["figures"], fresh: FreshFigures[]): RunSeries["figures"] {
  const byName = new Map<string, { step: number[]; time: number[]; value: number[] }>();
  for (const { step, unix_seconds, values } of fresh) {
    for (const [name, value] of Object.entries(values)) {
      let more = byName.get(name);
      if (!more) byName.set(name, more = { step: [], time: [], value: [] });
      more.step.push(step ?? (figures[name]?.count ?? 0) + more.step.length + 1);
      more.time.push(unix_seconds);
      more.value.push(value);
    }
  }
  const all = { ...figures };
  for (const [name, more] of byName) {
    const old = all[name] ?? noFigure;
    const columns = { step: { mean: old.step }, value: old.value, ...(old.unix_seconds ? { time: { mean: old.unix_seconds } } : {}) } as Record<keyof typeof more, Buckets>;
    const { columns: { step, time, value }, ...extent } = grown(columns, old, more);
    all[name] = { ...extent, step: step.mean as number[], ...(time ? { unix_seconds: time.mean as number[] } : {}), value };
  }
  return all;
}

// New values are single: low, mean and high are the same.
function extend(into: Buckets, more: Numbers): Buckets {
  const extended: Buckets = { mean: [...into.mean, ...more] };
  if (into.low && into.high) {
    extended.low = [...into.low, ...more];
    extended.high = [...into.high, ...more];
  }
  return extended;
}

const gpuKeys = ["busy", "memory_bytes", "watts", "sm_mhz", "celsius"] as const;

// Samples become rarer as a run gets longer, so that their number stays small.
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

// For each kind of event: what all that came together change.
export const changes: Record<string, (old: RunSeries, fresh: never[]) => Partial<RunSeries>> = {
  steps: ({ steps }, fresh: FreshSteps[]) => ({ steps: steps && fresh.reduce(withSteps, steps) }),
  usage: ({ usage }, fresh: UsageSeries[]) => ({ usage: { ...usage, why: "", series: fresh.reduce(withUsage, usage?.series ?? null) } }),
  epoch: ({ epochs }, fresh: Epoch[]) => ({ epochs: fresh.reduce((all, one) => [...all.filter((e) => e.epoch < one.epoch), one], epochs) }),
  figures: ({ figures }, fresh: FreshFigures[]) => ({ figures: withFigures(figures, fresh) }),
  note: ({ notes }, fresh: { text: string }[]) => ({ notes: [...notes, ...fresh.map((note) => note.text)] }),
};
