// Columns of the runs table: titles, widths and cell text.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";
import { count, formatValue, shortTime } from "./format";
import type { Column, Run } from "./types";

export const defaultColumns = [
  "id", "outcome", "created_at", "model", "data", "batch", "device", "environment", "top1",
  "samples_per_s", "step_s", "wall_s", "peak_memory",
];

const titles: Record<string, string> = {
  id: "run", key: "key", created_at: "started", model: "model", data: "data", batch: "batch",
  epochs: "epochs", device: "device", environment: "environment", image: "image", image_digest: "image digest", seed: "seed",
  threads: "threads", outcome: "outcome", name: "name", project: "project", tags: "tags", archived: "archived",
};
// In rem. Growing columns share the remaining width of the window.
const widths: Record<string, number> = {
  id: 3.8, key: 12, created_at: 7.6, model: 10, data: 7, outcome: 6.4, environment: 5.6, image: 9, image_digest: 9, device: 3.2,
  name: 8, project: 7, tags: 9, archived: 4.4, batch: 2.8, epochs: 3.8, seed: 3.2, threads: 4.2, step_s: 9.4, samples_per_s: 5.2, top1: 3.8, wall_s: 4.4,
  peak_memory: 5.2,
};
const growing = new Set(["model", "data"]);
const gap = 0.8;

export function titleOf(column: Column): string {
  return column.metric?.title ?? titles[column.key] ?? column.key;
}
const widthOf = (column: Column) => widths[column.key] ?? 5.6;

// Shared by all rows, so that columns align.
export function rowStyle(columns: Column[]): { gridTemplateColumns: string; minWidth: string } {
  const lead = 1.2;
  return {
    gridTemplateColumns: `${lead}rem ` + columns.map((c) => growing.has(c.key) ? `minmax(${widthOf(c)}rem, 1fr)` : `${widthOf(c)}rem`).join(" "),
    minWidth: `${columns.reduce((sum, c) => sum + widthOf(c) + gap, lead)}rem`,
  };
}
export function isNumber(column: Column): boolean {
  return column.kind !== "text" && column.key !== "created_at" && column.key !== "id";
}

export function valueOf(run: Run, key: string): unknown {
  return key in run.metrics ? run.metrics[key] : (run as unknown as Record<string, unknown>)[key];
}

export function cellText(run: Run, column: Column): string {
  const value = valueOf(run, column.key);
  if (value === undefined || value === null || value === "") return "–";
  if (column.key === "created_at") return shortTime(value as number);
  if (column.metric) return formatValue(column.metric.unit, value as number);
  if (column.key === "batch" && value === 0) return "–";
  if (column.key === "id" || column.key === "seed") return String(value);
  return typeof value === "number" ? count(value) : String(value);
}

let request: Promise<Column[]> | undefined;
let loaded: Column[] | undefined;

// Loaded once: columns do not change while the server runs.
export function useColumns(): Column[] | undefined {
  const [columns, set] = useState(loaded);
  useEffect(() => {
    request ??= get<{ columns: Column[] }>("/columns").then((response) => (loaded = response.columns));
    request.then(set, () => (request = undefined));
  }, []);
  return columns;
}
