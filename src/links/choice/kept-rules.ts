import { createHash } from 'node:crypto';
import { type Db, isAmong, type Transaction } from '../../db/index.ts';
import { chunks } from '../../lib/chunks.ts';
import type { LinkRow } from '../link.ts';
import type { LinkRule } from './rules.ts';

const RULE_ID_CHARACTERS = 16;
const IDS_AT_ONCE = 200;

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

/** A rule that the link has or had. */
export async function findRule(
  db: Db,
  { appId, linkId, id }: { appId: string; linkId: string; id: string },
): Promise<LinkRule | undefined> {
  const row = await db
    .selectFrom('link_rules')
    .select('rule')
    .where('app_id', '=', appId)
    .where('link_id', '=', linkId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : (JSON.parse(row.rule) as LinkRule);
}

/** The names of rules by ID: equal ones have one ID on all links. Those without a name are left out. */
export async function findRuleNames(
  db: Db,
  appId: string,
  { linkIds, ids }: { linkIds: readonly string[]; ids: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const some of chunks(ids, IDS_AT_ONCE)) {
    const rows = await db
      .selectFrom('link_rules')
      .select(['id', 'rule'])
      .where('app_id', '=', appId)
      .where(isAmong(db, 'link_id', linkIds))
      .where('id', 'in', some)
      .execute();
    for (const { id, rule } of rows) {
      const { name } = JSON.parse(rule) as LinkRule;
      if (name !== undefined) names.set(id, name);
    }
  }
  return names;
}
