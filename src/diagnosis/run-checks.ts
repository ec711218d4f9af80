import { type Checks, type FindingText, SEVERITIES, type Severity, type Subject } from './check.ts';
import { ASSOCIATION_CHECKS } from './checks/association.ts';
import { HOST_CHECKS } from './checks/host.ts';
import { LINK_CHECKS } from './checks/link.ts';
import { MATCHING_CHECKS } from './checks/matching.ts';
import { RULE_CHECKS, subjectsOfRules } from './checks/rules.ts';
import { SCHEME_CHECKS } from './checks/scheme.ts';
import { STORE_CHECKS } from './checks/stores.ts';

const CHECKS = {
  ...LINK_CHECKS,
  ...RULE_CHECKS,
  ...STORE_CHECKS,
  ...HOST_CHECKS,
  ...ASSOCIATION_CHECKS,
  ...SCHEME_CHECKS,
  ...MATCHING_CHECKS,
} as const satisfies Checks;

/** Finding codes of the API; listed in `docs/reference/findings.md`. */
export type Code = keyof typeof CHECKS;
export const CODES = Object.keys(CHECKS) as Code[];

export interface Finding extends FindingText {
  readonly severity: Severity;
  readonly code: Code;
}

/** @returns the findings, errors first. */
export function runChecks(subject: Subject): Finding[] {
  const findings = CODES.flatMap((code): Finding[] => {
    const [, check] = CHECKS[code];
    const subjects = code in STORE_CHECKS ? [subject, ...subjectsOfRules(subject)] : [subject];
    const texts = subjects.map((each) => check(each)).filter((text) => text !== null);
    return texts.map((text) => ({ severity: severityOf(code), code, ...text }));
  });
  return findings.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

export function severityOf(code: Code): Severity {
  return CHECKS[code][0];
}
