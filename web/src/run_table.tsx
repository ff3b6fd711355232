// A table as long as the store: only the rows on the screen exist, and pages come as they are
// scrolled to.
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get } from "./api";
import { cellText, isNumber, rowStyle, titleOf } from "./columns";
import { figure, fullMoment, visible } from "./format";
import { go } from "./route";
import type { Column, Run, RunPage } from "./types";
import { OutcomeMark } from "./ui";

const rowHeight = 29;
const pageSize = 100;
const refreshMs = 3000;

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

function Cell({ run, column }: { run: Run; column: Column }): JSX.Element {
  const text = cellText(run, column);
  if (column.key === "id") return <a href={`/runs/${run.id}`} tabIndex={-1}>{text}</a>;
  if (column.key === "outcome") return <OutcomeMark outcome={run.outcome} />;
  if (column.key === "created_at") return <span title={fullMoment(run.created_at)}>{text}</span>;
  if (column.key === "step_s") {
    const { step_p25_s: low, step_p75_s: high } = run.metrics;
    return (
      <>
        {text}
        {low !== undefined && high !== undefined && <small title="quartiles"> {figure("seconds", low)}–{figure("seconds", high)}</small>}
      </>
    );
  }
  return <span title={column.kind === "text" ? visible(text) : undefined}>{column.kind === "text" ? visible(text).slice(0, 200) : text}</span>;
}

export function RunTable(props: TableProps): JSX.Element {
  const { columns, params, sort, order, chosen } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [cursor, setCursor] = useState(0);
  const [, redraw] = useState(0);
  const query = `${params}&sort=${sort}&order=${order}`;
  const pages = useRef<{ query: string; total: number; rows: Map<number, Run[]>; asked: Set<number> }>(
    { query: "", total: -1, rows: new Map(), asked: new Set() });

  const load = useCallback((page: number, fresh: boolean) => {
    const store = pages.current;
    if (!fresh && store.query === query && store.asked.has(page)) return;
    store.asked.add(page);
    get<RunPage>(`/runs?${query}&limit=${pageSize}&offset=${page * pageSize}`).then((answer) => {
      if (pages.current !== store) return; // another query was asked meanwhile
      store.rows.set(page, answer.runs);
      store.total = answer.total;
      props.onTotal({ matching: answer.total });
      redraw((n) => n + 1);
    }, (failure: Error) => {
      store.asked.delete(page);
      if (pages.current === store) props.onTotal({ matching: store.total, problem: failure.message });
    });
  }, [query]);

  // A new query begins with empty hands, but the old rows stay until the first answer.
  const shownRows = useRef(pages.current);
  useEffect(() => {
    pages.current = { query, total: -1, rows: new Map(), asked: new Set() };
    setCursor(0);
    frame.current?.scrollTo({ top: 0 });
    load(0, true);
    const timer = setInterval(() => document.hidden || load(Math.floor((frame.current?.scrollTop ?? 0) / rowHeight / pageSize), true), refreshMs);
    return () => clearInterval(timer);
  }, [query]);
  if (pages.current.total >= 0) shownRows.current = pages.current;
  const store = shownRows.current;

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setHeight(element.clientHeight);
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    measure();
    return () => watch.disconnect();
  }, []);

  const total = Math.max(store.total, 0);
  const first = Math.max(0, Math.floor(top / rowHeight) - 8);
  const last = Math.min(total, Math.ceil((top + height) / rowHeight) + 8);
  useEffect(() => {
    for (let page = Math.floor(first / pageSize); page * pageSize < last; ++page) load(page, false);
  }, [first, last, load]);

  const rowAt = (index: number) => store.rows.get(Math.floor(index / pageSize))?.[index % pageSize];
  const choose = (run: Run) => {
    const id = String(run.id);
    props.onChoose(chosen.includes(id) ? chosen.filter((c) => c !== id) : [...chosen, id]);
  };
  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), total - 1);
    setCursor(next);
    const element = frame.current;
    if (!element) return;
    const y = next * rowHeight;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + 2 * rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = y - element.clientHeight + 2 * rowHeight;
  };
  const onKey = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).matches("input, a, button")) return;
    const page = Math.max(1, Math.floor(height / rowHeight) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -total, End: total };
    const run = rowAt(cursor);
    if (event.key in steps) move(cursor + steps[event.key]!);
    else if (event.key === "Enter" && run) go(`/runs/${run.id}`);
    else if ((event.key === "x" || event.key === " ") && run) choose(run);
    else return;
    event.preventDefault();
  };

  const template = rowStyle(columns);
  const indices = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    <div
      class="run-table" role="table" aria-label="Runs" aria-rowcount={total + 1} ref={frame} tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)} onKeyDown={onKey}
    >
      <div role="rowgroup" class="head">
        <div role="row" aria-rowindex={1} style={template}>
          <div role="columnheader"><span class="sr">chosen</span></div>
          {columns.map((column) => (
            <div
              key={column.key} role="columnheader" class={isNumber(column) ? "number" : ""} title={column.metric?.help}
              aria-sort={sort === column.key ? order : "none"}
            >
              <button type="button" onClick={() => props.onSort(column.key)}>
                {sort === column.key && isNumber(column) && <span aria-hidden="true" class="arrow">{order === "descending" ? "↓" : "↑"}</span>}
                {titleOf(column)}
                {sort === column.key && !isNumber(column) && <span aria-hidden="true" class="arrow">{order === "descending" ? "↓" : "↑"}</span>}
              </button>
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${total * rowHeight}px`, minWidth: template.minWidth }}>
        {indices.map((index) => {
          const run = rowAt(index);
          const at = { ...template, transform: `translateY(${index * rowHeight}px)` };
          if (!run) return <div key={index} role="row" aria-rowindex={index + 2} class="row blank" style={at}><div role="cell">…</div></div>;
          return (
            <div
              key={index} role="row" aria-rowindex={index + 2} style={at}
              class={`row${index === cursor ? " cursor" : ""}${chosen.includes(String(run.id)) ? " chosen-row" : ""}`}
              onClick={(event) => {
                if ((event.target as HTMLElement).closest("input, a") || getSelection()?.toString()) return;
                go(`/runs/${run.id}`);
              }}
            >
              <div role="cell">
                <input type="checkbox" tabIndex={-1} checked={chosen.includes(String(run.id))} onChange={() => choose(run)} aria-label={`choose run ${run.id}`} />
              </div>
              {columns.map((column) => (
                <div key={column.key} role="cell" class={isNumber(column) ? "number" : ""}><Cell run={run} column={column} /></div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
