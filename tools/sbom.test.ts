import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { billOfBundle, bundledPackages } from './sbom.ts';

const component = (ref: string) => {
  const [name = '', version = ''] = ref.split('@');
  return { 'bom-ref': ref, name, version, type: 'library' };
};

describe('the bill of materials', () => {
  it('has the packages of the bundle only, and nothing of the run that made it', () => {
    const bom = {
      serialNumber: 'urn:uuid:1',
      metadata: { timestamp: '2026-11-26T00:00:00Z', component: component('folder@0.1.0') },
      components: [component('fastify@5.0.0'), component('fastify@4.0.0'), component('rolldown@1.0.0')],
      dependencies: [
        { ref: 'folder@0.1.0', dependsOn: ['fastify@5.0.0', 'rolldown@1.0.0'] },
        { ref: 'rolldown@1.0.0', dependsOn: [] },
      ],
    };
    assert.deepEqual(billOfBundle(bom, new Set(['fastify@5.0.0'])), {
      metadata: { component: { ...component('folder@0.1.0'), name: 'throughline', type: 'application' } },
      components: [component('fastify@5.0.0')],
      dependencies: [{ ref: 'folder@0.1.0', dependsOn: ['fastify@5.0.0'] }],
    });
  });

  it('takes packages from the headings of the licences, and nothing from their texts', () => {
    const line = '-'.repeat(80);
    const licences = `Throughline contains these packages.\n\n@a/b 1.2.3, MIT\n\nCopyright 2010, 2011, C. W.\n\n${line}\n\nc 4.0.0-rc.1, ISC\n\ntext\n`;
    assert.deepEqual([...bundledPackages(licences)], ['@a/b@1.2.3', 'c@4.0.0-rc.1']);
  });
});
