/** What one visitor gets from a link: the one choice that redirect, pages, SDK calls, attribution and diagnosis share. */

import type { LinkRow, ResolvedLink } from '../link.ts';
import { passQueryOf } from '../link.ts';
import { ruleIdOf } from './kept-rules.ts';
import { addToParams, type Parameter, passedOf } from './passed-parameters.ts';
import { appendRest } from './path-rest.ts';
import { chooseRule, type LinkRule, type RuleOutcome, type RuleVisit } from './rules.ts';

export interface Visit extends RuleVisit {
  /** What followed the link's address, decoded; null without. */
  readonly rest: string | null;
}

/** A link as one visitor gets it. */
export interface RoutedLink extends ResolvedLink {
  /** The rule that won, from 0. */
  readonly rule?: { readonly place: number; readonly name: string | null; readonly id: string };
  /** What the tap carries on, added where a destination or payload is made of the link. */
  readonly passed?: readonly Parameter[];
  /** Is in `deepLinkPath`; `chooseDestination` adds it to `fallbackUrl`. */
  readonly rest?: string;
}

/** @returns the link itself if no rule, parameter or rest changes it. */
export function routeLink(link: ResolvedLink, visit: Visit): RoutedLink {
  const place = chooseRule(link.rules, visit);
  const passed = passedOf(link.passQuery, visit.query);
  const rest = visit.rest ?? '';
  if (place === null && passed.length === 0 && rest === '') return link;
  const rule = place === null ? undefined : link.rules[place];
  const routed: RoutedLink = { ...link, ...(rule && outcomeOf(rule.then)), passed, rest };
  return {
    ...routed,
    deepLinkPath: appendRest(routed.deepLinkPath, rest),
    ...(rule !== undefined && place !== null && { rule: { place, name: rule.name ?? null, id: idOf(rule) } }),
  };
}

function outcomeOf({ deepLinkParams, ...others }: RuleOutcome): Partial<ResolvedLink> {
  return deepLinkParams === undefined
    ? others
    : { ...others, deepLinkParamsText: JSON.stringify(deepLinkParams) };
}

const ids = new WeakMap<LinkRule, string>();

function idOf(rule: LinkRule): string {
  let id = ids.get(rule);
  if (id === undefined) {
    id = ruleIdOf(rule);
    ids.set(rule, id);
  }
  return id;
}

/** What a click keeps of the choice. */
export interface RoutedClick {
  readonly path_rest: string | null;
  /** JSON objects of texts; null without parameters. */
  readonly query: string | null;
  /** By name without `utm_`. Has those for which `query` had no room. */
  readonly utm: string | null;
}

/** The link's row with the rule of a click, and what the click carries on. @param rule null without one. */
export function routeRow(row: LinkRow, click: RoutedClick, rule: LinkRule | null): LinkRow {
  const passed = passedOf(passQueryOf(row), storedQuery(click));
  const { deepLinkPath, deepLinkParams, campaignId } = rule?.then ?? {};
  const paramsText = deepLinkParams === undefined ? row.deep_link_params : JSON.stringify(deepLinkParams);
  return {
    ...row,
    deep_link_path: appendRest(deepLinkPath ?? row.deep_link_path, click.path_rest ?? ''),
    deep_link_params: addToParams(paramsText, passed),
    campaign_id: campaignId ?? row.campaign_id,
  };
}

/** The parameters of a tap, as far as its click has them. */
export function storedQuery({ query, utm }: Pick<RoutedClick, 'query' | 'utm'>): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (utm !== null)
    for (const [name, value] of Object.entries(JSON.parse(utm) as Record<string, string | null>))
      if (value !== null) parameters.set(`utm_${name}`, value);
  for (const [name, value] of Object.entries(JSON.parse(query ?? '{}') as Record<string, string>))
    parameters.set(name, value);
  return parameters;
}
