/**
 * Verification of postbacks on one core, in this process: ours, from the JSON text to the verdict, compared with bare
 * `crypto.verify` of the same signed bytes.
 */
import { verify } from 'node:crypto';
import {
  type AppleKeys,
  type Kind,
  publishedKeys,
  signedFieldsOf,
  verifyPostback,
} from '../../src/skadnetwork/verification/index.ts';
import { ADATTRIBUTIONKIT_VECTOR, SKADNETWORK_VECTORS } from '../../test/fixtures/postbacks.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import { idleNote, machine, medianRate, seconds, spread, table, whole } from '../lib/markdown.ts';

const FULL = { rounds: 5, measureMs: 3_000 };
const QUICK = { rounds: 2, measureMs: 300 };
/** Verifications between two reads of the clock. */
const BATCH = 50;

interface Verifier {
  /** False for an invalid signature. */
  run(): boolean | Promise<boolean>;
}

interface Comparison {
  readonly name: string;
  readonly ours: Verifier;
  readonly bare: Verifier;
  readonly rounds: { readonly ours: number; readonly bare: number; readonly wasIdle: boolean }[];
}

export async function benchPostbacks({ isQuick }: { isQuick: boolean }): Promise<string> {
  const { rounds, measureMs } = isQuick ? QUICK : FULL;
  const comparisons = buildComparisons(publishedKeys());
  for (let round = 0; round <= rounds; round++) {
    console.error(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
    for (const comparison of comparisons) {
      const wasIdle = await waitForIdleMachine();
      // Alternates the order, because the second one finds warm caches.
      const [first, second] = round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const);
      const perSecond = { ours: 0, bare: 0 };
      for (const side of [first, second]) perSecond[side] = await measure(comparison[side], measureMs);
      console.error(`  ${comparison.name}: ${whole(perSecond.ours)}/s, bare ${whole(perSecond.bare)}/s`);
      if (round > 0) comparison.rounds.push({ ...perSecond, wasIdle });
    }
  }
  return report(comparisons, { rounds, measureMs });
}

/** Versions signed with P-256, which current phones send. */
function buildComparisons(keys: AppleKeys): Comparison[] {
  const skadnetwork = Object.entries(SKADNETWORK_VECTORS).filter(([name]) => !/^(1|2\.0)/.test(name));
  return [
    {
      name: `SKAdNetwork, ${skadnetwork.length} postbacks of 2.1 to 4.0`,
      ours: oursOf(
        keys,
        'skadnetwork',
        skadnetwork.map(([, text]) => text),
      ),
      bare: bareSkadnetwork(
        keys,
        skadnetwork.map(([, text]) => text),
      ),
      rounds: [],
    },
    {
      name: 'AdAttributionKit, one postback',
      ours: oursOf(keys, 'adattributionkit', [ADATTRIBUTIONKIT_VECTOR]),
      bare: bareJws(keys),
      rounds: [],
    },
  ];
}

function oursOf(keys: AppleKeys, kind: Kind, texts: readonly string[]): Verifier {
  let next = 0;
  return {
    async run() {
      const text = texts[next++ % texts.length] ?? '';
      return (await verifyPostback(keys, kind, JSON.parse(text))).verdict === 'verified';
    },
  };
}

function bareSkadnetwork(keys: AppleKeys, texts: readonly string[]): Verifier {
  const key = keys.p256();
  const signed = texts.map((text) => {
    const fields = JSON.parse(text) as Record<string, unknown>;
    const values = signedFieldsOf(String(fields.version)).map((name) => fields[name]);
    return {
      bytes: Buffer.from(values.filter((value) => value !== undefined).join('\u2063')),
      signature: Buffer.from(String(fields['attribution-signature']), 'base64'),
    };
  });
  let next = 0;
  return {
    run() {
      const { bytes = Buffer.alloc(0), signature = bytes } = signed[next++ % signed.length] ?? {};
      return verify('sha256', bytes, key, signature);
    },
  };
}

function bareJws(keys: AppleKeys): Verifier {
  const jws = String(JSON.parse(ADATTRIBUTIONKIT_VECTOR)['jws-string']);
  const [header = '', payload, signature = ''] = jws.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const key = keys.byKid.get(kid)?.key;
  if (key === undefined) throw new Error(`unknown key ${kid}`);
  const bytes = Buffer.from(`${header}.${payload}`);
  const raw = Buffer.from(signature, 'base64url');
  return { run: () => verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, raw) };
}

/** @returns verifications per second. */
async function measure(verifier: Verifier, measureMs: number): Promise<number> {
  const startMs = performance.now();
  let verified = 0;
  let tookMs = 0;
  while (tookMs < measureMs) {
    for (let count = 0; count < BATCH; count++)
      if (!(await verifier.run())) throw new Error('a valid postback was not verified');
    verified += BATCH;
    tookMs = performance.now() - startMs;
  }
  return (verified / tookMs) * 1_000;
}

function report(comparisons: readonly Comparison[], { rounds, measureMs }: typeof FULL): string {
  return `${[
    machine('not used'),
    [
      'Verification of postbacks on one core, sequentially: ours from the JSON text to the verdict, and bare `crypto.verify` of the same bytes, in turn;',
      `${rounds} rounds of ${seconds(measureMs)} each; medians, lowest and highest ratio in brackets.`,
      idleNote(comparisons.flatMap((comparison) => comparison.rounds)),
    ].join('\n'),
    table(['Postbacks', 'Ours / bare', 'Ours', 'Bare'], comparisons.map(line)),
    'The target is 3,000 per second.',
  ].join('\n\n')}\n`;
}

function line({ name, rounds }: Comparison): string[] {
  return [
    name,
    spread(rounds.map(({ ours, bare }) => ours / bare)),
    medianRate(rounds.map(({ ours }) => ours)),
    medianRate(rounds.map(({ bare }) => bare)),
  ];
}
