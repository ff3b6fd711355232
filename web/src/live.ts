// The series of a run, with live updates while it runs.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "./api";
import { changes, type RunSeries } from "./live_series";
import type { Epoch, Steps, Usage } from "./types";

interface Figures {
  count: number; // of lines with figures
  figures: RunSeries["figures"];
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
      let due: Record<string, unknown[]> = {};
      const apply = () => {
        const fresh = Object.entries(due);
        due = {};
        if (!closed) set((old) => fresh.reduce((series, [kind, data]) => ({ ...series, ...changes[kind]!(series, data as never[]) }), old));
      };
      for (const kind of Object.keys(changes)) {
        stream.addEventListener(kind, (event) => {
          if (Object.keys(due).length === 0) requestAnimationFrame(apply);
          (due[kind] ??= []).push(JSON.parse(event.data));
        });
      }
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
