import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { App, DiagnosisFinding } from '@generated/types.gen.ts';
import { type Step, stepsOf } from './steps.ts';

/** Every code that the service documents. */
const CODES = (
  JSON.parse(readFileSync(new URL('../../../../docs/api/openapi.json', import.meta.url), 'utf8')) as {
    components: { schemas: { DiagnosisFinding: { properties: { code: { enum: string[] } } } } };
  }
).components.schemas.DiagnosisFinding.properties.code.enum as DiagnosisFinding['code'][];
/** Of one link alone, or never more than a hint. */
const NO_STEP = /^(?:expiry|sandbox|card|scheme|rule)\.|^destination\.others_missing$/;

const app = {
  ...{ iosDestination: 'https://apps.apple.com/app/id1', iosAppStoreId: '1' },
  ...{ androidDestination: 'https://play.google.com/store/apps/details?id=a', androidPackage: 'a' },
  ...{ iosBundleId: 'a', iosTeamId: 'b', androidCertFingerprints: ['AA'] },
} as unknown as App;

function openSteps(findings: readonly DiagnosisFinding[] | null, clicks = 1): Step[] {
  const firsts = {
    hasLink: findings !== null,
    linkName: '/a',
    clicks,
    installs: 1,
    installId: 'i',
    hasEvent: true,
  };
  return stepsOf(app, { ...firsts, findings }).filter(({ state }) => state !== 'done');
}

function finding(code: DiagnosisFinding['code'], severity: DiagnosisFinding['severity']): DiagnosisFinding {
  return { code, severity, message: `Found ${code}.`, mend: 'Mend it.' };
}

describe('set-up', () => {
  it('ticks everything if all is there and the diagnosis finds nothing', () => {
    assert.deepEqual(openSteps([]), []);
    assert.deepEqual(openSteps(CODES.map((code) => finding(code, 'info'))), []);
  });

  for (const code of CODES.filter((each) => !NO_STEP.test(each)))
    it(`leaves a step open that ${code} is about, and says why in the diagnosis’ words`, () => {
      for (const severity of ['error', 'warning'] as const) {
        const open = openSteps([finding(code, severity)]);
        assert.ok(open.length > 0);
        for (const { text } of open) assert.equal(text, `Found ${code}. Mend it.`);
      }
    });

  it('what no phone can do is open for iPhones and Android phones', () => {
    assert.deepEqual(
      openSteps([finding('host.not_public', 'error')]).map(({ name, state }) => [name, state]),
      [
        ['iPhones open the app by its links', 'mend'],
        ['Android phones open the app by its links', 'mend'],
      ],
    );
  });

  it('ticks nothing that only a diagnosis can tell before there is a link', () => {
    const open = openSteps(null, 0).map(({ text, state }) => `${state}: ${text}`);
    assert.equal(open.filter((each) => each === 'waiting: Checked with the first link.').length, 4);
    assert.ok(open.includes('next: Write the path of a screen of the app.'), String(open));
  });
});
