// One row of the runs table. It renders again only if its own data changed, which keeps scrolling
// fast.
import { Component, type JSX } from "preact";
import { cellText, isNumber } from "./columns";
import { formatValue, fullTime, visible } from "./format";
import { navigate } from "./route";
import type { Column, Run } from "./types";
import { OutcomeMark } from "./ui";

export const rowHeight = 29;

interface RowProps {
  run: Run | undefined; // undefined while it loads
  index: number;
  columns: Column[];
  template: JSX.CSSProperties;
  top: number;
  isCursor: boolean;
  isSelected: boolean;
  onSelect: (run: Run) => void;
}

function Cell({ run, column }: { run: Run; column: Column }): JSX.Element {
  const text = cellText(run, column);
  if (column.key === "id") return <a href={`/runs/${run.id}`} tabIndex={-1}>{text}</a>;
  if (column.key === "model" && (run.tags || (run.name && run.name !== run.model))) {
    return (
      <span title={visible(`${run.name} ${run.model} ${run.tags}`)}>
        {run.name && run.name !== run.model && <b>{visible(run.name)} </b>}{visible(text).slice(0, 200)}
        {run.tags && run.tags.split(", ").map((tag) => <small key={tag} class="tag">{visible(tag)}</small>)}
      </span>
    );
  }
  if (column.key === "outcome") return <OutcomeMark outcome={run.outcome} />;
  if (column.key === "created_at") return <span title={fullTime(run.created_at)}>{text}</span>;
  if (column.key === "step_s") {
    const { step_p25_s: low, step_p75_s: high } = run.metrics;
    return (
      <>
        {text}
        {low !== undefined && high !== undefined && <small title="quartiles"> {formatValue("seconds", low)}–{formatValue("seconds", high)}</small>}
      </>
    );
  }
  return <span title={column.kind === "text" ? visible(text) : undefined}>{column.kind === "text" ? visible(text).slice(0, 200) : text}</span>;
}

export class RunRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const now = this.props;
    return next.run !== now.run || next.index !== now.index || next.top !== now.top || next.columns !== now.columns
      || next.isCursor !== now.isCursor || next.isSelected !== now.isSelected || next.onSelect !== now.onSelect;
  }

  override render({ run, index, columns, template, top, isCursor, isSelected, onSelect }: RowProps): JSX.Element {
    const style = { ...template, transform: `translateY(${top}px)` };
    if (!run) return <div role="row" aria-rowindex={index + 2} class="row blank" style={style}><div role="cell">…</div></div>;
    return (
      <div
        role="row" aria-rowindex={index + 2} style={style}
        class={`row${isCursor ? " cursor" : ""}${isSelected ? " selected-row" : ""}${run.archived ? " archived" : ""}`}
        onClick={(event) => {
          if ((event.target as HTMLElement).closest("input, a") || getSelection()?.toString()) return;
          navigate(`/runs/${run.id}`);
        }}
      >
        <div role="cell">
          <input type="checkbox" tabIndex={-1} checked={isSelected} onChange={() => onSelect(run)} aria-label={`Select run ${run.id}`} />
        </div>
        {columns.map((column) => (
          <div key={column.key} role="cell" class={isNumber(column) ? "number" : ""}><Cell run={run} column={column} /></div>
        ))}
      </div>
    );
  }
}
