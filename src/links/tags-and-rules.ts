import { createHash } from 'node:crypto';
import type { Transaction } from '../db/index.ts';
import type { LinkRow } from './link.ts';
import type { LinkRule } from './rules.ts';

const RULE_ID_CHARACTERS = 16;

/** A rule of one content has one id on its link. */
export function ruleIdOf(rule: LinkRule): string {
  return createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, RULE_ID_CHARACTERS);
}

/** Keeps the rules of links for clicks that get them; those of before stay. */
export async function keepRules(tx: Transaction, links: readonly LinkRow[]): Promise<void> {
  const rows = links.flatMap(({ app_id, id: link_id, rules }) =>
    (JSON.parse(rules) as LinkRule[]).map((rule) => ({
      ...{ app_id, link_id },
      id: ruleIdOf(rule),
      rule: JSON.stringify(rule),
    })),
  );
  if (rows.length === 0) return;
  await tx
    .insertInto('link_rules')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
