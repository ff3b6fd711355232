// Light or dark colours: those of the system, or those selected here.
import { useEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";
const changed = new EventTarget();
const system = matchMedia("(prefers-color-scheme: dark)");

export function selectedTheme(): Theme {
  const stored = localStorage.getItem("theme");
  return stored === "light" || stored === "dark" ? stored : "auto";
}

export function selectTheme(theme: Theme): void {
  if (theme === "auto") localStorage.removeItem("theme");
  else localStorage.setItem("theme", theme);
  applyTheme();
  changed.dispatchEvent(new Event("change"));
}

export function applyTheme(): void {
  const theme = selectedTheme();
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function shownTheme(): "light" | "dark" {
  const theme = selectedTheme();
  return theme === "auto" ? (system.matches ? "dark" : "light") : theme;
}

export function useThemeName(): "light" | "dark" {
  const [name, set] = useState(shownTheme);
  useEffect(() => {
    const update = () => set(shownTheme());
    changed.addEventListener("change", update);
    system.addEventListener("change", update);
    return () => {
      changed.removeEventListener("change", update);
      system.removeEventListener("change", update);
    };
  }, []);
  return name;
}
