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

// A text field that reports its value once the user has finished. A redraw keeps what was typed so far.
export function TextField({ value, commit, ...rest }: Omit<JSX.InputHTMLAttributes, "value"> & { value: string; commit: (text: string) => void }): JSX.Element {
  const [typed, setTyped] = useState<string>();
  const finish = (text: string) => {
    setTyped(undefined);
    commit(text);
  };
  return <input {...rest} value={typed ?? value} onInput={(event) => setTyped(event.currentTarget.value)} onChange={(event) => finish(event.currentTarget.value)} onBlur={() => setTyped(undefined)} />;
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
