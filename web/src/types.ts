// Types of the API (src/serving/dashboard/openapi.json). Recommendations and surveys are in offer_types.ts and
// survey_types.ts.

export type Outcome = "running" | "ok" | "out_of_memory" | "failed" | "cancelled" | "timed_out";
export type UnitName =
  | "none" | "share" | "seconds" | "bytes" | "bytes_per_second" | "per_second" | "count";

export interface Metric {
  title: string;
  unit: UnitName;
  better: "higher" | "lower" | "neither";
  help: string;
}
export interface Column {
  key: string;
  kind: "text" | "integer" | "real";
  metric?: Metric;
}

export interface Run {
  id: number;
  key: string;
  created_at: number;
  name: string;
  project: string;
  tags: string; // separated by ", "
  archived: boolean;
  model: string;
  data: string;
  device: string;
  environment: string;
  image: string;
  image_digest: string;
  outcome: Outcome;
  batch: number;
  epochs: number;
  seed: number;
  threads: number | null;
  metrics: Record<string, number>;
}
export interface RunPage {
  runs: Run[];
  total: number;
  next: string | null;
}
export interface Group {
  value: string;
  count: number;
  measured: number;
  low?: number;
  p25?: number;
  median?: number;
  p75?: number;
  high?: number;
}

export interface Epoch {
  epoch: number;
  steps: number;
  train_loss: number;
  train_top1: number;
  eval_loss: number;
  top1: number;
  top5: number;
  train_seconds: number;
  eval_seconds: number;
  learning_rate: number;
}
export interface RunDetail extends Run {
  title: string;
  reason: string;
  step_count: number;
  folder: string;
  running: boolean;
  record: {
    spec?: Record<string, unknown>;
    command?: Record<string, unknown>;
    started?: ({ attempt: number } & Record<string, unknown>) | null;
    started_at?: number;
    startup_seconds?: number;
    input?: Record<string, unknown> | null;
    model?: Record<string, unknown> | null;
    epochs: Epoch[];
    notes: string[];
    disturbed?: string[];
    edits?: { notes?: string };
    checkpoints: { epoch: number; file: string; bytes: number }[];
    [more: string]: unknown;
  };
}

export interface Buckets {
  low?: (number | null)[];
  mean: (number | null)[];
  high?: (number | null)[];
}
export interface Steps {
  count: number;
  bucket: number;
  warmup: number[];
  samples_per_step: number;
  seconds: Buckets;
  input_seconds: Buckets;
  loss: Buckets;
}
export interface GpuSeries {
  index: number;
  name: string;
  busy: Buckets;
  memory_bytes: Buckets;
  watts: Buckets;
  sm_mhz: Buckets;
  celsius: Buckets;
}
export interface UsageSeries {
  unix_seconds: number[];
  cores: Buckets;
  resident_bytes: Buckets;
  threads: Buckets;
  read_bytes_per_s?: Buckets;
  write_bytes_per_s?: Buckets;
  gpus: GpuSeries[];
}
export interface Usage {
  series: UsageSeries | null;
  why: string;
  cores_allowed?: number;
  memory_limit_bytes?: number;
}

export interface StepPart {
  key: string;
  title: string;
  seconds: number;
  share: number;
}
export interface Advice {
  key: string;
  title: string;
  action: string;
  evidence: string;
  saving: number;
  saving_low: number;
  saving_high: number;
}
export interface TimeRow {
  name: string;
  count: number;
  total_s: number;
  share: number;
  mean_s: number;
  median_s: number;
  min_s: number;
  max_s: number;
  class?: string;
  tensor_cores?: boolean;
}
export interface OperatorRow {
  name: string;
  shapes: string;
  phase: string;
  calls: number;
  self_s: number;
  total_s: number;
  flops: number;
  bytes: number;
}
export interface Roofline {
  machine: string;
  peak_flops: number;
  peak_bytes_per_s: number;
  points: {
    name: string;
    seconds: number;
    flops_per_s: number;
    bytes_per_s: number;
    intensity: number;
    limit: "memory" | "compute";
    reached: number;
  }[];
}
export interface Report {
  step: {
    seconds: number;
    p25_s: number;
    p75_s: number;
    count: number;
    samples_per_s: number | null;
    source: string;
    parts: StepPart[];
  } | null;
  advice: Advice[];
  gpu: {
    process: number;
    program: string;
    gpu: string;
    kernel_count: number;
    kernels: TimeRow[];
    calls: TimeRow[];
  }[];
  operators: { step_s: number[]; rows: OperatorRow[] } | null;  // rows are sums over these steps
  roofline: Roofline | null;
  absent: { part: string; why: string }[];
}

// begin, length, label of the longest event, number of events, busy time; times in seconds
export type Span = [number, number, number, number, number];
export interface Track {
  name: string;
  kind: "kernels" | "copies" | "calls" | "ranges";
  spans: Span[];
}
export interface Timeline {
  span_s: number;
  from: number;
  to: number;
  processes: {
    process: number;
    program: string;
    kernel_count: number;
    labels: { name: string; class: string }[];
    steps: number[];
    tracks: Track[];
  }[];
}

export interface Band {
  at: number[];
  low: number[];
  median: number[];
  high: number[];
  runs: number[];
}
export interface Comparison {
  title: string;
  command: string;
  started: string;
  variants: { name: string; group: string; description: string }[];
  metrics: { key: string; title: string; unit: string; better: string; help: string }[];
  runs: { variant: number; run: string; warm_up: boolean; values: Record<string, number> }[];
  findings: Finding[];
  good: (boolean | null)[];
  summary: string[];
  notes: string[];
  tables: { title: string; headings: string[]; rows: string[][] }[];
  resolution: number;
  curves?: Record<string, Band>[];
}
export interface Ratio {
  value: number;
  paired: boolean;
  first_count: number;
  second_count: number;
  low?: number;
  high?: number;
}
export interface Finding {
  variant: number;
  base: number;
  metric: string;
  ratio: Ratio | null;
  p_corrected: number;
  verdict: "same" | "higher" | "lower" | "unclear" | "no_ratio";
  more_runs: number;
  words: string;
}
export interface DiffRow {
  name: string;
  change: string;
  before_s: number;
  after_s: number;
}
export interface Diff {
  before: number;
  after: number;
  figures: { name: string; before_s: number; after_s: number }[];
  kernels: { rows: DiffRow[] } | null;
  operators: { rows: DiffRow[] } | null;
  notes: string[];
}
export interface HealthFinding {
  area: string;
  name: string;
  health: "ok" | "missing" | "trouble";
  text: string;
  fix: string;
}

export interface SweepCounts {
  runs: number;
  waiting: number;
  submitted: number;
  done: number;
  skipped: number;
  cancelled: number;
  outcomes: Record<string, number>;
  run_seconds: number;
}
export interface Sweep {
  id: number;
  key: string;
  name: string;
  created_at: number;
  state: "running" | "stopped" | "finished" | "cancelled";
  counts: SweepCounts;
}
export interface SweepTask {
  position: number;
  configuration: Record<string, string>;
  repetition: number;
  state: "waiting" | "submitted" | "done" | "skipped" | "cancelled";
  reason: string;
  run: number | null;
  outcome: string | null;
  metrics: Record<string, number>;
}
export interface SweepDetail extends Sweep {
  grid: string;
  axes: string[]; // the options that differ between runs
  tasks: SweepTask[];
}

export interface Catalog {
  models: { name: string; input: string; help: string; learning_rate: number; optimizer: string }[];
  datasets: { name: string; input: string; help: string }[];
  options: {
    key: string;
    option: string;
    type: "flag" | "integer" | "number" | "choice" | "text";
    choices: string[];
    default: string;
    help: string;
    on_form: boolean;
  }[];
}
