// Light or dark: as the system is, or as was chosen here.
import { useEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";
const changed = new EventTarget();
const system = matchMedia("(prefers-color-scheme: dark)");

export function chosenTheme(): Theme {
  const kept = localStorage.getItem("theme");
  return kept === "light" || kept === "dark" ? kept : "auto";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "auto") localStorage.removeItem("theme");
  else localStorage.setItem("theme", theme);
  applyTheme();
  changed.dispatchEvent(new Event("change"));
}

export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function shownTheme(): "light" | "dark" {
  const theme = chosenTheme();
  return theme === "auto" ? (system.matches ? "dark" : "light") : theme;
}

export function useThemeName(): "light" | "dark" {
  const [name, set] = useState(shownTheme);
  useEffect(() => {
    const look = () => set(shownTheme());
    changed.addEventListener("change", look);
    system.addEventListener("change", look);
    return () => {
      changed.removeEventListener("change", look);
      system.removeEventListener("change", look);
    };
  }, []);
  return name;
}
