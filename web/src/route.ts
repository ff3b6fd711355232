// The address is the state: every view reads it and writes it, so a link shows the same to others.
import { useEffect, useState } from "preact/hooks";

const changed = new EventTarget();

export function here(): URL {
  return new URL(location.href);
}

export function go(path: string, replace = false): void {
  if (path === location.pathname + location.search + location.hash) return;
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  changed.dispatchEvent(new Event("change"));
}

export function useRoute(): URL {
  const [url, set] = useState(here);
  useEffect(() => {
    const look = () => set(here());
    changed.addEventListener("change", look);
    addEventListener("popstate", look);
    return () => {
      changed.removeEventListener("change", look);
      removeEventListener("popstate", look);
    };
  }, []);
  return url;
}

// The same address with some parameters changed; null takes one out.
export function withParams(url: URL, changes: Record<string, string | string[] | null>): string {
  const next = new URL(url);
  for (const [name, value] of Object.entries(changes)) {
    next.searchParams.delete(name);
    if (Array.isArray(value)) value.forEach((each) => next.searchParams.append(name, each));
    else if (value !== null && value !== "") next.searchParams.set(name, value);
  }
  return next.pathname + next.search;
}

// Links within the dashboard do not load the page again.
export function followLinks(): void {
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.target || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.pathname.startsWith("/api/")) return;
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
    if (!link.hash) scrollTo(0, 0);
  });
}
