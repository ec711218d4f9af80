/** Takes the code out of the page, so that it is compiled as readers paste it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, HERE } from './paths.js';

/** What the statements of the page speak of. */
const KOTLIN_AROUND = 'throughline: Throughline, scope: CoroutineScope, activity: Activity';

/**
 * A block that begins with imports or a class stands as it is; others are statements of a function.
 * @returns the files for the compilers.
 */
export function readSnippets() {
  const page = readFileSync(join(HERE, 'README.md'), 'utf8');
  const folder = join(DIST, 'page');
  mkdirSync(folder, { recursive: true });
  const kotlin = join(folder, 'Page.kt');
  writeFileSync(kotlin, kotlinFile(blocksOf(page, 'kotlin')));
  const java = join(folder, 'ShopApp.java');
  writeFileSync(java, `package page;\n\n${blocksOf(page, 'java').join('\n')}`);
  return { kotlin, java };
}

function blocksOf(page, language) {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code]) => code,
  );
  if (blocks.length === 0) throw new Error(`README.md has no code in ${language}.`);
  return blocks;
}

function kotlinFile(blocks) {
  const code = blocks.join('\n');
  const imports = [...code.matchAll(/^import .*$/gm)].map(([line]) => line);
  const known = ['android.app.Activity', 'dev.throughline.*', 'kotlinx.coroutines.*'].map(
    (name) => `import ${name}`,
  );
  const bodies = blocks.map((block, at) => {
    const own = block.replaceAll(/^import .*\n/gm, '');
    if (/^(class|fun) /m.test(own)) return own;
    return `suspend fun block${at}(${KOTLIN_AROUND}) {\n${own}}\n`;
  });
  const header = '@file:Suppress("UNUSED_PARAMETER", "UNUSED_VARIABLE")\npackage page.kotlin\n';
  return `${header}${[...new Set([...imports, ...known])].join('\n')}\n${bodies.join('\n')}`;
}
