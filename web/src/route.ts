// The address holds the state of a view, so a link shows the same view to others.
import { useEffect, useState } from "preact/hooks";

const changed = new EventTarget();

export function currentUrl(): URL {
  return new URL(location.href);
}

export function navigate(path: string, replace = false): void {
  if (path === location.pathname + location.search + location.hash) return;
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  changed.dispatchEvent(new Event("change"));
}

export function useRoute(): URL {
  const [url, set] = useState(currentUrl);
  useEffect(() => {
    const update = () => set(currentUrl());
    changed.addEventListener("change", update);
    addEventListener("popstate", update);
    return () => {
      changed.removeEventListener("change", update);
      removeEventListener("popstate", update);
    };
  }, []);
  return url;
}

// The same address with some parameters changed; null removes one.
export function withParams(url: URL, changes: Record<string, string | string[] | null>): string {
  const next = new URL(url);
  for (const [name, value] of Object.entries(changes)) {
    next.searchParams.delete(name);
    if (Array.isArray(value)) value.forEach((each) => next.searchParams.append(name, each));
    else if (value !== null && value !== "") next.searchParams.set(name, value);
  }
  return next.pathname + next.search;
}

// Follows links within the dashboard without reloading the page.
export function interceptLinks(): void {
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.target || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.pathname.startsWith("/api/")) return;
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
    if (!link.hash) scrollTo(0, 0);
  });
}
