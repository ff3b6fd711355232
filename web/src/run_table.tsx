// A table as long as the store: only the rows on the screen exist, and pages come as they are
// scrolled to.
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isNumber, rowStyle, titleOf } from "./columns";
import { go } from "./route";
import { RunPages } from "./run_pages";
import { rowHeight, RunRow } from "./run_row";
import type { Column, Run } from "./types";

const refreshMs = 3000;
const beyond = 8; // rows drawn above and below the window, so that a flick shows no gap
const tallest = 15_000_000; // pixels that every browser can scroll through; beyond, rows pass faster

interface TableProps {
  columns: Column[];
  params: string;
  sort: string;
  order: "ascending" | "descending";
  chosen: string[];
  onSort: (key: string) => void;
  onChoose: (ids: string[]) => void;
  onTotal: (total: { matching: number; problem?: string }) => void;
}

// The pages of the query, and those of the one before until the first answer.
function useRunPages(query: string, onTotal: TableProps["onTotal"]): { pages: RunPages | undefined; asked: RunPages | undefined } {
  const [asked, setAsked] = useState<RunPages>();
  const shown = useRef<RunPages>();
  const [, redraw] = useState(0);
  const told = useRef(onTotal);
  told.current = onTotal;
  useEffect(() => {
    const pages = new RunPages(query, (problem) => {
      told.current(problem === undefined ? { matching: pages.total } : { matching: pages.total, problem });
      redraw((n) => n + 1);
    });
    setAsked(pages);
    const timer = setInterval(() => document.hidden || pages.refresh(), refreshMs);
    return () => {
      clearInterval(timer);
      pages.close();
    };
  }, [query]);
  if (asked && asked.total >= 0) shown.current = asked;
  return { pages: shown.current, asked };
}

// How high the element is, as its window is made larger or smaller.
function useHeight(element: { current: HTMLElement | null }): number {
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const watched = element.current;
    if (!watched) return;
    const measure = () => setHeight(watched.clientHeight);
    const watch = new ResizeObserver(measure);
    watch.observe(watched);
    measure();
    return () => watch.disconnect();
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
  const { columns, sort, order, chosen } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [cursor, setCursor] = useState(0);
  const height = useHeight(frame);
  const query = `${props.params}&sort=${sort}&order=${order}`;
  const { pages, asked } = useRunPages(query, props.onTotal);
  useEffect(() => {
    setCursor(0);
    frame.current?.scrollTo({ top: 0 });
  }, [query]);

  const total = Math.max(pages?.total ?? 0, 0);
  const tall = Math.min(total * rowHeight, tallest);
  // How far the rows' own coordinates are from the scroll bar's, where the list is too long for one.
  const room = Math.max(1, tall - height);
  const slip = (at: number) => Math.round(Math.min(1, at / room) * (total * rowHeight - tall));
  const first = Math.max(0, Math.floor((top + slip(top)) / rowHeight) - beyond);
  const last = Math.min(total, Math.ceil((top + slip(top) + height) / rowHeight) + beyond);
  useEffect(() => {
    if (asked === pages) pages?.look(first, last); // before that, the window is the old list's
  }, [asked, pages, first, last]);

  const held = useRef(props);
  held.current = props;
  const choose = useCallback((run: Run) => {
    const id = String(run.id);
    const before = held.current.chosen;
    held.current.onChoose(before.includes(id) ? before.filter((c) => c !== id) : [...before, id]);
  }, []);
  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), total - 1);
    setCursor(next);
    const element = frame.current;
    if (!element) return;
    const whole = total * rowHeight;
    // Where the scroll bar must stand for the list's own `y` to be at the top of the window.
    const barAt = (y: number) => whole > tall ? (y / Math.max(1, whole - height)) * room : y;
    const y = next * rowHeight;
    const seen = top + slip(top);
    if (y < seen) element.scrollTop = barAt(y);
    else if (y + 2 * rowHeight > seen + height) element.scrollTop = barAt(y - height + 2 * rowHeight);
  };
  const onKey = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).matches("input, a, button")) return;
    const page = Math.max(1, Math.floor(height / rowHeight) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -total, End: total };
    const run = pages?.at(cursor);
    if (event.key in steps) move(cursor + steps[event.key]!);
    else if (event.key === "Enter" && run) go(`/runs/${run.id}`);
    else if ((event.key === "x" || event.key === " ") && run) choose(run);
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
          <div role="columnheader"><span class="sr">chosen</span></div>
          {columns.map((column) => <Heading key={column.key} column={column} sorted={sort === column.key ? order : "none"} onSort={props.onSort} />)}
        </div>
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${tall}px`, minWidth: template.minWidth }}>
        {indices.map((index) => {
          const run = pages?.at(index);
          return (
            <RunRow
              key={index} run={run} index={index} columns={columns} template={template} top={index * rowHeight - slip(top)}
              isCursor={index === cursor} isChosen={run !== undefined && chosen.includes(String(run.id))} onChoose={choose}
            />
          );
        })}
      </div>
    </div>
  );
}
