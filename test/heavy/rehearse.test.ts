/** `throughline rehearse` against a stand-in for the old service, and the real service. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { makePlace, neutralEngines, type Place } from '../helpers/engines.ts';
import { type OldServiceStandIn, standInForOldService } from '../helpers/old-service-stand-in.ts';
import { callCommand, type RunningServer, startCommand, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';

const HOST = 'go.example.com';
const APP_STORE = 'https://apps.apple.com/app/id361309726';
const PLAY = 'https://play.google.com/store/apps/details?id=com.example.shop';
const SHOP = 'https://shop.example.com/sale';
const NOT_FOUND = 'https://shop.example.com/not-found';

const ENDED = { expiresAt: '2020-01-01T00:00:00.000Z', goneWhenExpired: true };

type Row = Record<string, string>;

for (const engine of neutralEngines)
  describe(`a rehearsal on ${engine}`, () => {
    let place: Place;
    let server: RunningServer;
    let old: OldServiceStandIn;
    let key = '';
    const folder = mkdtempSync(join(tmpdir(), 'throughline-rehearse-'));

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place);
      old = await standInForOldService();
      const command = async (...args: string[]) => JSON.parse((await callCommand(args, place.env)).stdout);
      const { id } = await command(
        'apps',
        'create',
        'name=Shop',
        `shortLinkHost=${HOST}`,
        `notFoundUrl=${NOT_FOUND}`,
      );
      ({ key } = await command('keys', 'create', id, 'live'));
    });
    after(async () => {
      rmSync(folder, { recursive: true, force: true });
      old?.close();
      await server?.end('SIGTERM');
      await place?.remove();
    });

    const call = async (path: string, body?: object) => {
      const response = await fetch(`${server.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, never>;
    };
    let links = 0;
    const newLink = async (fields: object) => {
      links += 1;
      const path = `summer/moved-${links}`;
      await call('/v1/links', { path, deepLinkPath: '/sale', ...fields });
      return path;
    };
    const inFile = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const listOf = (...paths: string[]) =>
      inFile('links.txt', paths.map((path) => `${old.url}/${path}\n`).join(''));
    const rehearse = (...args: string[]) =>
      callCommand(['rehearse', '--host', HOST, '--quiet', ...args], {
        ...place.env,
        WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      });
    const rowsOf = (name: string) => parse(readFileSync(join(folder, name)), { columns: true }) as Row[];

    it('finds a link equal that leads each kind of visitor to the same place, and records no click of a person', async () => {
      const path = await newLink({
        iosDestination: APP_STORE,
        androidDestination: PLAY,
        fallbackUrl: SHOP,
        ogTitle: 'Sale',
      });
      old.answers[`/${path}`] = ({ headers }, response) => {
        const agent = headers['user-agent'] ?? '';
        if (agent.includes('Slackbot')) return response.end('<meta property="og:title" content="Sale">');
        const to = agent.includes('iPhone')
          ? 'https://apps.apple.com/us/app/shop/id361309726?ct=old'
          : agent.includes('Android')
            ? 'market://details?id=com.example.shop&referrer=old'
            : `${SHOP}/?utm_source=old`;
        return response.writeHead(307, { location: to }).end();
      };
      const { code, stdout, stderr } = await rehearse(listOf(path));
      assert.deepEqual([code, stderr], [0, ''], stdout);
      assert.match(stdout, /^Compared 1 link at go\.example\.com: 5 answers\.\n\n {2}equal +5\n/);
      assert.equal((await call('/v1/clicks')).length, 0);
      const all = (await call('/v1/clicks?visitor=all')) as unknown as Row[];
      assert.deepEqual([...new Set(all.map(({ visitor }) => visitor))].sort(), ['head', 'preview']);
    });

    it('shows what differs for which visitor, the worst first, writes it to the report, and fails', async () => {
      const same = await newLink({ fallbackUrl: SHOP });
      const moved = await newLink({ fallbackUrl: APP_STORE });
      const fresh = await newLink({ fallbackUrl: SHOP });
      Object.assign(old.answers, { [`/${same}`]: SHOP, [`/${moved}`]: PLAY, '/summer/gone': SHOP });
      const list = listOf(same, moved, 'summer/gone', fresh, 'summer/nobody');
      const report = join(folder, 'differs.csv');
      const { code, stdout, stderr } = await rehearse(list, '--visitors', 'iphone', '--report', report);
      assert.equal(code, 1);
      assert.match(stderr, /^3 of 5 answers not equal\. All are in [^\n]+differs\.csv\.\n$/);
      const order = [...stdout.matchAll(/^line (\d)/gm)].map(([, line]) => line);
      assert.deepEqual(order, ['3', '2', '4'], stdout);
      assert.match(
        stdout,
        /only old for iPhone\n {2}old 302 https:\/\/shop\.example\.com\/sale\n {2}new 302 https:\/\/shop\.example\.com\/not-found/,
      );
      assert.deepEqual(
        rowsOf('differs.csv').map(({ verdict }) => verdict),
        ['equal', 'different', 'only old', 'only new', 'equal'],
      );
    });

    it('of an export finds ended links equal that stay ended, and fails for rows that cannot become a link', async () => {
      const [alive, ended] = [
        await newLink({ fallbackUrl: SHOP }),
        await newLink({ fallbackUrl: SHOP, ...ENDED }),
      ];
      old.answers[`/${alive}`] = SHOP;
      old.answers[`/${ended}`] = 'https://short.io/expired';
      const rows = [
        'shortURL,originalURL,expiresAt,password',
        `https://${HOST}/${alive},${SHOP},,`,
        `https://${HOST}/${ended},${SHOP},${ENDED.expiresAt},`,
        `https://${HOST}/secret,${SHOP},,1234`,
      ];
      const file = inFile('export.csv', rows.join('\n'));
      const args = ['--source', 'shortio', '--visitors', 'computer', file];
      const { code, stdout, stderr } = await rehearse(...args, '--old-base', old.url);
      assert.match(stdout, /\n {2}equal +2\n/, stderr);
      assert.match(stdout, /1 row of the file cannot become a link[^\n]+\n {2}line 4: [^\n]*password/i);
      assert.deepEqual([code, stderr], [1, '1 row of the file cannot become a link.\n']);
      const requests = old.requests.length;
      const againstFile = await rehearse(...args, '--against-file');
      assert.match(againstFile.stdout, /\n {2}equal +2\n/);
      assert.equal(old.requests.length, requests);
    });

    it('is stopped by Ctrl+C with what is compared by then, and continues without asking that again', async () => {
      const [first, second] = [await newLink({ fallbackUrl: SHOP }), await newLink({ fallbackUrl: SHOP })];
      old.answers[`/${first}`] = SHOP;
      old.answers[`/${second}`] = (_request, response, nth) =>
        nth === 1 ? undefined : response.writeHead(302, { location: SHOP }).end();
      const report = join(folder, 'stopped.csv');
      const args = ['--visitors', 'iphone', '--report', report, listOf(first, second)];
      const env = { ...place.env, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
      const running = startCommand(['rehearse', '--host', HOST, ...args], env);
      const asked = (path: string) => old.requests.filter((request) => request.path === `/${path}`).length;
      await waitFor('the first link’s row', () =>
        asked(second) === 1 && existsSync(report) && rowsOf('stopped.csv').length === 1 ? true : undefined,
      );

      const { code, stdout, stderr } = await running.interrupt();
      assert.equal(code, 1);
      assert.match(stdout, /^Compared 1 link at go\.example\.com: 1 answer\.\n/);
      assert.match(stderr, /Stopped after 1 of 2 links\. Continue with --resume\.\n$/);
      const resumed = await rehearse(...args, '--resume');
      assert.deepEqual([resumed.code, resumed.stderr], [0, '']);
      assert.match(resumed.stdout, /^Compared 2 links/);
      assert.deepEqual([asked(first), asked(second)], [1, 2]);
    });

    it('refuses a host that no app has, and an old address that leads to this service', async () => {
      const list = listOf('summer/any');
      const other = await callCommand(['rehearse', '--host', 'other.example.com', list], place.env);
      assert.match(other.stderr, /^No app has the host other\.example\.com\. [^\n]+shortLinkHost=[^\n]+\n$/);
      const self = await rehearse(list, '--old-base', server.url);
      assert.match(self.stderr, /leads to Throughline already[^\n]+--against-file\.\n$/);
      assert.deepEqual([other.code, self.code], [1, 1]);
    });
  });
