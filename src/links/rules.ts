/** What a rule of a link asks of a visitor, and what it changes. Pure, and without Node: the console tries rules with it. */

export const MAX_RULES = 20;
export const RULE_PLATFORMS = ['IOS', 'ANDROID', 'OTHER'] as const;

/** Versions by platform, as dotted numbers. */
export interface AppVersions {
  readonly ios?: string;
  readonly android?: string;
}

/** All that are given must hold. */
export interface RuleConditions {
  readonly platform?: (typeof RULE_PLATFORMS)[number];
  /** Both inclusive, compared on the numbers given. */
  readonly osVersion?: { readonly min?: string; readonly max?: string };
  /** Tags; `de` holds for `de-AT`. */
  readonly language?: string | string[];
  /** ISO 3166 codes. */
  readonly country?: string | string[];
  /** Values by name; null for any. */
  readonly query?: Readonly<Record<string, string | null>>;
  /** ISO times: inclusive, exclusive. */
  readonly from?: string;
  readonly to?: string;
  /** Of those who reach the rule, 0 to 100. */
  readonly percent?: number;
}

/** What replaces the fields of the link. */
export interface RuleOutcome {
  readonly iosDestination?: string;
  readonly androidDestination?: string;
  readonly fallbackUrl?: string;
  readonly deepLinkPath?: string;
  readonly deepLinkParams?: Readonly<Record<string, unknown>>;
  readonly campaignId?: string;
}

export interface LinkRule {
  readonly name?: string;
  readonly when: RuleConditions;
  readonly then: RuleOutcome;
}
