// A timeline of kernels, copies, calls and ranges with zoom. The server sends as much detail as the
// screen can show.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "./api";
import { count, seconds } from "./format";
import { currentUrl, navigate, withParams } from "./route";
import { useThemeName } from "./theme";
import type { Span, Timeline, Track } from "./types";

const lineHeight = 22;
const headHeight = 22;
const labelWidth = 150;

const classColors: Record<string, number> = {
  convolution: 0, "matrix product": 5, normalisation: 2, elementwise: 4, reduction: 3, copy: 1,
  communication: 6, optimizer: 2, call: 7, range: 3, other: 7,
};

interface Placed {
  track: Track;
  labels: { name: string; class: string }[];
}

function viewInAddress(): { from: number; to: number } | null {
  const [from, to] = (currentUrl().searchParams.get("time") ?? "").split("-").map(Number);
  return from !== undefined && to !== undefined && from < to ? { from, to } : null;
}

export function TimelineView({ run }: { run: number }): JSX.Element | null {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState(viewInAddress);
  const [data, setData] = useState<Timeline>();
  const [hovered, setHovered] = useState<{ span: Span; name: string; x: number; y: number }>();
  const theme = useThemeName();
  const width = canvas.current?.clientWidth || 1000;

  useEffect(() => {
    const control = new AbortController();
    const range = view ? `from=${view.from}&to=${view.to}&` : "";
    const timer = setTimeout(() => {
      get<Timeline>(`/runs/${run}/timeline?${range}columns=${Math.min(4000, Math.max(10, Math.round(width)))}`, control.signal)
        .then(setData, () => undefined);
    }, view ? 60 : 0);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [run, view?.from, view?.to]);

  // Delayed, because browsers limit how often the address may change.
  useEffect(() => {
    const timer = setTimeout(() => navigate(withParams(currentUrl(), { time: view ? `${view.from.toFixed(9)}-${view.to.toFixed(9)}` : null }), true), 300);
    return () => clearTimeout(timer);
  }, [view?.from, view?.to]);

  const placed: Placed[] = (data?.processes ?? []).flatMap((p) => p.tracks.map((track) => ({ track, labels: p.labels })));
  const shown = view ?? { from: 0, to: data?.span_s ?? 1 };
  const height = headHeight + placed.length * lineHeight;
  const scale = (width - labelWidth) / Math.max(1e-12, shown.to - shown.from);
  const xOf = (t: number) => labelWidth + (t - shown.from) * scale;

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || !data) return;
    const ratio = devicePixelRatio;
    element.width = element.clientWidth * ratio;
    element.height = height * ratio;
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    context.textBaseline = "middle";
    context.fillStyle = color("--rule");
    for (const process of data.processes) {
      for (const step of process.steps) {
        const x = xOf(step);
        if (x >= labelWidth) context.fillRect(x, 0, 1, height);
      }
    }
    context.fillStyle = color("--soft");
    for (let i = 0; i <= 4; ++i) {
      const t = shown.from + ((shown.to - shown.from) * i) / 4;
      context.textAlign = i === 4 ? "right" : "left";
      context.fillText(seconds(t), Math.min(xOf(t) + (i === 4 ? -2 : 2), element.clientWidth - 2), headHeight / 2);
    }
    context.textAlign = "left";
    placed.forEach(({ track, labels }, i) => {
      const y = headHeight + i * lineHeight;
      for (const [begin, length, label, many, busy] of track.spans) {
        const x = Math.max(labelWidth, xOf(begin));
        const end = Math.max(x + 0.8, xOf(begin + length));
        if (end < labelWidth) continue;
        const known = labels[label];
        context.fillStyle = color(`--c${classColors[known?.class ?? "other"] ?? 7}`);
        context.globalAlpha = many > 1 ? 0.35 + 0.65 * Math.min(1, busy / Math.max(length, 1e-12)) : 1;
        context.fillRect(x, y + 3, end - x, lineHeight - 6);
        context.globalAlpha = 1;
        if (many === 1 && known && end - x > 60) {
          context.fillStyle = color("--on-color");
          context.save();
          context.beginPath();
          context.rect(x, y, end - x - 4, lineHeight);
          context.clip();
          context.fillText(known.name, x + 4, y + lineHeight / 2);
          context.restore();
        }
      }
      context.fillStyle = color("--paper");
      context.fillRect(0, y, labelWidth - 4, lineHeight);
      context.fillStyle = color("--soft");
      context.fillText(track.name.slice(0, 26), 0, y + lineHeight / 2);
    });
  }, [data, view?.from, view?.to, theme, width]);

  const zoom = (factor: number, around = (shown.from + shown.to) / 2) => {
    if (!data) return;
    const length = Math.min(data.span_s, Math.max(1e-7, (shown.to - shown.from) * factor));
    const part = (around - shown.from) / Math.max(1e-12, shown.to - shown.from);
    const from = Math.min(Math.max(0, around - part * length), data.span_s - length);
    setView(length >= data.span_s ? null : { from, to: from + length });
  };
  const slide = (part: number) => {
    if (!data || !view) return;
    const length = view.to - view.from;
    const from = Math.min(Math.max(0, view.from + part * length), data.span_s - length);
    setView({ from, to: from + length });
  };
  const timeAt = (event: MouseEvent) => shown.from + (event.offsetX - labelWidth) / scale;
  const drag = useRef<{ x: number; from: number } | null>(null);

  if (data && placed.length === 0) return null;
  return (
    <div class="timeline">
      <div class="tools">
        <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in">+</button>
        <button type="button" onClick={() => zoom(2)} aria-label="Zoom out">−</button>
        <button type="button" onClick={() => setView(null)} disabled={!view}>all</button>
        <span class="soft">{seconds(shown.to - shown.from)} of {seconds(data?.span_s ?? 0)}, {count((data?.processes ?? []).reduce((n, p) => n + p.kernel_count, 0))} kernels; wheel zooms, drag moves; keys: + − ← →</span>
      </div>
      <canvas
        ref={canvas} tabIndex={0} style={{ height: `${height}px` }} role="img"
        aria-label={`Timeline of ${placed.length} tracks over ${seconds(data?.span_s ?? 0)}; the tables above list the same kernels`}
        onWheel={(event) => {
          event.preventDefault();
          zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event));
        }}
        onPointerDown={(event) => {
          drag.current = { x: event.offsetX, from: shown.from };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerUp={() => (drag.current = null)}
        onPointerMove={(event) => {
          if (drag.current && data && view) {
            const length = view.to - view.from;
            const from = Math.min(Math.max(0, drag.current.from - (event.offsetX - drag.current.x) / scale), data.span_s - length);
            setView({ from, to: from + length });
            return;
          }
          const line = placed[Math.floor((event.offsetY - headHeight) / lineHeight)];
          const t = timeAt(event);
          const span = line?.track.spans.find(([begin, length]) => begin <= t && t <= begin + Math.max(length, 1 / scale));
          setHovered(span && line ? { span, name: `${span[3] > 1 ? "mostly " : ""}${line.labels[span[2]]?.name ?? ""}`, x: event.offsetX, y: event.offsetY } : undefined);
        }}
        onPointerLeave={() => setHovered(undefined)}
        onKeyDown={(event) => {
          if (event.key === "+" || event.key === "=") zoom(0.5);
          else if (event.key === "-") zoom(2);
          else if (event.key === "ArrowLeft") slide(-0.2);
          else if (event.key === "ArrowRight") slide(0.2);
          else return;
          event.preventDefault();
        }}
      />
      {hovered && (
        <div class="hint" style={{ left: `${Math.min(hovered.x + 12, width - 260)}px`, top: `${hovered.y + 14}px` }}>
          <b>{hovered.name}</b>
          <br />
          {hovered.span[3] > 1
            ? `${count(hovered.span[3])} events in ${seconds(hovered.span[1])}, busy ${seconds(hovered.span[4])}`
            : `${seconds(hovered.span[1])} at ${seconds(hovered.span[0])}`}
        </div>
      )}
    </div>
  );
}
