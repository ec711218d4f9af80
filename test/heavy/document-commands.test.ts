/** The commands of the guide as they are written, page by page, on a service like its reader's. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type Block, blockOf } from '../helpers/documents/blocks.ts';
import { runnable } from '../helpers/documents/listed.ts';
import { Scene } from '../helpers/documents/scene.ts';
import { type Ran, runBlocks } from '../helpers/documents/shell.ts';
import { CERTIFICATE } from '../helpers/documents/web.ts';
import { engines, makePlace } from '../helpers/engines.ts';

interface Page {
  /** Before the first command. */
  prepare?(scene: Scene, folder: string): Promise<void> | void;
  /** That the page takes for granted, beside those of the scene. */
  variables?(scene: Scene, folder: string): Record<string, string>;
  placeholders?(scene: Scene): readonly (readonly [written: string, value: string])[];
  check?(ran: readonly Ran[], folder: string): void;
}

const FINGERPRINTS = ['14:6D', 'AB:CD'].map((begin) => begin + ':01'.repeat(30));

/** Bodies that a page shows without a command. */
const BODIES = [
  ['docs/guide/http-destinations.md', '{\n  "type": "http"', '/v1/destinations'],
  ['docs/guide/links.md', '{ "fingerprint"', '/v1/sdk/install'],
] as const;

const PAGES: Readonly<Record<string, Page>> = {
  'docs/guide/abuse.md': {},
  'docs/guide/accounts.md': {
    async prepare(scene) {
      for (const email of ['owner@example.com', 'ada@example.com']) {
        const { url } = await scene.admin('POST', '/users/setup');
        const person = { email, name: 'Ada', password: 'a long enough password' };
        await scene.call('POST', '/v1/setup', { ...person, token: url.split('#')[1] });
      }
    },
  },
  'docs/guide/accuracy.md': {},
  'docs/guide/costs.md': {
    prepare(_scene, folder) {
      writeFileSync(join(folder, 'costs.csv'), blockOf('docs/guide/costs.md', 'date,').text);
    },
  },
  'docs/guide/destinations.md': {},
  'docs/guide/doctor.md': {
    variables: ({ url }) => ({ PUBLIC_URL: url, SHORT_LINK_URL: url }),
    check([ran]) {
      const { output = '', block } = ran ?? {};
      const shown = block?.shown?.text ?? '';
      for (const line of shown.split('\n'))
        assert.ok(withoutNumbers(output).includes(withoutNumbers(line)), line);
    },
  },
  'docs/guide/domain.md': {},
  'docs/guide/exports.md': {},
  'docs/guide/importing.md': {
    prepare(_scene, folder) {
      writeFileSync(
        join(folder, 'links.csv'),
        'Link,Destination URL\nhttps://bit.ly/summer,https://www.example.com/\n',
      );
    },
    placeholders: () => [
      ['/ID', '/$(curl -sS "$BASE/v1/imports" -H "X-Api-Key: $LIVE_KEY" | jq -r ".[0].id")'],
    ],
  },
  'docs/guide/links.md': {
    placeholders: () => [['14:6D:…,AB:CD:…', FINGERPRINTS.join(',')]],
  },
  'docs/guide/live.md': {
    check: ([stream]) => assert.match(stream?.output ?? '', /^event: heartbeat\nid: \S+\ndata: \{"at":/m),
  },
  'docs/guide/postbacks.md': {},
  'docs/guide/share-links.md': {},
  'docs/guide/statistics.md': {},
  'docs/guide/warehouse.md': {},
  'docs/guide/privacy.md': {},
  'docs/internals/visitors.md': {},
  'docs/import.md': {
    prepare({ web }, folder) {
      writeFileSync(join(folder, 'addresses.txt'), 'https://shoes.app.link/summer\n');
      const data = { $canonical_url: 'https://www.example.com/', $deeplink_path: 'summer' };
      web.hosts.set('api2.branch.io', () => ({ status: 200, body: { data } }));
      const link = { link: 'https://bit.ly/summer', long_url: 'https://www.example.com/' };
      web.hosts.set('api-ssl.bitly.com', () => ({ status: 200, body: { links: [link], pagination: {} } }));
    },
    check(_ran, folder) {
      assert.match(
        readFileSync(join(folder, 'links.ndjson'), 'utf8'),
        /^\{"data":.*"url":"https:[^\n]*\}\n$/,
      );
      assert.match(readFileSync(join(folder, 'links.json'), 'utf8'), /"links"/);
    },
  },
  // Last: what happens after it is sent to the hook.
  'docs/guide/webhooks.md': { placeholders: () => [['/services/…', '/services/T0/B0/none']] },
};

describe('the commands of a page succeed', { skip: !engines.includes('sqlite') }, () => {
  const scene = new Scene();
  before(() => scene.open('sqlite'));
  after(() => scene.remove());

  for (const [name, page] of Object.entries(PAGES)) it(name, () => run(name, page, scene));

  for (const [page, begin, path] of BODIES)
    it(`${path} takes the body of ${page}`, () =>
      scene.call('POST', path, JSON.parse(blockOf(page, begin).text.replaceAll('…', 'x'))));

  it('docs/guide/secrets.md', async (t) => {
    const control = createServer((_request, response) => {
      void scene
        .stop()
        .then(() => scene.start())
        .then(() => response.end());
    }).listen(0, '127.0.0.1');
    t.after(() => control.close());
    await once(control, 'listening');
    const { port } = control.address() as AddressInfo;
    await run(
      'docs/guide/secrets.md',
      {
        variables: () => ({ ON_RESTART: `http://127.0.0.1:${port}` }),
        placeholders: () => [
          ['npx throughline secret forget', 'until npx throughline secret forget; do sleep 2; done'],
        ],
      },
      scene,
    );
  });
});

describe('the commands of a move from another service succeed', {
  skip: !engines.includes('sqlite'),
}, () => {
  const scene = new Scene({ SHORT_LINK_URL: 'https://links.example.com' });
  before(() => scene.open('sqlite'));
  after(() => scene.remove());

  it('docs/guide/moving.md', () =>
    run(
      'docs/guide/moving.md',
      {
        prepare({ web }, folder) {
          web.hosts.set('www.example.com', () => ({ status: 200, body: 'Summer' }));
          web.hosts.set('go.example.com', (path) =>
            path.startsWith('/.well-known/')
              ? { status: 200, body: [] }
              : { status: 302, headers: { location: 'https://www.example.com/summer' } },
          );
          const destination = 'https://www.example.com/summer';
          writeFileSync(
            join(folder, 'links.csv'),
            `shortURL,originalURL\nhttps://go.example.com/summer,${destination}\n`,
          );
          writeFileSync(
            join(folder, 'firebase.csv'),
            `Short link,Deep link,Desktop fallback link\nhttps://go.example.com/summer,${destination},${destination}\n`,
          );
          writeFileSync(join(folder, 'authorities.pem'), CERTIFICATE);
        },
        variables: (_scene, folder) => ({
          NODE_OPTIONS: `--import ${new URL('../helpers/documents/hosts-preload.ts', import.meta.url)}`,
          NODE_EXTRA_CA_CERTS: join(folder, 'authorities.pem'),
          WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,203.0.113.0/24',
        }),
        placeholders: () => [
          [
            'APP=…',
            `APP=$(npx throughline apps list | jq -r '.[] | select(.shortLinkHost == "go.example.com").id')`,
          ],
          ['LIVE_KEY=…', 'LIVE_KEY=$(npx throughline keys create "$APP" live | jq -r .key)'],
          ['14:6D:…', FINGERPRINTS[0] ?? ''],
          ['--against-file links.csv', '--against-file firebase.csv'],
        ],
      },
      scene,
    ));
});

describe('the commands of operators of a database succeed', {
  skip: engines.length < 2,
}, () => {
  it('docs/guide/backup.md', async (t) => {
    const [backup, erase, move, back, ...others] = runnable('docs/guide/backup.md');
    assert.deepEqual(others, []);
    const scene = new Scene();
    const database = await makePlace('postgres', { isEmpty: true });
    t.after(() => database.remove());
    t.after(() => scene.remove());
    await scene.open('sqlite');
    await inFolder(scene, async (folder) => {
      const options = { cwd: folder, env: scene.env };
      writeFileSync(join(folder, 'erased-since.ndjson'), '{"userId":"user-4711"}\n{"userId":"user-4712"}');
      const ran = await runBlocks([backup, erase] as Block[], {
        ...options,
        placeholders: [['/backups/', `${folder}/`]],
      });
      assert.ok(existsSync(join(folder, '2026-11-21/throughline.db')));
      assert.doesNotMatch(ran[1]?.output ?? '', /NOT ERASED/);
      assert.equal(ran[1]?.output.match(/"requestIds"/g)?.length, 2);
      await scene.stop();
      const url = database.databaseUrl ?? '';
      await runBlocks([move as Block], {
        ...options,
        placeholders: [['postgres://throughline@localhost/throughline', url]],
      });
      const { dataDir } = scene.place;
      for (const name of readdirSync(dataDir).filter((each) => each.startsWith('throughline.db')))
        rmSync(join(dataDir, name));
      const SECRET_KEY = readFileSync(join(dataDir, 'secret-key'), 'utf8').trim();
      await runBlocks([back as Block], { ...options, env: { ...scene.env, DATABASE_URL: url, SECRET_KEY } });
      assert.ok(existsSync(join(dataDir, 'throughline.db')));
    });
  });

  it('docs/guide/growing.md', async (t) => {
    const place = await makePlace('postgres');
    const client = new pg.Client(place.databaseUrl ?? '');
    await client.connect();
    const role = `throughline_${randomBytes(6).toString('hex')}`;
    await client.query(`create role ${role}`);
    t.after(async () => {
      await client.query(`drop role ${role}`);
      await client.end();
      await place.remove();
    });
    for (const { text } of runnable('docs/guide/growing.md'))
      await client.query(text.replaceAll('throughline', role));
    const { rows } = await client.query(`select rolconfig from pg_roles where rolname = '${role}'`);
    assert.equal(rows[0].rolconfig.length, 4);
  });
});

async function run(
  name: string,
  { prepare, variables, placeholders, check }: Page,
  scene: Scene,
): Promise<void> {
  await inFolder(scene, async (cwd) => {
    await prepare?.(scene, cwd);
    const ran = await runBlocks(runnable(name), {
      cwd,
      env: { ...scene.env, ...variables?.(scene, cwd) },
      placeholders: [['APP_ID', scene.appId], ...(placeholders?.(scene) ?? [])],
    });
    for (const each of ran) assertLikeShown(each);
    check?.(ran, cwd);
  });
}

/** Of the reader, where `data` is the service's. */
async function inFolder(scene: Scene, act: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-page-'));
  try {
    symlinkSync(scene.place.dataDir, join(folder, 'data'));
    await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const withoutNumbers = (text: string) => text.replaceAll(/\d[\d.]*/g, 'N');

/** JSON below a command has names that the answer has, in any order: pages leave some out. */
function assertLikeShown({ block, output }: Ran): void {
  if (block.shown?.language !== 'json') return;
  const answers = output.trim().split('\n');
  assert.deepEqual(missing(JSON.parse(block.shown.text), JSON.parse(answers[0] ?? '')), [], output);
}

function missing(shown: unknown, answer: unknown, path = ''): string[] {
  if (typeof shown !== 'object' || shown === null) return [];
  if (typeof answer !== 'object' || answer === null) return [path];
  return Object.entries(shown).flatMap(([name, value]) =>
    Object.hasOwn(answer, name)
      ? missing(value, (answer as Record<string, unknown>)[name], `${path}.${name}`)
      : [`${path}.${name}`],
  );
}
