/** The files by which phones find the app, as a phone gets them. */
import { isDeepStrictEqual } from 'node:util';
import type { AssociationFiles } from '../../apps/index.ts';
import type { Outgoing } from '../../lib/outgoing/index.ts';
import { type Outcome, ok, problem, unknown } from '../host.ts';
import { ask, roomFor } from './ask.ts';

const FILE_PATHS = {
  apple: '/.well-known/apple-app-site-association',
  android: '/.well-known/assetlinks.json',
} as const satisfies Record<keyof AssociationFiles, string>;
/** Apple’s limit of a file (developer.apple.com, Supporting associated domains). */
const MAX_APPLE_BYTES = 128 * 1024;
type FileName = keyof typeof FILE_PATHS;

export interface Served {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Null where no complete answer came. */
export type ServedFiles = Readonly<Record<FileName, Served | null>>;

/** @param outgoing that takes any certificate: another check judges it. @param expected what this service makes. */
export async function readServedFiles(
  outgoing: Pick<Outgoing, 'read'>,
  baseUrl: string,
  expected: AssociationFiles,
): Promise<ServedFiles> {
  const read = async (name: FileName): Promise<Served | null> => {
    const answer = await ask(outgoing, new URL(baseUrl).origin + FILE_PATHS[name], {
      maxBytes: roomFor(expected[name]),
      accept: 'application/json',
      keepHeaders: ['content-type'],
    });
    if (answer === null) return null;
    const { status, body, headers } = answer;
    return { status, body, type: headers?.['content-type'] ?? '' };
  };
  const [apple, android] = await Promise.all([read('apple'), read('android')]);
  return { apple, android };
}

export function judgeServedFiles(served: ServedFiles, expected: AssociationFiles): Outcome {
  const { apple, android } = served;
  if (apple === null || android === null) return unknown('An association file came with no complete answer.');
  const lines = Object.entries({ apple, android }).flatMap(([key, answer]) => {
    const name = key as FileName;
    const isTooLarge = name === 'apple' && Buffer.byteLength(answer.body) > MAX_APPLE_BYTES;
    const fault = isTooLarge ? 'has more than the 128 KiB that Apple reads' : faultOf(answer, expected[name]);
    return fault === null ? [] : [`${FILE_PATHS[name]} ${fault}`];
  });
  if (lines.length === 0) return ok('Both association files are served as this service makes them.');
  return problem(
    `${lines.join(', and ')}.`,
    'Let the proxy or CDN in front pass both files on from this service: with status 200, without a redirect and without an old copy.',
  );
}

function faultOf({ status, type, body }: Served, expected: Buffer): string | null {
  if (status >= 300 && status < 400) return 'redirects, which neither Apple nor Google follows';
  if (status !== 200) return `has status ${status}`;
  const differs = 'differs from what this service makes for the host';
  // It was cut.
  if (Buffer.byteLength(body) >= roomFor(expected)) return differs;
  const parsed = parse(body);
  if (parsed === undefined) return 'is no JSON';
  if (!isDeepStrictEqual(parsed, parse(expected.toString()))) return differs;
  return /^application\/json\b/i.test(type) ? null : 'is not served as application/json';
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
