/**
 * The next version of the program, for `--import`: the same sources with a version of its own and one more migration, by
 * `NEXT_MIGRATION` (a statement for each line; `--` and milliseconds: a pause).
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

export const NEXT_VERSION = '7.0.0';
const NEXT_NAME = '9999_next';

if (process.env.NEXT_MIGRATION !== undefined)
  registerHooks({
    load(url, context, nextLoad) {
      const source = rewritten(url, process.env.NEXT_MIGRATION ?? '');
      return source === null
        ? nextLoad(url, context)
        : { format: 'module-typescript', source, shortCircuit: true };
    },
  });

function rewritten(url: string, statements: string): string | null {
  if (url.endsWith('/src/lib/version.ts')) return `export const VERSION = '${NEXT_VERSION}';`;
  if (!url.endsWith('/migrations/index.ts')) return null;
  const up = `async (db) => {
    for (const statement of ${JSON.stringify(statements.split('\n'))}) {
      if (statement.startsWith('--')) await new Promise((resolve) => setTimeout(resolve, Number(statement.slice(2))));
      else await nextSql.raw(statement).execute(db);
    }
  }`;
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return `import { sql as nextSql } from 'kysely';\n${text.replace(/\}\);\n*$/, `'${NEXT_NAME}': { up: ${up} },\n});\n`)}`;
}
