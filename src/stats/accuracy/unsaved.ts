import type { CountedInstalls, Finding, Platform } from './count.ts';

/** An install of an app on a UTC day. */
export interface Place {
  readonly appId: string;
  readonly day: string;
  readonly platform: Platform;
}

/** An install with its draw, which decides whether it is in the sample; equal ones without a draw, outside of it. */
export interface UnsavedCount extends CountedInstalls {
  readonly draw: number | null;
}

/** The counts of this process that are not stored yet. */
export class Unsaved {
  readonly #apps = new Map<string, Map<string, Map<string, UnsavedCount>>>();

  get apps(): string[] {
    return [...this.#apps.keys()];
  }

  add({ appId, day, platform }: Place, { verdict, percent }: Finding, draw: number | null): void {
    this.#add(appId, day, { platform, verdict, percent, draw, installs: 1 });
  }

  /** Takes the counts of an app out, by day. */
  take(appId: string): [day: string, counts: UnsavedCount[]][] {
    const days = [...(this.#apps.get(appId) ?? [])];
    this.#apps.delete(appId);
    return days.map(([day, counts]) => [day, [...counts.values()]]);
  }

  /** Puts back what could not be stored. */
  putBack(appId: string, days: readonly [day: string, counts: readonly UnsavedCount[]][]): void {
    for (const [day, counts] of days) for (const count of counts) this.#add(appId, day, count);
  }

  #add(appId: string, day: string, count: UnsavedCount): void {
    const days = this.#apps.get(appId) ?? new Map<string, Map<string, UnsavedCount>>();
    this.#apps.set(appId, days);
    const counts = days.get(day) ?? new Map<string, UnsavedCount>();
    days.set(day, counts);
    const key = [count.platform, count.verdict, count.percent, count.draw].join(' ');
    counts.set(key, { ...count, installs: count.installs + (counts.get(key)?.installs ?? 0) });
  }
}
