/** The clients check on the phone what the service would refuse. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LinkError, type NewLink } from '../../../packages/core/src/index.ts';
import { toFields } from '../../../packages/core/src/link-fields.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { newInstall, newSharingApp, share } from '../../helpers/share-links.ts';
import { useWorld } from '../../helpers/world.ts';

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;
const sized = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

const ACCEPTED: readonly Partial<NewLink>[] = [
  ...['/', 'a', 'ä'.repeat(2_048), '/a b', '/a:b', '/a/b:c', '?a:b', '#x', '/a\\b', '/a//b', '/a%5c'].map(
    (deepLinkPath) => ({ deepLinkPath }),
  ),
  ...[{}, { a: [null, { b: 'ä' }] }, sized(16 * 1024), nested(63)].map((deepLinkParams) => ({
    deepLinkParams,
  })),
  { ogTitle: '😀'.repeat(255), ogDescription: '😀'.repeat(1_000), campaignId: 'c'.repeat(255) },
  ...['https://a.example', 'HTTP://a.example/b?c#d', `https://a.example/${'x'.repeat(2_030)}`].map(
    (ogImage) => ({ ogImage }),
  ),
];
const REFUSED: readonly object[] = [
  ...[null, '', 7, 'x'.repeat(2_049), 'a\0', '\ud800', '/a\n', '/a\u0085', '\u00a0/a', ' /a', '\t/a'].map(
    (deepLinkPath) => ({ deepLinkPath }),
  ),
  ...[
    'javascript:alert(1)',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil',
    '\\a',
  ].map((deepLinkPath) => ({ deepLinkPath })),
  ...[[], 'a', 1, { a: '\0' }, { a: '\udc00' }, sized(16 * 1024 + 1), nested(64)].map((deepLinkParams) => ({
    deepLinkParams,
  })),
  ...['', 'x'.repeat(256), {}].flatMap((text) => [{ ogTitle: text }, { campaignId: text }]),
  ...['', 'x'.repeat(1_001)].map((ogDescription) => ({ ogDescription })),
  ...[
    '',
    'a.png',
    'javascript:alert(1)',
    'data:,',
    'https://',
    'https://a b',
    `https://a/${'x'.repeat(2_048)}`,
  ].map((ogImage) => ({ ogImage })),
  { iosDestination: 'https://apps.apple.com/app/id1' },
  { metadata: {} },
];

for (const engine of neutralEngines)
  describe(`the bounds of links in @throughline/core, on ${engine}`, () => {
    const world = useWorld(engine);

    async function answerOf(fields: object): Promise<number> {
      app ??= newSharingApp(world, { allowCampaignId: true, perInstallPerDay: 10_000 });
      installId ??= app.then((known) => newInstall(world, known));
      return (await share(world, await app, { installId: await installId, ...fields })).status;
    }
    let app: ReturnType<typeof newSharingApp> | undefined;
    let installId: Promise<string> | undefined;

    it('are not tighter than those of the service', async () => {
      for (const fields of ACCEPTED) {
        const link = { deepLinkPath: '/a', ...fields };
        assert.doesNotThrow(() => toFields(link), show(link));
        assert.ok([200, 201].includes(await answerOf(link)), show(link));
      }
    });

    it('are not wider than those of the service', async () => {
      for (const fields of REFUSED) {
        const link = { deepLinkPath: '/a', ...fields };
        assert.throws(() => toFields(link as NewLink), LinkError, show(link));
        assert.equal(await answerOf(link), 400, show(link));
      }
    });
  });

function show(link: object): string {
  return JSON.stringify(link).slice(0, 200);
}
