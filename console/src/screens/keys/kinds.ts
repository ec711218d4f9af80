import type { CreateKey, Key } from '@generated/types.gen.ts';
import { formatMoment } from '../../formats.ts';

export type Kind = CreateKey['kind'];

interface KindWords {
  readonly kind: Kind;
  readonly name: string;
  readonly help: string;
  /** What no longer works without the key. */
  readonly loss: string;
}

export const KINDS: readonly KindWords[] = [
  {
    kind: 'live',
    name: 'Secret, live',
    help: 'For your servers. Reads and changes everything.',
    loss: 'Servers that call the API with it are refused: they make no links, read no records and report no events.',
  },
  {
    kind: 'test',
    name: 'Secret, test',
    help: 'For your servers. Sandbox records only.',
    loss: 'Test systems that call the API with it are refused. Live records are not touched.',
  },
  {
    kind: 'live_publishable',
    name: 'Publishable, live',
    help: 'For the app in the stores. Reports, reads nothing.',
    loss: 'Every installed app that carries it reports no installs, opens and events any more, until its user updates.',
  },
  {
    kind: 'test_publishable',
    name: 'Publishable, test',
    help: 'For debug builds of the app.',
    loss: 'Debug builds that carry it report nothing any more.',
  },
];

export function wordsOf(kind: Kind): KindWords {
  const words = KINDS.find((each) => each.kind === kind);
  if (words === undefined) throw new TypeError(`Unknown kind ${kind}`);
  return words;
}

export function isPublishable(kind: Kind): boolean {
  return kind.endsWith('publishable');
}

function hasEnded({ endsAt }: Key): boolean {
  return endsAt !== null && Date.parse(endsAt) <= Date.now();
}

export function isActive(key: Key): boolean {
  return key.revokedAt === null && !hasEnded(key);
}

export function makerOf({ createdBy }: Key): string {
  switch (createdBy?.type) {
    case 'user':
      return createdBy.email ?? 'a removed user';
    case 'admin':
      return 'the admin token';
    case 'command_line':
      return 'the command line';
    case 'first_start':
      return 'the first start';
    default:
      return 'before accounts';
  }
}

export function endOf(key: Key): string {
  if (key.revokedAt !== null) return `revoked ${formatMoment(key.revokedAt, { seconds: false })}`;
  if (key.endsAt === null) return '';
  return `${hasEnded(key) ? 'ended' : 'ends'} ${formatMoment(key.endsAt, { seconds: false })}`;
}
