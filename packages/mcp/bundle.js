/** Makes `dist/main.js`, one file without dependencies, and the licences of what is in it. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({ input: 'src/main.ts', platform: 'node', logLevel: 'warn' });
const { output } = await bundle.write({ file: 'dist/main.js', format: 'esm', codeSplitting: false });
await bundle.close();

const packages = new Set(
  output
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
);
const licences = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? '' : `\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
});
writeFileSync('dist/LICENSES.txt', licences.join('\n----\n\n'));
