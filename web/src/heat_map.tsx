// A metric by two options of a sweep; each cell is the median of its runs.
import type { JSX } from "preact";
import { formatValue, visible } from "./format";
import { median } from "./statistics";
import type { Metric, SweepTask } from "./types";
import { Scroll } from "./ui";

// Sorted as numbers if all are numbers, otherwise as text.
export function axisValues(tasks: SweepTask[], axis: string): string[] {
  const all = [...new Set(tasks.map((task) => task.configuration[axis]).filter((v): v is string => v !== undefined))];
  return all.every((v) => Number.isFinite(Number(v))) ? all.sort((a, b) => Number(a) - Number(b)) : all.sort();
}

// 0 is the worst value, 1 the best.
export function quality(value: number, low: number, high: number, info: Metric | undefined): number {
  if (high <= low) return 1;
  const part = (value - low) / (high - low);
  return info?.better === "lower" ? 1 - part : part;
}

export function HeatMap({ tasks, x, y, metric, info }: { tasks: SweepTask[]; x: string; y: string; metric: string; info: Metric | undefined }): JSX.Element {
  const across = axisValues(tasks, x);
  const down = axisValues(tasks, y);
  const cells = new Map<string, { value: number; runs: number }>();
  for (const row of down) {
    for (const column of across) {
      const values = tasks.filter((t) => t.configuration[x] === column && t.configuration[y] === row)
        .map((t) => t.metrics[metric]).filter((v): v is number => v !== undefined);
      const typical = median(values);
      if (typical !== undefined) cells.set(`${column}\n${row}`, { value: typical, runs: values.length });
    }
  }
  const all = [...cells.values()].map((cell) => cell.value);
  const low = Math.min(...all);
  const high = Math.max(...all);
  const unit = info?.unit ?? "none";
  return (
    <Scroll label={`${metric} by ${x} and ${y}`}>
      <table class="heat">
        <thead>
          <tr><td class="soft">{visible(y)} \ {visible(x)}</td>{across.map((value) => <th key={value} scope="col">{visible(value)}</th>)}</tr>
        </thead>
        <tbody>
          {down.map((row) => (
            <tr key={row}>
              <th scope="row">{visible(row)}</th>
              {across.map((column) => {
                const cell = cells.get(`${column}\n${row}`);
                if (!cell) return <td key={column} class="none">–</td>;
                const part = quality(cell.value, low, high, info);
                return (
                  <td
                    key={column} class={all.length > 1 && part === 1 ? "best" : ""} title={`${cell.runs} ${cell.runs === 1 ? "run" : "runs"}`}
                    style={{ backgroundColor: `color-mix(in srgb, var(--c0) ${Math.round(4 + 44 * part)}%, var(--card))` }}
                  >
                    {formatValue(unit, cell.value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
