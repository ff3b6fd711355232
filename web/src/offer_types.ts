// Types of the API: machines for rent, recommendations, predicted trainings, and the ledger.

export interface Instance {
  cloud: string;
  region: string;
  instance: string;
  gpu: string;
  gpus: number;
  on_demand_usd_h: number;
  spot_usd_h: number | null;
}
export interface RecommendRequest {
  model: string;
  data: string;
  target: number;
  deadline_hours?: number;
  budget_usd?: number;
  max_nodes?: number;
  spot?: boolean;
  batches?: number[];
  precisions?: string[];
  clouds?: string[];
  gpus?: string[];
}
export interface Range {
  value: number;
  low90: number;
  high90: number;
}
export interface Offer {
  cloud: string;
  region: string;
  instance: string;
  gpu: string;
  gpus: number;
  nodes: number;
  batch_per_gpu: number;
  batch: number;
  workers: number;
  precision: string;
  spot: boolean;
  price_date: string;
  step_s: Range;
  epochs: Range;
  hours: Range;
  dollars: Range;
  memory_bytes: number | null;
  input_share: number;
  comm_share: number;
  probability: number;
  on_front: boolean;
  warnings: string[];
  against_first: string;
  command: string;
}
export interface Recommendation {
  epochs_basis: string;
  offers: Offer[];
  left_out: { reason: string; plans: number }[];
}

export interface TrainingPrediction {
  gpu: string;
  epochs: number;
  epoch_seconds: Range;
  total_seconds: Range;
  memory_gb: number | null;
  fits: boolean;
  accuracy: { epoch: number; top1: number; low90: number; high90: number }[];
  accuracy_reason: string;
  target_top1: number | null;
  chance: number | null;
  cost: { dollars: Range; cloud: string; instance: string; region: string; on_demand_usd_h: number; date: string } | null;
  software: string;
  basis: string;
  reason: string;
}

export interface LedgerScore {
  metric: string;
  model: string;
  machine: string;
  made: number;
  measured: number;
  failed: number;
  errors_are?: "absolute" | "relative";
  median_error?: number;
  bias?: number;
  coverage?: number;
}
export interface LedgerEntry {
  run_key: string;
  metric: string;
  made_at: number;
  model: string;
  data: string;
  machine: string;
  basis: string;
  value: number;
  low90: number;
  high90: number;
  outcome: string;
  measured: number | null;
}
