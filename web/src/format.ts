// Formats numbers by the units of the metric catalog.
import type { UnitName } from "./types";

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

// Three or four significant digits, with an exponent only for very large or small numbers.
function plain(value: number, digits = 3): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 10_000 || size < 1e-3) {
    return size >= 10_000 && size < 1e15 ? grouped.format(value) : value.toExponential(2);
  }
  return Number(value.toPrecision(digits)).toString();
}

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let rest = Math.abs(value);
  let unit = 0;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    ++unit;
  }
  const text = unit === 0 ? rest.toFixed(0) : Number(rest.toPrecision(3)).toString();
  return `${value < 0 ? "−" : ""}${text} ${units[unit]}`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1e-6) return `${plain(value * 1e9)} ns`;
  if (size < 1e-3) return `${plain(value * 1e6)} µs`;
  if (size < 1) return `${plain(value * 1e3)} ms`;
  if (size < 120) return `${plain(value)} s`;
  const whole = Math.round(size);
  const h = Math.floor(whole / 3600);
  const m = Math.floor((whole % 3600) / 60);
  const s = whole % 60;
  return h > 0 ? `${h} h ${m} min` : `${m} min ${s} s`;
}

export function share(value: number): string {
  if (value === 0) return "0 %";
  return `${(value * 100).toFixed(Math.abs(value) < 0.1 ? 2 : 1)} %`;
}

export function count(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? grouped.format(value) : plain(value);
}

// Two or three significant digits: $0.42, $4.20, $42, $4,200.
export function dollars(value: number): string {
  const size = Math.abs(value);
  return `$${size < 10 ? value.toFixed(2) : size < 100 ? String(Number(value.toFixed(1))) : grouped.format(value)}`;
}

export function hours(value: number): string {
  if (value < 1) return `${plain(value * 60)} min`;
  return value < 72 ? `${plain(value)} h` : `${plain(value / 24)} d`;
}

export function formatValue(unit: UnitName | string, value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  switch (unit) {
    case "share": return share(value);
    case "seconds": return seconds(value);
    case "bytes": return bytes(value);
    case "bytes_per_second": return `${bytes(value)}/s`;
    case "per_second": return `${count(value >= 100 ? Math.round(value) : value)} /s`;
    case "count": return count(value);
    default: return plain(value, 4);
  }
}

// Shorter than formatValue(), for the axes of charts.
export function tick(unit: string, value: number): string {
  switch (unit) {
    case "share": return `${Number((value * 100).toPrecision(4))}%`;
    case "seconds": return value === 0 ? "0" : seconds(value);
    case "bytes": return value === 0 ? "0" : bytes(value);
    case "bytes_per_second": return value === 0 ? "0" : `${bytes(value)}/s`;
    default: return plain(value, 4);
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "medium" });

export function shortTime(unix: number): string {
  const date = new Date(unix * 1000);
  return `${day.format(date)}, ${clock.format(date)}`;
}
export function fullTime(unix: number): string {
  return full.format(new Date(unix * 1000));
}

// Names may contain anything: shows control, invisible and bidirectional characters as escapes.
export function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export const outcomeWords: Record<string, string> = {
  running: "running",
  ok: "ok",
  out_of_memory: "out of memory",
  failed: "failed",
  cancelled: "cancelled",
  timed_out: "timed out",
};
