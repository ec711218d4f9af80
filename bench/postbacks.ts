/**
 * What the verification of a postback costs on one core: ours, from its JSON text to the verdict, and bare
 * `crypto.verify` of the same signed bytes, in turn, in this process.
 */
import { verify } from 'node:crypto';
import {
  type AppleKeys,
  type Kind,
  publishedKeys,
  signedFieldsOf,
  verifyPostback,
} from '../src/skan/verification/index.ts';
import { ADATTRIBUTIONKIT_VECTOR, SKADNETWORK_VECTORS } from '../test/fixtures/postbacks.ts';
import { machine, median, quietness, seconds, spread, table, whole } from './markdown.ts';
import { say } from './progress.ts';
import { machineIsQuiet } from './quiet.ts';

const FULL = { rounds: 5, measureMs: 3_000 };
const QUICK = { rounds: 2, measureMs: 300 };
/** Verifications between two looks at the clock. */
const AT_ONCE = 50;

interface Side {
  /** False where a signature is not genuine: then nothing was measured. */
  run(): boolean | Promise<boolean>;
}

interface Contest {
  readonly name: string;
  readonly ours: Side;
  readonly bare: Side;
  readonly rounds: { readonly ours: number; readonly bare: number; readonly beganQuiet: boolean }[];
}

export async function benchPostbacks({ isQuick }: { isQuick: boolean }): Promise<string> {
  const { rounds, measureMs } = isQuick ? QUICK : FULL;
  const contests = contestsOf(publishedKeys());
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
    for (const contest of contests) {
      const beganQuiet = await machineIsQuiet();
      // Whoever is second has the machine warm.
      const [first, second] = round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const);
      const perSecond = { ours: 0, bare: 0 };
      for (const side of [first, second]) perSecond[side] = await measure(contest[side], measureMs);
      say(`  ${contest.name}: ${whole(perSecond.ours)}/s, bare ${whole(perSecond.bare)}/s`);
      if (round > 0) contest.rounds.push({ ...perSecond, beganQuiet });
    }
  }
  return report(contests, { rounds, measureMs });
}

/** The versions that are signed with P-256, which are those that phones send today. */
function contestsOf(keys: AppleKeys): Contest[] {
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

function oursOf(keys: AppleKeys, kind: Kind, texts: readonly string[]): Side {
  let turn = 0;
  return {
    async run() {
      const text = texts[turn++ % texts.length] ?? '';
      return (await verifyPostback(keys, kind, JSON.parse(text))).verdict === 'verified';
    },
  };
}

function bareSkadnetwork(keys: AppleKeys, texts: readonly string[]): Side {
  const key = keys.p256();
  const signed = texts.map((text) => {
    const fields = JSON.parse(text) as Record<string, unknown>;
    const values = signedFieldsOf(String(fields.version)).map((name) => fields[name]);
    return {
      bytes: Buffer.from(values.filter((value) => value !== undefined).join('\u2063')),
      signature: Buffer.from(String(fields['attribution-signature']), 'base64'),
    };
  });
  let turn = 0;
  return {
    run() {
      const { bytes = Buffer.alloc(0), signature = bytes } = signed[turn++ % signed.length] ?? {};
      return verify('sha256', bytes, key, signature);
    },
  };
}

function bareJws(keys: AppleKeys): Side {
  const jws = String(JSON.parse(ADATTRIBUTIONKIT_VECTOR)['jws-string']);
  const [header = '', payload, signature = ''] = jws.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const key = keys.byKid.get(kid)?.key;
  if (key === undefined) throw new Error(`no key is known as ${kid}`);
  const bytes = Buffer.from(`${header}.${payload}`);
  const raw = Buffer.from(signature, 'base64url');
  return { run: () => verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, raw) };
}

/** One after the other. @returns how many a second. */
async function measure(side: Side, measureMs: number): Promise<number> {
  const startMs = performance.now();
  let verified = 0;
  let tookMs = 0;
  while (tookMs < measureMs) {
    for (let count = 0; count < AT_ONCE; count++)
      if (!(await side.run())) throw new Error('a genuine postback was not verified');
    verified += AT_ONCE;
    tookMs = performance.now() - startMs;
  }
  return (verified / tookMs) * 1_000;
}

function report(contests: readonly Contest[], { rounds, measureMs }: typeof FULL): string {
  return `${[
    machine('not used'),
    [
      'Verification of postbacks on one core, one after the other: ours from the JSON text to the verdict, and bare `crypto.verify` of the same bytes, in turn;',
      `${rounds} rounds of ${seconds(measureMs)} each; medians, lowest and highest ratio in brackets.`,
      quietness(contests.flatMap((contest) => contest.rounds)),
    ].join('\n'),
    table(['Postbacks', 'Ours / bare', 'Ours', 'Bare'], contests.map(line)),
    'The aim is 3,000 a second.',
  ].join('\n\n')}\n`;
}

function line({ name, rounds }: Contest): string[] {
  return [
    name,
    spread(rounds.map(({ ours, bare }) => ours / bare)),
    `${whole(median(rounds.map(({ ours }) => ours)))}/s`,
    `${whole(median(rounds.map(({ bare }) => bare)))}/s`,
  ];
}
