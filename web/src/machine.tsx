// What this machine has, what is missing, how to get it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post, useApi, type Problem } from "./api";
import { fullMoment, visible } from "./format";
import type { HealthFinding } from "./types";
import { Command, ProblemNote, Section, Waiting } from "./ui";

const words = { ok: "ok", missing: "missing", trouble: "trouble" };

interface Look { examined_at: number; findings: HealthFinding[] }

export function MachineView(): JSX.Element {
  const { data: last, problem, again } = useApi<Look>("/machine");
  const [newer, setNewer] = useState<Look>();
  const [looking, setLooking] = useState(false);
  const [failure, setFailure] = useState<Problem>();
  const data = newer ?? last;
  const lookAgain = (): void => {
    setLooking(true);
    setFailure(undefined);
    post<Look>("/machine").then(setNewer, setFailure).finally(() => setLooking(false));
  };
  if (problem) return <main><ProblemNote problem={problem} again={again} /></main>;
  if (!data) return <main><h1>This machine</h1><Waiting what="looking at this machine; torch is tried out once, which takes a few seconds" /></main>;
  const areas = [...new Set(data.findings.map((f) => f.area))];
  const troubles = data.findings.filter((f) => f.health === "trouble").length;
  return (
    <main class="machine">
      <header class="run-head">
        <h1>This machine</h1>
        <p class="meta">
          <span>{troubles === 0 ? "no trouble" : `${troubles} in trouble`}</span>
          <span>looked at {fullMoment(data.examined_at)}</span>
          <button type="button" disabled={looking} onClick={lookAgain}>{looking ? "looking …" : "look again"}</button>
        </p>
        {failure && <ProblemNote problem={failure} />}
      </header>
      {areas.map((area) => (
        <Section key={area} id={area.replace(/\W+/g, "-")} title={area}>
          <dl class="health">
            {data.findings.filter((f) => f.area === area).map((finding) => (
              <div key={finding.name}>
                <dt><span class={`health-mark ${finding.health}`}>{words[finding.health]}</span> {finding.name}</dt>
                <dd>
                  {visible(finding.text)}
                  {finding.fix && <p class="fix">{/^(tacho|apt-get|script\/\w+) [^,;()]+$/.test(finding.fix) ? <Command text={finding.fix} /> : visible(finding.fix)}</p>}
                </dd>
              </div>
            ))}
          </dl>
        </Section>
      ))}
    </main>
  );
}
