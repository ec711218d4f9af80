/** `llms.txt`, as llmstxt.org describes it: what there is to read, for assistants and other programs. */
import { readOrNull, readParts } from './files.ts';
import { titleOf } from './page.ts';

/** @param publicUrl where the documents are. @returns a function that makes the list at its first call. */
export function listForPrograms(publicUrl: string): () => Promise<string> {
  let made: Promise<string> | undefined;
  return async () => {
    made ??= makeList(publicUrl);
    return await made;
  };
}

async function makeList(publicUrl: string): Promise<string> {
  const parts = (await readParts()).map(async ({ name, paths }) => {
    const items = paths.map(async (path) => {
      const markdown = (await readOrNull(path))?.toString('utf8') ?? '';
      const about = firstSentenceOf(markdown);
      const item = `- [${titleOf(path, markdown)}](${publicUrl}/docs/${path})`;
      return about === null ? item : `${item}: ${about}`;
    });
    return `## ${name}\n\n${(await Promise.all(items)).join('\n')}\n`;
  });
  return `# Throughline

> Mobile attribution and deep links that a team runs itself: short links that open apps, and the reason why each install came.

The documents of this version, as Markdown. A page for people has the same address without \`.md\`. The API is also an [OpenAPI document](${publicUrl}/openapi.json).

${(await Promise.all(parts)).join('\n')}`;
}

/** Of the paragraph below the title, without its links; null if a table, list or heading follows the title. */
function firstSentenceOf(markdown: string): string | null {
  const [, paragraph = ''] = /^# .*\n\n([A-Z`*].*)/.exec(markdown) ?? [];
  const text = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '');
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? null;
}
