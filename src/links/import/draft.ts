import type { LinkRule, RuleConditions, RuleOutcome } from '../choice/rules.ts';
import { type DeepLink, deepLinkOf } from './addresses.ts';
import type { ImportedLink, ImportSource } from './imported-row.ts';
import { countOf, type Named, RowFailure, saysYes, shown, type Time, timeOf, type Values } from './values.ts';

export type LinkInput = ImportedLink['input'];
export type PhonePlatform = 'IOS' | 'ANDROID';

const MAX_RULE_COUNTRIES = 20;
/** As most files have times: reading them takes longer than most other fields. */
const IN_UTC = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.000)?Z$/;

/** A link as its row says, before its bounds are checked. */
export class Draft {
  readonly service: string;
  /** Old addresses, all with the same answer. */
  readonly addresses: string[] = [];
  readonly input: Partial<LinkInput> = {};
  readonly rules: LinkRule[] = [];
  readonly notes = new Set<string>();
  readonly metadata: Record<string, unknown>;
  importedClicks: number | null = null;
  /** Where the service led phones without the app, if not to a store. */
  readonly phones: { IOS?: string | undefined; ANDROID?: string | undefined } = {};

  /** @param service its name in notes. */
  constructor(source: ImportSource, service: string) {
    this.service = service;
    this.metadata = { importedFrom: source };
  }

  note(text: string): void {
    this.notes.add(text);
  }

  /** @param what the service had, as a subject of a sentence: `The click limit`. */
  lost(what: string): void {
    this.note(`${what} is not imported: links here have none.`);
  }

  setDeepLink(text: string): void {
    const { path, params } = deepLinkOf(text);
    this.input.deepLinkPath = path;
    if (params !== undefined) this.input.deepLinkParams = params;
  }

  /** A plain link to a page: its path is what the app gets, and phones without the app get the page. */
  setPage(address: string): void {
    this.input.fallbackUrl = address;
    this.setDeepLink(address);
    this.phones.IOS = address;
    this.phones.ANDROID = address;
  }

  /** What a rule gives in place of a page. */
  static page(address: string): RuleOutcome {
    const { path, params } = deepLinkOf(address);
    return { fallbackUrl: address, deepLinkPath: path, deepLinkParams: params ?? {} };
  }

  addRule(when: RuleConditions, then: RuleOutcome): void {
    this.rules.push({ when, then });
  }

  /** Rules that differ by country: those of one outcome become one. */
  addCountries(
    outcomes: readonly (readonly [country: string, then: RuleOutcome])[],
    when: RuleConditions = {},
  ): void {
    const byOutcome = Map.groupBy(outcomes, ([, then]) => JSON.stringify(then));
    for (const group of byOutcome.values()) {
      const [first] = group;
      const countries = [...new Set(group.map(([country]) => country))].sort();
      for (let at = 0; first !== undefined && at < countries.length; at += MAX_RULE_COUNTRIES)
        this.addRule({ ...when, country: countries.slice(at, at + MAX_RULE_COUNTRIES) }, first[1]);
    }
  }

  /** Deep links by platform: one for both if they are equal, else a rule for each. */
  setPlatformDeepLinks(links: Readonly<Record<PhonePlatform, string | undefined>>): void {
    if (links.IOS !== undefined && links.IOS === links.ANDROID) {
      this.setDeepLink(links.IOS);
      return;
    }
    for (const platform of ['IOS', 'ANDROID'] as const) {
      const link = links[platform];
      if (link !== undefined) this.addRule({ platform }, this.deepLinkOutcome(deepLinkOf(link)));
    }
  }

  /** The link's own parameters stay where the other deep link has none of the name. */
  deepLinkOutcome({ path, params }: DeepLink): RuleOutcome {
    return {
      deepLinkPath: path,
      ...(params !== undefined && { deepLinkParams: { ...this.input.deepLinkParams, ...params } }),
    };
  }

  /** The service ended the link at this time, unless it led elsewhere from then on. */
  expire(time: Time | undefined, expiredUrl?: string): void {
    if (expiredUrl !== undefined) this.input.expiredUrl = expiredUrl;
    if (time === undefined) return;
    this.input.expiresAt = time.iso;
    if (expiredUrl === undefined) this.input.goneWhenExpired = true;
    if (!time.hasZone) this.note('The end of the link has no time zone in the file: it is taken as UTC.');
  }

  /** Null without one, with a note for what is none. */
  countIn<Field extends string>(row: Values<Field>, field: Field): number | null {
    const count = row.count(field);
    if (count === null && row.get(field) !== undefined)
      this.note(`${row.nameOf(field)} is no number of clicks, and is left out.`);
    return count;
  }

  /** @throws RowFailure where clicks are spent, one was all, or nobody can tell. */
  limitClicks(limited: Named, counted: Named): void {
    if (!saysYes(limited.value)) return;
    const limit = countOf(limited.value);
    if (limit === 0) return;
    const clicks = countOf(counted.value);
    const unread = limit === null ? limited : clicks === null && saysYes(counted.value) ? counted : null;
    if (limit === 1)
      throw new RowFailure(
        'The link works for one click only, which links here cannot. Create it by hand if it may work for all.',
      );
    if (limit === null || unread !== null)
      throw new RowFailure(
        `${unread?.name} is no number of clicks, and the link may have ended by its limit. Write both in digits, or remove the limit if the link may work for all.`,
      );
    if (clicks !== null && clicks >= limit)
      throw new RowFailure(`The link has had the ${limit} clicks that it was made for, and has ended.`);
    this.note('The limit of clicks is not imported: the link works on after it.');
  }

  /** Never to be published open. @throws RowFailure */
  refusePassword(): never {
    throw new RowFailure(
      'The link asks for a password, which links here cannot. Create it without one if all may follow it.',
    );
  }

  setTags(tags: readonly string[]): void {
    if (tags.length > 0) this.input.tags = [...tags];
  }

  setCreated(time: string | undefined): void {
    if (time === undefined) return;
    const [, inUtc] = IN_UTC.exec(time) ?? [];
    this.metadata.createdAt = inUtc === undefined ? (timeOf(time)?.iso ?? time) : `${inUtc}.000Z`;
  }

  setArchived(): void {
    this.note(`The link is archived at ${this.service}, where it works on: it is imported like others.`);
  }
}

/** Texts of a version as stores have them. */
export function isVersion(text: string): boolean {
  return /^\d{1,9}(\.\d{1,9}){0,3}$/.test(text);
}

export function noPage(what: string, address: string): RowFailure {
  return new RowFailure(`${what}: ${shown(address)} is no address of a page.`);
}
