// One row of the runs' table. It is drawn again only if something about it changed: a scroll moves
// hundreds of cells, and needs a few new ones.
import { Component, type JSX } from "preact";
import { cellText, isNumber } from "./columns";
import { figure, fullMoment, visible } from "./format";
import { go } from "./route";
import type { Column, Run } from "./types";
import { OutcomeMark } from "./ui";

export const rowHeight = 29;

interface RowProps {
  run: Run | undefined; // not here yet
  index: number;
  columns: Column[];
  template: JSX.CSSProperties;
  top: number;
  isCursor: boolean;
  isChosen: boolean;
  onChoose: (run: Run) => void;
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

export class RunRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const now = this.props;
    return next.run !== now.run || next.index !== now.index || next.top !== now.top || next.columns !== now.columns
      || next.isCursor !== now.isCursor || next.isChosen !== now.isChosen || next.onChoose !== now.onChoose;
  }

  override render({ run, index, columns, template, top, isCursor, isChosen, onChoose }: RowProps): JSX.Element {
    const style = { ...template, transform: `translateY(${top}px)` };
    if (!run) return <div role="row" aria-rowindex={index + 2} class="row blank" style={style}><div role="cell">…</div></div>;
    return (
      <div
        role="row" aria-rowindex={index + 2} style={style}
        class={`row${isCursor ? " cursor" : ""}${isChosen ? " chosen-row" : ""}`}
        onClick={(event) => {
          if ((event.target as HTMLElement).closest("input, a") || getSelection()?.toString()) return;
          go(`/runs/${run.id}`);
        }}
      >
        <div role="cell">
          <input type="checkbox" tabIndex={-1} checked={isChosen} onChange={() => onChoose(run)} aria-label={`choose run ${run.id}`} />
        </div>
        {columns.map((column) => (
          <div key={column.key} role="cell" class={isNumber(column) ? "number" : ""}><Cell run={run} column={column} /></div>
        ))}
      </div>
    );
  }
}
