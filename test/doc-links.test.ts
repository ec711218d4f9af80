import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

const DOCUMENTS = globSync(['*.md', '{bench,docs}/**/*.md', '{packages,clients}/*/*.md']);

describe('links in documents', () => {
  for (const document of DOCUMENTS)
    it(`every relative link of ${document} leads to a file and a heading`, () => {
      const links = [...readFileSync(document, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)];
      const broken = links.map(([, link = '']) => link).filter((link) => !isFound(document, link));
      assert.deepEqual(broken, []);
    });

  it('every document that the source refers to exists', () => {
    const sources = [...globSync('{src,packages/*/src,bench,migrations,tools,test}/**/*.ts'), '.env.example'];
    const missing = sources.flatMap((source) =>
      [...readFileSync(source, 'utf8').matchAll(/(?<![\w/.])docs\/[\w/-]+\.md/g)]
        .filter(([path]) => !existsSync(path))
        .map(([path]) => `${source}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });
});

function isFound(document: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? document : join(dirname(document), path);
  if (!existsSync(target)) return false;
  return heading === undefined || statSync(target).isDirectory() || headingsOf(target).has(heading);
}

/** The anchors that GitHub gives to the headings of a document. */
function headingsOf(document: string): Set<string> {
  const headings = [...readFileSync(document, 'utf8').matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
