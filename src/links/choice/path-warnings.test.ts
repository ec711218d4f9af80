import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { warningsOf } from './path-warnings.ts';

describe('warnings about paths that an app is to open', () => {
  it('a path of a rule is warned about as that of the link, and is named', () => {
    const rule = (deepLinkPath: string) => ({ when: {}, then: { deepLinkPath } });
    const { warnings = [] } = warningsOf({
      deepLinkPath: '/a b',
      rules: [rule('/fine'), rule('https://example.com/a b')],
    });
    assert.deepEqual(
      warnings.map(({ code, message }) => [code, message.split(' ')[0]]),
      [
        ['path.has_space', 'deepLinkPath'],
        ['path.is_url', 'rules/1/then/deepLinkPath'],
        ['path.has_space', 'rules/1/then/deepLinkPath'],
      ],
    );
    assert.deepEqual(warningsOf({ rules: [{ when: {}, then: { campaignId: 'a b' } }] }), {});
    assert.deepEqual(warningsOf({ rules: null }), {});
  });
});
