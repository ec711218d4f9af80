import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Link } from '@generated/types.gen.ts';
import { parseDocument } from 'htmlparser2';
import { HOSTILE_TEXTS } from '../../../../../test/fixtures/hostile-texts.ts';
import { type Look, moduleSnippet, scriptSnippet, targetOf } from './web-snippets.ts';

const LOOK: Look = {
  ...{ title: 'Shop', text: '', button: 'Open', close: 'Close', language: 'en' },
  ...{ position: 'bottom', color: '#006882', theme: 'auto' },
};
const TARGET = { base: 'https://go.example.com', code: 'autumn', passPath: false };

describe('the code for a web page', () => {
  it('names the link by its code, or by its path at a host of the app’s own', () => {
    const link = { shortCode: 'autumn', path: 'summer/sale', passPath: true } as Link;
    for (const [shortUrl, base, code] of [
      ['https://go.example.com/l/autumn', 'https://go.example.com', 'autumn'],
      ['https://example.com/tools/l/autumn', 'https://example.com/tools', 'autumn'],
      ['https://shop.example.com/summer/sale', 'https://shop.example.com', '/summer/sale'],
      ['https://shop.example.com/go/summer/sale', 'https://shop.example.com/go', '/summer/sale'],
    ] as const)
      assert.deepEqual(targetOf({ ...link, shortUrl }), { base, code, passPath: true });
  });

  it('has the options that differ from the usual', () => {
    assert.equal(
      scriptSnippet(TARGET, LOOK),
      '<script src="https://go.example.com/sdk/web.js" defer\n  data-code="autumn" data-title="Shop"></script>',
    );
    assert.match(
      scriptSnippet({ ...TARGET, passPath: true }, { ...LOOK, position: 'pill', theme: 'dark' }),
      /data-title="Shop" data-position="pill" data-theme="dark" data-deep-link-path><\/script>$/,
    );
    assert.equal(
      moduleSnippet({ ...TARGET, passPath: true }, { ...LOOK, color: '#cc0000' }),
      `import { createWeb } from '@throughline/web';

const web = createWeb({ host: 'go.example.com' });
web.banner({
  code: 'autumn',
  title: 'Shop',
  color: '#cc0000',
  deepLinkPath: () => location.pathname,
});`,
    );
  });

  it('keeps hostile texts as texts', () => {
    for (const text of HOSTILE_TEXTS.filter((each) => !/[\r\n\u2028]/.test(each))) {
      const [script, ...others] = parseDocument(scriptSnippet(TARGET, { ...LOOK, title: text })).childNodes;
      assert.equal(others.length, 0);
      assert.equal((script as unknown as { attribs: Record<string, string> }).attribs['data-title'], text);
      const [, title = ''] = /title: (.*),\n/.exec(moduleSnippet(TARGET, { ...LOOK, title: text })) ?? [];
      assert.equal(new Function(`return ${title}`)(), text);
    }
  });
});
