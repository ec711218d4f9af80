import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readPage } from './page.ts';

const AT = 'https://go.example/dir/page';

it('a page is read for its card: Open Graph first, then Twitter’s tags and the title', () => {
  const cardOf = (html: string) => readPage(html, AT).card;
  assert.deepEqual(
    cardOf(
      `<title>Tab</title><meta content='Sch&ouml;n &amp; "gut"' property=og:title><META NAME="description" CONTENT="a\nb"><meta property="og:image" content="/a.png">`,
    ),
    { title: 'Schön & "gut"', description: 'a b', image: 'https://go.example/a.png' },
  );
  assert.deepEqual(cardOf('<title> Tab &lt;1&gt; </title><svg><title>Icon</title></svg>'), {
    title: 'Tab <1>',
    description: null,
    image: null,
  });
  assert.equal(
    cardOf('<meta name="twitter:title" content="T"><meta property="og:title" content="">').title,
    'T',
  );
  assert.deepEqual(cardOf('{"no":"page"}'), { title: null, description: null, image: null });
});

it('a page’s own redirect is found in every spelling of the tag', () => {
  for (const content of ['0;url=../next', "0; URL='../next'", '0.5, url = "../next"', ' 3 ; ../next'])
    assert.equal(
      readPage(`<meta http-equiv=Refresh content="${content.replaceAll('"', '&quot;')}">`, AT).refresh,
      'https://go.example/next',
      content,
    );
  for (const content of ['30', '', 'url'])
    assert.equal(readPage(`<meta http-equiv="refresh" content="${content}">`, AT).refresh, null, content);
});

it('the addresses that a page names are found in links and in scripts, and are bounded', () => {
  const html = `<a href="https://shop.example/a?b=1&amp;c=2">x</a>
    <script>var u = "https:\\/\\/apps.apple.com\\/app\\/id1"; location = 'market://details?id=com.shop';</script>`;
  assert.deepEqual(readPage(html, AT).addresses, [
    'https://shop.example/a?b=1&c=2',
    'https://apps.apple.com/app/id1',
    'market://details?id=com.shop',
  ]);
  const many = Array.from({ length: 1_000 }, (_none, index) => `https://a.example/${index}`).join(' ');
  assert.equal(readPage(many, AT).addresses.length, 200);
});
