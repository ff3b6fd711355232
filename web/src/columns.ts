// The columns of the runs' table: what they are called, how wide, how a cell reads.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";
import { count, figure, moment } from "./format";
import type { Column, Run } from "./types";

export const usualColumns = [
  "id", "created_at", "model", "data", "batch", "device", "environment", "top1", "samples_per_s",
  "step_s", "wall_s", "peak_memory", "outcome",
];

const titles: Record<string, string> = {
  id: "run", key: "key", created_at: "started", model: "model", data: "data", batch: "batch",
  epochs: "epochs", device: "device", environment: "environment", seed: "seed",
  threads: "threads", outcome: "outcome",
};
const widths: Record<string, string> = {
  id: "4.6rem", key: "12.5rem", created_at: "8rem", model: "minmax(8rem, 1.4fr)",
  data: "minmax(7.5rem, 1fr)", outcome: "7.5rem", environment: "6.6rem", device: "4.4rem",
  batch: "4rem", epochs: "4.2rem", seed: "4rem", threads: "4.6rem", step_s: "10.5rem",
};

export function titleOf(column: Column): string {
  return column.metric?.title ?? titles[column.key] ?? column.key;
}
export function widthOf(column: Column): string {
  return widths[column.key] ?? "minmax(5.6rem, .6fr)";
}
export function isNumber(column: Column): boolean {
  return column.kind !== "text" && column.key !== "created_at";
}

export function valueOf(run: Run, key: string): unknown {
  return key in run.metrics ? run.metrics[key] : (run as unknown as Record<string, unknown>)[key];
}

export function cellText(run: Run, column: Column): string {
  const value = valueOf(run, column.key);
  if (value === undefined || value === null || value === "") return "–";
  if (column.key === "created_at") return moment(value as number);
  if (column.metric) return figure(column.metric.unit, value as number);
  if (column.key === "batch" && value === 0) return "–";
  if (column.key === "id" || column.key === "seed") return String(value);
  return typeof value === "number" ? count(value) : String(value);
}

let asked: Promise<Column[]> | undefined;
let known: Column[] | undefined;

// They do not change while the server runs.
export function useColumns(): Column[] | undefined {
  const [columns, set] = useState(known);
  useEffect(() => {
    asked ??= get<{ columns: Column[] }>("/columns").then((answer) => (known = answer.columns));
    asked.then(set, () => (asked = undefined));
  }, []);
  return columns;
}
