/**
 * `npm run sbom`: writes `sbom.cdx.json` into the bundle, in CycloneDX's format: the packages that the bundle contains, from
 * the lock file with their hashes. Two runs write the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}

interface Bom {
  serialNumber?: string;
  metadata: { timestamp?: string; component: Component & { name: string; type: string } };
  components: readonly Component[];
  dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const ROOT = join(import.meta.dirname, '..');
const FOLDER = process.argv[2] ?? join(ROOT, 'build/throughline');

const HEADING = /(?:^Throughline contains these packages\.|^-{80})\n\n(\S+) (\S+), /gm;

/** The packages of THIRD-PARTY-LICENSES.txt, as name@version. */
export function bundledPackages(licences: string): ReadonlySet<string> {
  return new Set([...licences.matchAll(HEADING)].map(([, name, version]) => `${name}@${version}`));
}

/** The part of the lock file's bill that is in the bundle, without the time and number of this run. */
export function billOfBundle(bom: Bom, bundled: ReadonlySet<string>): Bom {
  const { serialNumber: _number, ...rest } = bom;
  const { timestamp: _timestamp, component, ...metadata } = bom.metadata;
  const components = bom.components.filter(({ name, version }) => bundled.has(`${name}@${version}`));
  const kept = new Set([component['bom-ref'], ...components.map((each) => each['bom-ref'])]);
  return {
    ...rest,
    metadata: { ...metadata, component: { ...component, name: 'throughline', type: 'application' } },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) })),
  };
}

if (import.meta.main) {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const bom = JSON.parse(
    execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 }),
  ) as Bom;
  const bundled = bundledPackages(readFileSync(join(FOLDER, 'THIRD-PARTY-LICENSES.txt'), 'utf8'));
  writeFileSync(join(FOLDER, 'sbom.cdx.json'), `${JSON.stringify(billOfBundle(bom, bundled), null, 2)}\n`);
}
