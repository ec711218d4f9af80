/** Which licences the bundle may contain, and the file that repeats their texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Licensed {
  readonly name: string;
  readonly version: string;
  /** As package.json has it. */
  readonly identifier?: string;
  readonly text?: string;
}

/** All of them let a service be passed on with their text; none asks for its source. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);
/** How packages write an identifier in words. */
const IN_WORDS = /^SEE LICENSE IN \S+ \((.*)\)$/;
/** A text, not a link to one. */
const IN_README = /^#+ licen[cs]e\s+((?:.*\n)*?Permission [\s\S]*)/im;
const TEXT_FILE = /^(?:licen[cs]e|copying|\w+-licen[cs]e)(?:\.\w+)?$/i;

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the “Software”), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED “AS IS”, WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** @param moduleIds paths of the bundled files. */
export function packagesOf(moduleIds: readonly string[]): Licensed[] {
  const folders = moduleIds.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  return [...new Set(folders)].map(readPackage);
}

/** @param folder of an installed package. */
export function readPackage(folder: string): Licensed {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder);
  const read = (pattern: RegExp) =>
    files
      .filter((file) => pattern.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim())[0];
  const text =
    read(TEXT_FILE) ??
    IN_README.exec(read(/^readme\.md$/i) ?? '')?.[1] ??
    ofAuthor(license, author?.name ?? author);
  return { name, version, identifier: license, ...(text !== undefined && { text }) };
}

/** Some packages name their licence and its holder only. */
function ofAuthor(identifier: string, author: string | undefined): string | undefined {
  return identifier === 'MIT' && author !== undefined
    ? `MIT License\n\nCopyright (c) ${author}\n\n${MIT}`
    : undefined;
}

/** @returns what is wrong with the licences; empty if all packages may be bundled. */
export function refusalsOf(packages: readonly Licensed[]): string[] {
  return packages.flatMap(({ name, version, identifier, text }) => {
    const refusal = refusalOf(identifier, text);
    return refusal === null ? [] : [`${name} ${version} ${refusal}`];
  });
}

function refusalOf(identifier: string | undefined, text: string | undefined): string | null {
  if (identifier === undefined) return 'names no licence';
  if (!isAllowed(IN_WORDS.exec(identifier)?.[1] ?? identifier))
    return `has the licence ${identifier}, which is not among those that the bundle may contain`;
  return text === undefined ? 'comes without the text of its licence' : null;
}

/** Of `A OR B` one is enough. */
function isAllowed(identifier: string): boolean {
  return identifier
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((each) => ALLOWED.has(each));
}

/** The text of THIRD-PARTY-LICENSES.txt: each package once, by name. */
export function licencesText(packages: readonly Licensed[]): string {
  const byKey = new Map(packages.map((each) => [`${each.name} ${each.version}`, each]));
  const parts = [...byKey.keys()].sort().map((key) => {
    const { identifier, text } = byKey.get(key) as Licensed;
    return `${key}, ${identifier}\n\n${text}\n`;
  });
  return `Throughline contains these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
