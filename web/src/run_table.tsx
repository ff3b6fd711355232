// A virtual table of all runs: only the visible rows are rendered, and pages load on demand.
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isNumber, rowStyle, titleOf } from "./columns";
import { navigate } from "./route";
import { RunPages } from "./run_pages";
import { rowHeight, RunRow } from "./run_row";
import type { Column, Run } from "./types";

const refreshMs = 3000;
const overscan = 8; // rows rendered above and below the window, so that fast scrolling shows no gap
const maxHeight = 15_000_000; // pixels that every browser can scroll; rows of longer lists pass faster

interface TableProps {
  columns: Column[];
  params: string;
  sort: string;
  order: "ascending" | "descending";
  selected: string[];
  onSort: (key: string) => void;
  onSelect: (ids: string[]) => void;
  onTotal: (total: { matching: number; problem?: string }) => void;
}

// The pages of the query, or of the previous query until the first response.
function useRunPages(query: string, onTotal: TableProps["onTotal"]): { pages: RunPages | undefined; requested: RunPages | undefined } {
  const [requested, setRequested] = useState<RunPages>();
  const shown = useRef<RunPages>();
  const [, redraw] = useState(0);
  const onTotalRef = useRef(onTotal);
  onTotalRef.current = onTotal;
  useEffect(() => {
    const pages = new RunPages(query, (problem) => {
      onTotalRef.current(problem === undefined ? { matching: pages.total } : { matching: pages.total, problem });
      redraw((n) => n + 1);
    });
    setRequested(pages);
    const timer = setInterval(() => document.hidden || pages.refresh(), refreshMs);
    return () => {
      clearInterval(timer);
      pages.close();
    };
  }, [query]);
  if (requested && requested.total >= 0) shown.current = requested;
  return { pages: shown.current, requested };
}

// The height of the element, updated when the window is resized.
function useHeight(element: { current: HTMLElement | null }): number {
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const measure = () => setHeight(target.clientHeight);
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    measure();
    return () => observer.disconnect();
  }, []);
  return height;
}

function Heading({ column, sorted, onSort }: { column: Column; sorted: "ascending" | "descending" | "none"; onSort: (key: string) => void }): JSX.Element {
  const arrow = sorted !== "none" && <span aria-hidden="true" class="arrow">{sorted === "descending" ? "↓" : "↑"}</span>;
  return (
    <div role="columnheader" class={isNumber(column) ? "number" : ""} title={column.metric?.help} aria-sort={sorted}>
      <button type="button" onClick={() => onSort(column.key)}>
        {isNumber(column) && arrow}
        {titleOf(column)}
        {!isNumber(column) && arrow}
      </button>
    </div>
  );
}

export function RunTable(props: TableProps): JSX.Element {
  const { columns, sort, order, selected } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [cursor, setCursor] = useState(0);
  const height = useHeight(frame);
  const query = `${props.params}&sort=${sort}&order=${order}`;
  const { pages, requested } = useRunPages(query, props.onTotal);
  useEffect(() => {
    setCursor(0);
    frame.current?.scrollTo({ top: 0 });
  }, [query]);

  const total = Math.max(pages?.total ?? 0, 0);
  const tableHeight = Math.min(total * rowHeight, maxHeight);
  // In lists taller than maxHeight: the difference between row coordinates and the scroll position.
  const room = Math.max(1, tableHeight - height);
  const offsetAt = (at: number) => Math.round(Math.min(1, at / room) * (total * rowHeight - tableHeight));
  const first = Math.max(0, Math.floor((top + offsetAt(top)) / rowHeight) - overscan);
  const last = Math.min(total, Math.ceil((top + offsetAt(top) + height) / rowHeight) + overscan);
  useEffect(() => {
    if (requested === pages) pages?.setVisible(first, last); // before that, the visible range is that of the old list
  }, [requested, pages, first, last]);

  const latest = useRef(props);
  latest.current = props;
  const toggle = useCallback((run: Run) => {
    const id = String(run.id);
    const before = latest.current.selected;
    latest.current.onSelect(before.includes(id) ? before.filter((c) => c !== id) : [...before, id]);
  }, []);
  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), total - 1);
    setCursor(next);
    const element = frame.current;
    if (!element) return;
    const whole = total * rowHeight;
    // The scroll position that shows the row coordinate `y` at the top of the window.
    const scrollTopOf = (y: number) => whole > tableHeight ? (y / Math.max(1, whole - height)) * room : y;
    const y = next * rowHeight;
    const visibleTop = top + offsetAt(top);
    if (y < visibleTop) element.scrollTop = scrollTopOf(y);
    else if (y + 2 * rowHeight > visibleTop + height) element.scrollTop = scrollTopOf(y - height + 2 * rowHeight);
  };
  const onKey = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).matches("input, a, button")) return;
    const page = Math.max(1, Math.floor(height / rowHeight) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -total, End: total };
    const run = pages?.at(cursor);
    if (event.key in steps) move(cursor + steps[event.key]!);
    else if (event.key === "Enter" && run) navigate(`/runs/${run.id}`);
    else if ((event.key === "x" || event.key === " ") && run) toggle(run);
    else return;
    event.preventDefault();
  };

  const template = useMemo(() => rowStyle(columns), [columns]);
  const indices = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    <div
      class="run-table" role="table" aria-label="Runs" aria-rowcount={total + 1} ref={frame} tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)} onKeyDown={onKey}
    >
      <div role="rowgroup" class="head">
        <div role="row" aria-rowindex={1} style={template}>
          <div role="columnheader"><span class="sr">selected</span></div>
          {columns.map((column) => <Heading key={column.key} column={column} sorted={sort === column.key ? order : "none"} onSort={props.onSort} />)}
        </div>
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${tableHeight}px`, minWidth: template.minWidth }}>
        {indices.map((index) => {
          const run = pages?.at(index);
          return (
            <RunRow
              key={index} run={run} index={index} columns={columns} template={template} top={index * rowHeight - offsetAt(top)}
              isCursor={index === cursor} isSelected={run !== undefined && selected.includes(String(run.id))} onSelect={toggle}
            />
          );
        })}
      </div>
    </div>
  );
}
