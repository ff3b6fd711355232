import "uplot/dist/uPlot.min.css";
import "./style.css";
import { render, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApi } from "./api";
import { CompareView } from "./compare";
import { ComparisonsView, ComparisonView } from "./comparisons";
import { EnvironmentsView } from "./environments";
import { LedgerView } from "./ledger";
import { MachineView } from "./machine";
import { MemoryView } from "./memory";
import { NewRunView } from "./new_run";
import { RecommendView } from "./recommend";
import { followLinks, useRoute } from "./route";
import { RunView } from "./run";
import { RunsView } from "./runs";
import { SweepView } from "./sweep";
import { SweepsView } from "./sweeps";
import { applyTheme, chooseTheme, chosenTheme, type Theme } from "./theme";
import { Empty } from "./ui";

interface About {
  version: string;
  commit: string;
  home: string;
  read_only: boolean;
  runs: number;
}

const places: [string, string][] = [
  ["/", "Runs"], ["/compare", "Compare"], ["/environments", "Environments"], ["/sweeps", "Sweeps"],
  ["/recommend", "Recommend"], ["/ledger", "Ledger"], ["/memory", "Memory"], ["/machine", "Machine"],
];

function ThemeChoice(): JSX.Element {
  const [theme, set] = useState<Theme>(chosenTheme);
  const next: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
  const mark: Record<Theme, string> = { auto: "◐", light: "○", dark: "●" };
  return (
    <button
      type="button" class="quiet theme" title={`colours: ${theme}`} aria-label={`Colours: ${theme}. Change to ${next[theme]}`}
      onClick={() => { chooseTheme(next[theme]); set(next[theme]); }}
    >{mark[theme]}</button>
  );
}

function Page({ path, about }: { path: string; about: About | undefined }): JSX.Element {
  const [first, second] = path.split("/").filter(Boolean).map(decodeURIComponent);
  const readOnly = about?.read_only ?? false;
  if (first === undefined || (first === "runs" && second === undefined)) return <RunsView />;
  if (first === "runs") return <RunView key={second} handle={second!} readOnly={readOnly} />;
  if (first === "compare") return <CompareView />;
  if (first === "comparisons") return second === undefined ? <ComparisonsView /> : <ComparisonView handle={second} />;
  if (first === "environments") return <EnvironmentsView />;
  if (first === "sweeps") return second === undefined ? <SweepsView readOnly={readOnly} /> : <SweepView key={second} handle={second} readOnly={readOnly} />;
  if (first === "recommend") return <RecommendView />;
  if (first === "ledger") return <LedgerView />;
  if (first === "memory") return <MemoryView />;
  if (first === "machine") return <MachineView />;
  if (first === "new") return <NewRunView readOnly={readOnly} />;
  return <main><Empty title="There is nothing here"><p><a href="/">All runs</a></p></Empty></main>;
}

function App(): JSX.Element {
  const url = useRoute();
  const { data: about } = useApi<About>("/about");
  const path = url.pathname;
  useEffect(() => {
    const place = places.find(([at]) => (at === "/" ? path === "/" : path.startsWith(at)));
    if (place) document.title = `${place[1]} – Tacho`;
    // On a narrow screen the views scroll: the one that is open is to be seen.
    const open = document.querySelector<HTMLElement>(".top nav [aria-current]");
    if (open?.parentElement) open.parentElement.scrollLeft = open.offsetLeft - open.parentElement.offsetLeft - 40;
  }, [path]);
  const isHere = (at: string) => (at === "/" ? path === "/" || path.startsWith("/runs")
    : path === at || path.startsWith(`${at}/`) || (at === "/compare" && path.startsWith("/comparisons")));
  return (
    <>
      <a class="skip" href="#content">Skip to content</a>
      <header class="top">
        <a class="mark" href="/"><img src="/icon.svg" alt="" width="20" height="20" /> tacho</a>
        <nav aria-label="Views">
          {places.map(([at, name]) => <a key={at} href={at} aria-current={isHere(at) ? "page" : undefined}>{name}</a>)}
        </nav>
        <div class="right">
          {about?.read_only && <span class="soft nowrap">read-only</span>}
          {!about?.read_only && <a class="button" href="/new" aria-current={path === "/new" ? "page" : undefined}>New run</a>}
          <ThemeChoice />
        </div>
      </header>
      <div id="content"><Page path={path} about={about} /></div>
    </>
  );
}

applyTheme();
followLinks();
render(<App />, document.getElementById("app")!);
