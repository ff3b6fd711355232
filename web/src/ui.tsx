// Small parts that every view uses.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Problem } from "./api";
import { outcomeWords } from "./format";

export function OutcomeMark({ outcome }: { outcome: string }): JSX.Element {
  return <span class={`outcome ${outcome}`}>{outcomeWords[outcome] ?? outcome}</span>;
}

export function ProblemNote({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class="problem" role="alert">
      <p>{problem.message}</p>
      {again && <button type="button" onClick={again}>Try again</button>}
    </div>
  );
}

// A view without content says what brings some.
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Command({ text }: { text: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy: ${text}`}>
        {copied ? "copied" : "copy"}
      </button>
    </span>
  );
}

export function Section(
  { id, title, aside, children }:
  { id: string; title: string; aside?: ComponentChildren; children: ComponentChildren },
) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <header class="section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {aside && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

// A table that may be wider than the window: the keyboard can scroll it too.
export function Scroll({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return <div class="scroll" role="region" aria-label={label} tabIndex={0}>{children}</div>;
}

export function Waiting({ what }: { what: string }): JSX.Element {
  return <p class="waiting" role="status">{what}</p>;
}
