/** `throughline import` beside a running service: `test/heavy/imports.test.ts` has more, and kills the process. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makePlace, neutralEngines, type Place } from '../helpers/engines.ts';
import { callCommand, type RunningServer, startServer } from '../helpers/process.ts';

for (const engine of neutralEngines)
  describe(`the import command on ${engine}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-import-'));
    let place: Place;
    let server: RunningServer;

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place);
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('imports, writes the report, and tells by its code that a row failed', async () => {
      const app = ['apps', 'create', 'name=App', 'shortLinkHost=go.command.test'];
      const { id } = JSON.parse((await callCommand(app, place.env)).stdout);
      const [file, report] = [join(folder, 'links.csv'), join(folder, 'report.csv')];
      writeFileSync(
        file,
        'Short Link,Destination URL\nhttps://go.command.test/a,https://www.example.com/a\nhttps://go.command.test/b,\n',
      );
      const { stdout, code } = await callCommand(
        ['import', '--source', 'csv', file, '--app', id, '--report', report],
        place.env,
      );
      assert.match(stdout, /: 1 created, 0 unchanged, 0 in conflict, 1 failed\.\n/);
      assert.equal(code, 2);
      assert.match(readFileSync(report, 'utf8'), /^line,outcome,.*\n2,created,.*\n3,failed,/);
    });
  });
