import type { Answer, Asked, Verdict } from './answer.ts';
import { comparable } from './comparable.ts';
import { type Comparison, compare, placeOf } from './compare.ts';
import { expectedOf } from './expected.ts';
import { askNew, type NewService } from './new-answer.ts';
import { followDestination, followOld, type OldAnswerDeps } from './old-answer.ts';
import { hasEnded, type RehearsedLink } from './read-links.ts';
import type { RehearsedVisitor } from './visitors.ts';

/** One link as one kind of visitor sees it; a row of the report. */
export interface Row {
  readonly line: number;
  readonly visitor: string;
  readonly verdict: Verdict;
  readonly oldAddress: string;
  readonly oldStatus: string;
  readonly oldAnswer: string;
  readonly newAddress: string;
  readonly newStatus: string;
  readonly newAnswer: string;
  readonly note: string;
  /** The way from the old address to the answer. */
  readonly oldWay: string;
}

export interface CheckDeps extends OldAnswerDeps {
  readonly service: NewService;
  readonly oldBase: string | null;
  /** Take the old answer from the file. */
  readonly againstFile: boolean;
  readonly mayUseHead: boolean;
}

/** Where the old service has the link. */
export function oldAddressOf(
  { origin, path }: Pick<RehearsedLink, 'origin' | 'path'>,
  { oldBase, service }: Pick<CheckDeps, 'oldBase' | 'service'>,
): string {
  return `${oldBase ?? origin ?? `https://${service.host}`}/${path}`;
}

/** The service is asked first: where its answer is on the way of the old one, both go on together, and nobody need be asked. */
export async function checkLink(
  deps: CheckDeps,
  link: RehearsedLink,
  visitor: RehearsedVisitor,
): Promise<Row> {
  const oldAddress = oldAddressOf(link, deps);
  const now = await askNew(deps.service, link.path, visitor, deps.signal);
  const old = deps.againstFile ? expectedOf(link, visitor) : await askOld(deps, oldAddress, now, visitor);
  let found = compare(old, now);
  if (found.verdict !== 'equal' && isNotFound(now, deps.service))
    found = compare(old, { ...now, answer: { kind: 'ended' } });
  if (found.verdict === 'different' && !deps.againstFile && (await haveOneEnd(deps, { old, now, visitor })))
    found = compare(old, now, true);
  if (found.verdict === 'only old' && isEndedPage(link, old)) found = ENDED;
  return {
    line: link.line,
    visitor: visitor.name,
    verdict: found.verdict,
    oldAddress,
    oldStatus: String(old.status ?? ''),
    oldAnswer: describe(old.answer),
    newAddress: `https://${deps.service.host}/${link.path}`,
    newStatus: String(now.status ?? ''),
    newAnswer: describe(now.answer),
    note: found.note,
    oldWay: old.hops.slice(1, -1).join(' '),
  };
}

/** A link may lead where unknown paths lead: then the old one does too. */
function isNotFound({ answer }: Asked, { notFoundUrl }: NewService): boolean {
  return notFoundUrl !== null && answer.kind === 'leads' && comparable(answer.to) === comparable(notFoundUrl);
}

const ENDED: Comparison = { verdict: 'equal', note: 'Ended at both: the old service shows where.' };

/** An ended link may lead to a page that says so, in place of a 404. */
function isEndedPage(link: RehearsedLink, { answer }: Asked): boolean {
  if (!hasEnded(link)) return false;
  const place = placeOf(answer);
  const own = [link.input?.fallbackUrl, link.input?.iosDestination, link.input?.androidDestination];
  return place === null || !own.some((to) => to && comparable(to) === comparable(place));
}

async function askOld(
  deps: CheckDeps,
  address: string,
  { answer }: Asked,
  visitor: RehearsedVisitor,
): Promise<Asked> {
  const target = answer.kind === 'leads' ? answer.to : null;
  return await followOld(deps, address, { visitor, mayUseHead: deps.mayUseHead, target });
}

/** Two destinations may be one: a site redirects its old names. */
async function haveOneEnd(
  deps: CheckDeps,
  { old, now, visitor }: { old: Asked; now: Asked; visitor: RehearsedVisitor },
): Promise<boolean> {
  if (old.answer.kind !== 'leads' || now.answer.kind !== 'leads') return false;
  const trip = { visitor, mayUseHead: true, target: old.answer.to };
  const end = await followDestination(deps, now.answer.to, trip);
  return compare(old, end).verdict === 'equal';
}

function describe(answer: Answer): string {
  switch (answer.kind) {
    case 'leads':
      return withoutClickId(answer.to);
    case 'card':
      return answer.card.title === null ? 'a card without a title' : `card “${answer.card.title}”`;
    case 'page':
      return `a page at ${answer.at}`;
    case 'ended':
      return 'ended';
    case 'unreachable':
      return 'unreachable';
  }
}

/** It is another one for each request. */
function withoutClickId(address: string): string {
  return address.replace(/(svc_click_id(?:=|%3D))[\w-]+/i, '$1CLICK_ID');
}
