// Components that all views share.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Problem } from "./api";
import { outcomeWords } from "./format";

export function OutcomeMark({ outcome }: { outcome: string }): JSX.Element {
  return <span class={`outcome ${outcome}`}>{outcomeWords[outcome] ?? outcome}</span>;
}

export function ProblemNote({ problem, reload }: { problem: Problem; reload?: () => void }) {
  return (
    <div class="problem" role="alert">
      <p>{problem.message}</p>
      {reload && <button type="button" onClick={reload}>Try again</button>}
    </div>
  );
}

// Shown instead of an empty list: says what to do next.
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

// For tables wider than the window; the keyboard can scroll them.
export function Scroll({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return <div class="scroll" role="region" aria-label={label} tabIndex={0}>{children}</div>;
}

export function Loading({ text }: { text: string }): JSX.Element {
  return <p class="waiting" role="status">{text}</p>;
}
