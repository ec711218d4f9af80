import { rulesThatNeverWin } from '../../links/index.ts';
import type { Checks, FindingText, Subject } from '../check.ts';

/** Rules of the link. Their destinations are checked as those of the link. */
export const RULE_CHECKS = {
  'rule.never_wins': ['warning', neverWins],
} as const satisfies Checks;

/** With its name, if it has one. */
function nameOfRule({ link }: Pick<Subject, 'link'>, place: number): string {
  const name = link.rules[place]?.name;
  return `rule ${place + 1}${name === undefined ? '' : ` (${name})`}`;
}

/** The link as only the destinations of one rule, for each rule that has any. */
export function subjectsOfRules(subject: Subject): Subject[] {
  return subject.link.rules.map(({ then }, place) => {
    const { iosDestination = null, androidDestination = null } = then;
    const link = { ...subject.link, iosDestination, androidDestination };
    return { ...subject, link, rule: nameOfRule(subject, place) };
  });
}

function neverWins(subject: Subject): FindingText | null {
  const idle = rulesThatNeverWin(subject.link.rules, subject.nowMs);
  if (idle.length === 0) return null;
  const reasons = idle.map(({ place, why, coveredBy }) => {
    const name = nameOfRule(subject, place);
    if (why === 'over') return `the time of ${name} is over`;
    if (why === 'percent') return `${name} is for 0 percent`;
    if (why === 'version') return `${name} asks for a version that no visitor has`;
    return `${nameOfRule(subject, coveredBy ?? 0)} gets all visitors of ${name}`;
  });
  return {
    message: `No visitor gets ${idle.length === 1 ? 'one of the rules' : `${idle.length} of the rules`}: ${reasons.join('; ')}.`,
    mend: `Set rules with narrower ones before wider ones, and without those that nobody can get, by PATCH /v1/links/${subject.link.shortCode}.`,
  };
}
