/** What the lists refuse. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const TABLES = ['clicks', 'installs', 'opens', 'events'] as const;
const FORMATS = ['application/json', 'text/csv', 'application/x-ndjson'];

for (const engine of neutralEngines)
  describe(`the parameters of lists on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });
    const get = (path: string, accept = 'application/json') =>
      world.call('GET', `/v1/${path}`, { key: app.keys.live, headers: { accept } });

    it('an unknown one is refused by name in each format, so that a misspelt filter exports nothing', async () => {
      for (const table of TABLES)
        for (const accept of FORMATS) {
          const answer = await get(`${table}?campaignid=spring`, accept);
          assertError(answer, 400, 'request.invalid');
          assert.match(
            answer.body.error,
            /^campaignid is no parameter here\. The parameters are limit, .*campaignId/,
          );
        }
      const { status, body } = await world.admin('GET', `/apps/${app.id}/events?eventname=a`);
      assert.deepEqual([status, /^eventname is no parameter here/.test(body.error)], [400, true]);
    });

    it('one of another list is refused', async () => {
      for (const query of [
        ...['clicks?userId=a', 'clicks?method=ORGANIC', 'clicks?hasRevenue=true', 'clicks?q=12345678'],
        ...['installs?eventName=a', 'installs?installId=a', 'installs?visitor=all', 'opens?hasRevenue=true'],
        ...['opens?existingUser=true', 'opens?q=12345678', 'events?method=ORGANIC', 'events?visitor=all'],
      ])
        assertError(await get(query), 400, 'request.invalid');
    });

    it('an unknown shortCode is 404 in each format and with any other filter', async () => {
      for (const table of TABLES)
        for (const accept of FORMATS)
          for (const query of ['shortCode=unknown', 'shortCode=unknown&utmSource=&include=total'])
            assertError(await get(`${table}?${query}`, accept), 404, 'link.not_found');
    });

    for (const [query, error] of [
      ['clicks?include=totals', /^include must be one of total\.$/],
      ['clicks?country=de', /^country must be two letters/],
      ['clicks?platform=WEB', /^platform must be one of ANDROID, IOS, empty\.$/],
      ['clicks?utmSource=a&utmSource=b', /^utmSource must be given once\.$/],
      ['installs?method=DIRECT', /^method\.0 must be one of INSTALL_REFERRER/],
      ['installs?method=', /^method\.0 must be one of/],
      [
        'installs?platformVersion=18',
        /^platformVersion must be a platform and its major version, such as IOS 18/,
      ],
      ['installs?hasRevenue=yes', /^hasRevenue must be one of true, false\.$/],
      ['installs?userId=', /^userId must not be empty\.$/],
      ['installs?q=', /^q must not be empty\.$/],
      [`events?${'eventName=a&'.repeat(21)}`, /^eventName must have at most 20 items\.$/],
      [`events?eventName=${'x'.repeat(256)}`, /^eventName\.0 must have at most 255 characters\.$/],
    ] as const)
      it(`${query.slice(0, 40)} is refused`, async () => {
        const answer = await get(query);
        assertError(answer, 400, 'request.invalid');
        assert.match(answer.body.error, error);
      });

    it('the total comes if it is asked for', async () => {
      assert.equal((await get('clicks')).headers['x-total-count'], undefined);
      assert.equal((await get('clicks?include=total&limit=1')).headers['x-total-count'], '0');
    });
  });
