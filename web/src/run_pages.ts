// Loads a list page by page. Dragging the scroll bar passes hundreds of pages, so only the visible
// ones are requested, a few at a time, and distant ones are evicted.
import { get } from "./api";
import type { Run, RunPage } from "./types";

const pageSize = 100;
const maxRequests = 3;
const maxPages = 60;

export class RunPages {
  total = -1;
  private readonly rows = new Map<number, Run[]>();
  private readonly loading = new Set<number>();
  private readonly control = new AbortController();
  private first = 0;
  private last = 0;

  // Calls `changed` after every response, with a message if it failed.
  constructor(private readonly query: string, private readonly changed: (problem?: string) => void) {
    this.load(0);
  }

  at(index: number): Run | undefined {
    return this.rows.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  // Rows from `begin` to before `end` are visible.
  setVisible(begin: number, end: number): void {
    this.first = Math.floor(begin / pageSize);
    this.last = Math.floor(Math.max(begin, end - 1) / pageSize);
    this.loadMissing();
  }

  // Loads the visible pages again.
  refresh(): void {
    if (this.loading.size > 0) return;
    for (let page = this.first; page <= this.last; ++page) this.load(page);
  }

  close(): void {
    this.control.abort();
  }

  private loadMissing(): void {
    for (let page = this.first; page <= this.last && this.loading.size < maxRequests; ++page) {
      if (!this.rows.has(page) && !this.loading.has(page)) this.load(page);
    }
  }

  private load(page: number): void {
    this.loading.add(page);
    get<RunPage>(`/runs?${this.query}&limit=${pageSize}&offset=${page * pageSize}`, this.control.signal).then((response) => {
      this.loading.delete(page);
      this.rows.set(page, response.runs);
      this.total = response.total;
      this.evict();
      this.loadMissing();
      this.changed();
    }, (failure: Error) => {
      this.loading.delete(page);
      if (failure.name !== "AbortError") this.changed(failure.message);
    });
  }

  private evict(): void {
    if (this.rows.size <= maxPages) return;
    const distance = (page: number) => Math.max(this.first - page, page - this.last);
    const distant = [...this.rows.keys()].sort((a, b) => distance(b) - distance(a));
    for (const page of distant.slice(0, this.rows.size - maxPages)) this.rows.delete(page);
  }
}
