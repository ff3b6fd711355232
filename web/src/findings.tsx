// Findings of a comparison: medians, the change with its interval, and the verdict.
import type { JSX } from "preact";
import { formatValue } from "./format";
import { median } from "./statistics";
import type { Comparison, Finding } from "./types";
import { Scroll } from "./ui";

export function valuesOf(comparison: Comparison, variant: number, metric: string): number[] {
  return comparison.runs.filter((run) => run.variant === variant && !run.warm_up)
    .map((run) => run.values[metric]).filter((v): v is number => v !== undefined);
}

// The change on an axis from −reach to +reach, over the band that counts as equal.
function Whisker({ finding, reach, resolution, tone }: { finding: Finding; reach: number; resolution: number; tone: string }) {
  const ratio = finding.ratio;
  if (!ratio) return null;
  const at = (change: number) => `${50 + (50 * Math.max(-reach, Math.min(reach, change))) / reach}%`;
  const percent = (v: number) => `${v > 1 ? "+" : "−"}${Math.abs((v - 1) * 100).toPrecision(2)} %`;
  const low = ratio.low ?? ratio.value;
  const high = ratio.high ?? ratio.value;
  const label = ratio.low !== undefined ? `${percent(ratio.value)}, interval ${percent(low)} to ${percent(high)}` : `${percent(ratio.value)}, too few runs for an interval`;
  return (
    <span class={`whisker ${tone}`} role="img" aria-label={label} title={label}>
      <s style={{ left: at(-resolution), right: `calc(100% - ${at(resolution)})` }} />
      <em />
      {ratio.low !== undefined && <i style={{ left: at(low - 1), right: `calc(100% - ${at(high - 1)})` }} />}
      <b style={{ left: at(ratio.value - 1) }} />
    </span>
  );
}

export function Findings({ comparison }: { comparison: Comparison }): JSX.Element {
  const reachOf = (found: Finding[]) => Math.max(
    comparison.resolution * 2,
    ...found.flatMap((f) => f.ratio ? [Math.abs((f.ratio.low ?? f.ratio.value) - 1), Math.abs((f.ratio.high ?? f.ratio.value) - 1)] : [0]),
  ) * 1.1;
  const nameOf = (variant: number) => {
    const v = comparison.variants[variant];
    return v ? (v.group ? `${v.group}: ${v.name}` : v.name) : String(variant);
  };
  if (comparison.findings.length === 0) {
    return <p class="soft">No metric was measured in every variant. Check how the runs ended in the <a href="/">list of runs</a>.</p>;
  }
  return (
    <div class="findings">
      {comparison.metrics.map((metric) => {
        const found = comparison.findings.filter((f) => f.metric === metric.key);
        if (found.length === 0) return null;
        const reach = Math.min(reachOf(found), 4);
        const bases = [...new Set(found.map((f) => f.base))];
        return (
          <section key={metric.key} aria-label={metric.title}>
            <h3 title={metric.help}>{metric.title} <span class="soft">{metric.better === "neither" ? "" : `${metric.better} is better`}</span></h3>
            <Scroll label={metric.title}>
              <table class="plain">
                <thead>
                  <tr><th scope="col">variant</th><th scope="col" class="number">runs</th><th scope="col" class="number">median</th>
                    <th scope="col" class="whisker-cell">change, ±{reach >= 1 ? Math.round(reach * 100) : (reach * 100).toPrecision(2)} %</th><th scope="col">verdict</th></tr>
                </thead>
                <tbody>
                  {bases.flatMap((base) => [
                    <tr key={`base${base}`} class="base">
                      <th scope="row">{nameOf(base)}</th>
                      <td class="number">{valuesOf(comparison, base, metric.key).length}</td>
                      <td class="number">{formatValue(metric.unit, median(valuesOf(comparison, base, metric.key)))}</td>
                      <td class="whisker-cell" /><td class="soft">base</td>
                    </tr>,
                    ...found.filter((f) => f.base === base).map((finding) => {
                      const good = comparison.good[comparison.findings.indexOf(finding)];
                      const decided = finding.verdict === "higher" || finding.verdict === "lower";
                      const tone = !decided || good === null || good === undefined ? "" : good ? "good" : "bad";
                      return (
                        <tr key={finding.variant}>
                          <th scope="row">{nameOf(finding.variant)}</th>
                          <td class="number">{valuesOf(comparison, finding.variant, metric.key).length}</td>
                          <td class="number">{formatValue(metric.unit, median(valuesOf(comparison, finding.variant, metric.key)))}</td>
                          <td class="whisker-cell"><Whisker finding={finding} reach={reach} resolution={comparison.resolution} tone={tone} /></td>
                          <td class={tone}>{finding.words}</td>
                        </tr>
                      );
                    }),
                  ])}
                </tbody>
              </table>
            </Scroll>
          </section>
        );
      })}
    </div>
  );
}
