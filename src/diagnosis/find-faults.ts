import { type Checks, SEVERITIES, type Severity, type Subject, type Words } from './check.ts';
import { ASSOCIATION_CHECKS } from './checks/association.ts';
import { HOST_CHECKS } from './checks/host.ts';
import { LINK_CHECKS } from './checks/link.ts';
import { MATCHING_CHECKS } from './checks/matching.ts';
import { SCHEME_CHECKS } from './checks/scheme.ts';
import { STORE_CHECKS } from './checks/stores.ts';

const CHECKS = {
  ...LINK_CHECKS,
  ...STORE_CHECKS,
  ...HOST_CHECKS,
  ...ASSOCIATION_CHECKS,
  ...SCHEME_CHECKS,
  ...MATCHING_CHECKS,
} as const satisfies Checks;

/** What a fault is called in answers; `docs/links.md` has them all. */
export type Code = keyof typeof CHECKS;
export const CODES = Object.keys(CHECKS) as Code[];

/** Something that is wrong with a link, or with what it depends on. */
interface Finding extends Words {
  readonly severity: Severity;
  readonly code: Code;
}

/** All that is wrong, the worst first. */
export function findFaults(subject: Subject): Finding[] {
  const findings = CODES.flatMap((code): Finding[] => {
    const [, check] = CHECKS[code];
    const words = check(subject);
    return words === null ? [] : [{ severity: severityOf(code), code, ...words }];
  });
  return findings.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

/** One for each code, whatever the link. */
export function severityOf(code: Code): Severity {
  return CHECKS[code][0];
}
