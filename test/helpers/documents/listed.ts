/**
 * Who runs the commands of pages. `test/document-commands.test.ts` checks that somebody runs each: a test that names its
 * page, or the one that is listed here with the block.
 */
import { type Block, commandsOf } from './blocks.ts';

interface Listed {
  readonly page: string;
  /** How the block begins. */
  readonly begin: string;
  readonly test: string;
  /** Why the test runs the same in its own words. Without, it runs the block as it is written, by `blocksFor`. */
  readonly because?: string;
}

const IMAGES = 'images come from a registry: the test runs its own by the same files and commands';
const CLUSTER = 'needs a cluster: the test checks the manifests against the types of its API';
const SYSTEMD = 'needs units that the reader writes';
const PACKAGES = 'packs and installs from the registry: the test packs the same packages';
const SOURCES = 'installs all packages';
const TESTS = 'runs tests';

export const LISTED: readonly Listed[] = [
  ...own('README.md', 'test/process/wrong-node.test.ts', SOURCES, ['npm ci && npm start']),
  ...own('CONTRIBUTING.md', 'test/run.ts', TESTS, [
    'npm exec -- node --test --test-global-setup',
    'npm exec -- node --test --test-concurrency=1',
  ]),

  ...own('docs/index.md', 'test/ship/image.test.ts', IMAGES, ['git clone']),
  { page: 'docs/index.md', begin: 'version=0.1.0 package', test: 'test/ship/debian.test.ts' },
  { page: 'docs/index.md', begin: 'version=0.1.0 file', test: 'test/ship/bundle.test.ts' },

  ...own('docs/guide/docker.md', 'test/ship/image.test.ts', IMAGES, [
    'echo DOMAIN',
    'docker run --detach',
    "printf '%s",
    'docker compose --file',
    'docker compose exec',
    'docker compose stop',
    'docker build',
  ]),
  ...own('docs/guide/kubernetes.md', 'test/deployment-files.test.ts', CLUSTER, [
    'kubectl apply --filename',
    'kubectl apply --kustomize',
  ]),

  ...['version=0.1.0 package', 'echo PUBLIC_URL', 'sudo throughline db backup', 'sudo systemctl restart'].map(
    (begin) => ({ page: 'docs/guide/debian.md', begin, test: 'test/ship/debian.test.ts' }),
  ),
  ...own('docs/guide/debian.md', 'test/ship/debian.test.ts', 'opens an editor: the test writes the file', [
    'sudo systemctl edit',
  ]),
  ...own('docs/guide/debian.md', 'test/ship/debian.test.ts', SOURCES, ['npm ci']),

  ...own('docs/guide/growing.md', 'test/heavy/shared-port.test.ts', SYSTEMD, ['systemctl enable']),
  { page: 'docs/guide/monitoring.md', begin: 'promtool check config', test: 'test/ship/monitoring.test.ts' },
  ...own('docs/guide/importing.md', 'test/engine/links/imports.test.ts', 'ends an import that runs', [
    'curl -X DELETE',
  ]),
  ...own('docs/guide/upgrading.md', 'test/engine/db/upgrade.test.ts', 'needs data from before an upgrade', [
    'npx throughline rollback',
  ]),
  ...own('docs/guide/citus.md', 'test/engine/db/citus-distribute.test.ts', 'needs a cluster', [
    'npx throughline db distribute',
  ]),
  ...own(
    'docs/guide/backup.md',
    'test/engine/db/backup-postgres.test.ts',
    'needs tools of the version of the server',
    ['pg_dump'],
  ),

  ...['select day,', 'select installs.campaignId', 'select installs.day'].map((begin) => ({
    page: 'docs/guide/warehouse.md',
    begin,
    test: 'test/heavy/warehouse.test.ts',
  })),
  ...own('docs/guide/warehouse.md', 'test/heavy/warehouse.test.ts', 'ClickHouse: run once by hand', [
    'select extract',
    'select campaignId',
    'create table installs',
  ]),
  ...own('docs/guide/warehouse.md', 'test/heavy/warehouse.test.ts', 'a line of cron', ['15 2']),

  ...own('packages/capacitor/README.md', 'test/packages.test.ts', PACKAGES, ['npm ci']),
  ...own('packages/react-native/README.md', 'test/react-native/expo.test.ts', PACKAGES, ['npm ci']),
  ...own('packages/react-native-ads/README.md', 'test/react-native/native-ads.test.ts', PACKAGES, ['npm ci']),
  ...own('packages/server/README.md', 'test/packages.test.ts', PACKAGES, ['npm install']),
  ...own('packages/conformance/README.md', 'test/process/conformance-command.test.ts', PACKAGES, [
    'npx @throughline/conformance',
  ]),
];

/** The commands of a page that a test of this page runs. */
export function runnable(page: string): readonly Block[] {
  return commandsOf(page).filter((block) => entriesOf(block).length === 0);
}

/** Blocks that a test runs as they are written, in the order of the list. */
export function blocksFor(test: string): readonly Block[] {
  return LISTED.filter((one) => one.test === test && one.because === undefined).map(
    (one) => commandsOf(one.page).find((block) => isOf(block, one)) as Block,
  );
}

export function entriesOf(block: Block): readonly Listed[] {
  return LISTED.filter((one) => isOf(block, one));
}

export function isOf({ page, text }: Block, one: Listed): boolean {
  return page === one.page && text.startsWith(one.begin);
}

function own(page: string, test: string, because: string, begins: readonly string[]): readonly Listed[] {
  return begins.map((begin) => ({ page, begin, test, because }));
}
