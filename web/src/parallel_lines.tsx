// Parallel coordinates: one axis per option of a sweep, the last for a metric; one line per run.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatValue, visible } from "./format";
import { axisValues, quality } from "./heat_map";
import { navigate } from "./route";
import type { Metric, SweepTask } from "./types";

const height = 260;
const top = 34;
const bottom = 16;
const maxLines = 2000;

export function useWidth(): [preact.RefObject<HTMLDivElement>, number] {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => element.clientWidth > 0 && setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}

export function ParallelLines({ tasks, axes, metric, info }: { tasks: SweepTask[]; axes: string[]; metric: string; info: Metric | undefined }): JSX.Element {
  const [place, width] = useWidth();
  const [hovered, setHovered] = useState<number>();
  const measured = tasks.filter((task) => task.metrics[metric] !== undefined).slice(0, maxLines);
  const values = measured.map((task) => task.metrics[metric]!);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const unit = info?.unit ?? "none";
  const side = Math.min(90, width / 8);
  const xOf = (i: number) => side + ((width - 2 * side) * i) / Math.max(1, axes.length);
  const yOf = (part: number) => height - bottom - (height - top - bottom) * part;
  const scales = axes.map((axis) => {
    const all = axisValues(tasks, axis);
    return { axis, all, at: (value: string | undefined) => (value === undefined ? 0 : all.length < 2 ? 0.5 : all.indexOf(value) / (all.length - 1)) };
  });
  const partOf = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  const pathOf = (task: SweepTask) => [
    ...scales.map((scale, i) => `${xOf(i)},${yOf(scale.at(task.configuration[scale.axis]))}`),
    `${xOf(axes.length)},${yOf(partOf(task.metrics[metric]!))}`,
  ].join(" ");
  const shown = measured.find((task) => task.position === hovered);
  return (
    <div ref={place} class="parallel">
      <svg width={width} height={height} role="img" aria-label={`${measured.length} runs by ${axes.join(", ")} and ${info?.title ?? metric}; the table below has the same data`}>
        {measured.map((task) => (
          <polyline
            key={task.position} points={pathOf(task)} class={hovered === task.position ? "near" : hovered === undefined ? "" : "far"}
            style={{ stroke: `color-mix(in srgb, var(--c0) ${Math.round(100 * quality(task.metrics[metric]!, low, high, info))}%, var(--c1))` }}
            onPointerEnter={() => setHovered(task.position)} onPointerLeave={() => setHovered(undefined)}
            onClick={() => task.run !== null && navigate(`/runs/${task.run}`)}
          />
        ))}
        {scales.map(({ axis, all, at }, i) => (
          <g key={axis}>
            <line x1={xOf(i)} x2={xOf(i)} y1={top} y2={height - bottom} />
            <text x={xOf(i)} y={14} text-anchor="middle" class="title">{visible(axis)}</text>
            {all.filter((_, j) => all.length <= 8 || j % Math.ceil(all.length / 8) === 0).map((value) => (
              <text key={value} x={xOf(i) - 6} y={yOf(at(value)) + 4} text-anchor="end">{visible(value).slice(0, 14)}</text>
            ))}
          </g>
        ))}
        {values.length > 0 && (
          <g>
            <line x1={xOf(axes.length)} x2={xOf(axes.length)} y1={top} y2={height - bottom} />
            <text x={xOf(axes.length)} y={14} text-anchor="middle" class="title">{info?.title ?? metric}</text>
            {(high > low ? [0, 0.5, 1] : [0.5]).map((part) => (
              <text key={part} x={xOf(axes.length) + 6} y={yOf(part) + 4}>{formatValue(unit, high > low ? low + part * (high - low) : low)}</text>
            ))}
          </g>
        )}
      </svg>
      <p class="soft parallel-note" aria-hidden="true">
        {shown
          ? `${shown.run === null ? "" : `run ${shown.run}: `}${axes.map((axis) => `${axis} ${visible(shown.configuration[axis] ?? "–")}`).join(", ")}: ${formatValue(unit, shown.metrics[metric])}`
          : "Hover over a line to see its run; click to open it."}
      </p>
    </div>
  );
}
