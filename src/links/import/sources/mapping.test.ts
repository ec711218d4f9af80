import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RuleConditions } from '../../choice/rules.ts';
import { createReader } from '../create-reader.ts';
import type { ImportedLink, ImportFormat, ImportSource } from '../imported-row.ts';

function read(source: ImportSource, file: object | string): readonly ImportedLink[] {
  const format: ImportFormat = typeof file === 'string' ? 'csv' : 'ndjson';
  const reader = createReader({ source, format });
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  const rows = [...reader.write(Buffer.from(text)), ...reader.end()];
  const links = rows.flatMap((row) => ('links' in row ? row.links : assert.fail(row.failure)));
  return links.map((link) => ({ ...link, notes: link.notes.filter((note) => !OF_PHONES.test(note)) }));
}

/** Of most links, and of every source: tested for all at once. */
const OF_PHONES = /^Phones without the app/;

function one(source: ImportSource, file: object | string): ImportedLink {
  const links = read(source, file);
  assert.equal(links.length, 1);
  return links[0] ?? assert.fail();
}

const PAGE = 'https://www.example.com/p/1?id=2';
const ON_PHONES = { iosDestination: PAGE, androidDestination: PAGE, landingPage: 'never' } as const;

describe('a link of Firebase', () => {
  it('keeps stores, campaign, preview and the oldest iOS version', () => {
    const header =
      'Short link,Deep link,Android package name,Android fallback link,Android minimum package version code,iOS bundle ID,iOS fallback link,iOS custom scheme,iOS iPad fallback link,iOS iPad bundle ID,iOS app store ID,iOS minimum version,Enable forced redirect?,Desktop fallback link,Social title,Social description,Social image link,UTM source,UTM medium,UTM campaign,UTM term,UTM content,iTunes Connect at,iTunes Connect ct,iTunes Connect mt,iTunes Connect pt,archived?,link name,creation timestamp';
    const row =
      'https://go.example.com/promos/Ab1,https://www.example.com/p/1?id=2&x=a%20b,com.example.app,,12,com.example.ios,,example,https://ipad.example.com,,123456789,1.20,1,https://www.example.com/desk,Title,Text,https://cdn.example.com/i.png,news,mail,spring,,,11l,sum,8,99,true,Poster,2024-01-02T03:04:05Z';
    assert.deepEqual(one('firebase', `${header}\n${row}\n`), {
      host: 'go.example.com',
      path: 'promos/Ab1',
      input: {
        deepLinkPath: '/p/1',
        deepLinkParams: { id: '2', x: 'a b' },
        fallbackUrl: 'https://www.example.com/desk',
        iosDestination: 'https://apps.apple.com/app/id123456789?pt=99&at=11l&ct=sum&mt=8',
        androidDestination:
          'https://play.google.com/store/apps/details?id=com.example.app&referrer=utm_source%3Dnews%26utm_medium%3Dmail%26utm_campaign%3Dspring',
        campaignId: 'spring',
        title: 'Poster',
        ogTitle: 'Title',
        ogDescription: 'Text',
        ogImage: 'https://cdn.example.com/i.png',
        minAppVersion: { ios: '1.20' },
        metadata: {
          importedFrom: 'firebase',
          utm_source: 'news',
          utm_medium: 'mail',
          utm_campaign: 'spring',
          createdAt: '2024-01-02T03:04:05.000Z',
        },
      },
      importedClicks: null,
      notes: [
        'The link is archived at Firebase Dynamic Links, where it works on: it is imported like others.',
        'The oldest Android version is a version code, and links here compare version names: set minAppVersion by hand.',
        'The address for iPads is not imported: links here have none.',
        'Firebase skipped its page on iOS. Here landingPage of the app decides.',
        'The IDs and the URL scheme of the app belong to the app’s settings here, not to the link.',
      ],
    });
  });

  it('prefers fallbacks to stores, and leads phones without either to the deep link', () => {
    const file = `short_link,link,apn,afl,isi,ifl,ofl\nhttps://go.example.com/a,${PAGE},com.example,https://a.example.com,1,https://i.example.com,\nhttps://go.example.com/b,${PAGE},,,,,https://desk.example.com\nhttps://go.example.com/c,${PAGE},,,,,\n`;
    assert.deepEqual(
      read('firebase', file).map(({ input }) => [
        input.iosDestination,
        input.androidDestination,
        input.fallbackUrl,
        input.landingPage,
      ]),
      [
        ['https://i.example.com', 'https://a.example.com', PAGE, undefined],
        [PAGE, PAGE, 'https://desk.example.com', 'never'],
        [PAGE, PAGE, PAGE, 'never'],
      ],
    );
  });
});

describe('a link of Branch', () => {
  const data = {
    $marketing_title: 'Poster',
    $deeplink_path: 'product/1?ref=x',
    $ios_deeplink_path: 'ios/1',
    $android_deeplink_path: 'android/1?store=play',
    $ios_url: 'https://apps.apple.com/app/id1',
    $desktop_url: 'https://desk.example.com',
    $fallback_url: 'https://fall.example.com',
    $ios_url_de: 'https://apps.apple.com/de/app/id1',
    $ios_url_at: 'https://apps.apple.com/de/app/id1',
    $android_url_de: 'https://de.example.com/app',
    $fallback_url_de: 'https://de.example.com',
    $og_title: 'Title',
    $og_image_url: 'https://cdn.example.com/i.png',
    $web_only: true,
    $exp_date: 1_577_836_800_000,
    $one_time_use: false,
    $identity_id: '12',
    '~campaign': 'other',
    '~ad_name': 'A',
    '+url': 'https://go.example.com/ignored',
    product: { id: 7 },
  };
  const answer = {
    channel: 'poster',
    campaign: 'spring',
    tags: ['a', 'b'],
    type: 2,
    data,
    url: 'https://go.example.com/5NPh/p4',
  };
  const expected = {
    host: 'go.example.com',
    path: '5NPh/p4',
    input: {
      deepLinkPath: 'product/1',
      deepLinkParams: { ref: 'x', product: { id: 7 } },
      iosDestination: 'https://apps.apple.com/app/id1',
      androidDestination: 'https://fall.example.com',
      fallbackUrl: 'https://desk.example.com',
      campaignId: 'spring',
      title: 'Poster',
      tags: ['a', 'b'],
      ogTitle: 'Title',
      ogImage: 'https://cdn.example.com/i.png',
      rules: [
        {
          when: { platform: 'IOS', country: ['AT', 'DE'] },
          then: { deepLinkPath: 'ios/1', iosDestination: 'https://apps.apple.com/de/app/id1' },
        },
        { when: { platform: 'IOS' }, then: { deepLinkPath: 'ios/1' } },
        {
          when: { platform: 'ANDROID', country: ['DE'] },
          then: {
            deepLinkPath: 'android/1',
            deepLinkParams: { ref: 'x', product: { id: 7 }, store: 'play' },
            androidDestination: 'https://de.example.com/app',
          },
        },
        {
          when: { platform: 'ANDROID' },
          then: {
            deepLinkPath: 'android/1',
            deepLinkParams: { ref: 'x', product: { id: 7 }, store: 'play' },
          },
        },
        { when: { platform: 'OTHER', country: ['DE'] }, then: { fallbackUrl: 'https://de.example.com' } },
      ],
      metadata: { importedFrom: 'branch', channel: 'poster', ad_name: 'A' },
    },
    importedClicks: null,
    notes: [
      'Branch’s $web_only is not imported: links here have none.',
      'Branch’s $exp_date is not imported: links here have none.',
    ],
  };

  it('keeps its paths and addresses by platform and country as rules', () => {
    assert.deepEqual(one('branch', answer), expected);
  });

  it('is the same from a table with its data as text', () => {
    const text = JSON.stringify(data).replaceAll('"', '""');
    const table = `channel,campaign,tags,data,url\nposter,spring,"a,b","${text}",https://go.example.com/5NPh/p4\n`;
    assert.deepEqual(one('branch', table), expected);
  });

  it('has the address that the answer itself holds, or its alias', () => {
    assert.equal(one('branch', { data: { url: 'https://go.example.com/own' } }).path, 'own');
    assert.equal(one('branch', { alias: 'x/y', domain: 'go.example.com', data: {} }).path, 'x/y');
  });

  it('of one path for both platforms needs no rule', () => {
    const { input } = one('branch', {
      url: 'https://go.example.com/a',
      data: { $ios_deeplink_path: 'p/1', $android_deeplink_path: 'p/1' },
    });
    assert.deepEqual([input.deepLinkPath, input.rules], ['p/1', undefined]);
  });
});

describe('a link of Bitly', () => {
  it('is a link for its hash and one for each custom half', () => {
    const links = read('bitly', {
      links: [
        {
          id: 'bit.ly/3abc',
          link: 'https://bit.ly/3abc',
          custom_bitlinks: ['https://go.example.com/Spring', 'http://bit.ly/3abc'],
          long_url: PAGE,
          title: 'Poster',
          archived: true,
          created_at: '2020-01-01T00:00:00+0000',
          created_by: 'ann',
          tags: ['a', 'b'],
          deeplinks: [
            {
              os: 'ios',
              app_uri_path: '/ios',
              install_url: 'https://apps.apple.com/app/id1',
              install_type: 'auto_install',
            },
            {
              os: 'android',
              app_uri_path: '/p',
              install_url: 'https://play.google.com/store/apps/details?id=a',
              install_type: 'no_install',
            },
          ],
          references: { group: 'https://api-ssl.bitly.com/v4/groups/x' },
        },
      ],
      pagination: { search_after: '' },
    });
    assert.deepEqual(
      links.map(({ host, path }) => `${host}/${path}`),
      ['bit.ly/3abc', 'go.example.com/Spring'],
    );
    assert.deepEqual(links[0]?.input, links[1]?.input);
    assert.deepEqual(links[1], {
      host: 'go.example.com',
      path: 'Spring',
      input: {
        deepLinkPath: '/p/1',
        deepLinkParams: { id: '2' },
        fallbackUrl: PAGE,
        iosDestination: 'https://apps.apple.com/app/id1',
        androidDestination: PAGE,
        title: 'Poster',
        tags: ['a', 'b'],
        rules: [
          { when: { platform: 'IOS' }, then: { deepLinkPath: '/ios' } },
          { when: { platform: 'ANDROID' }, then: { deepLinkPath: '/p' } },
        ],
        metadata: { importedFrom: 'bitly', createdAt: '2020-01-01T00:00:00.000Z' },
      },
      importedClicks: null,
      notes: ['The link is archived at Bitly, where it works on: it is imported like others.'],
    });
  });

  it('is read from both forms of its CSV', () => {
    const paid = read(
      'bitly',
      `Link,Custom Link,Destination URL\nhttps://bit.ly/3abc,go.example.com/a,${PAGE}\n`,
    );
    const other = read(
      'bitly',
      `long_url,custom_bitlink,title,archived,tags,created_at\n${PAGE},go.example.com/a,T,false,"a,b",2020-01-01\n`,
    );
    assert.deepEqual(
      [...paid, ...other].map(({ path, input }) => [path, input.fallbackUrl]),
      [
        ['3abc', PAGE],
        ['a', PAGE],
        ['a', PAGE],
      ],
    );
  });

  it('with an address that cannot be kept is imported under the other, and fails for that one', () => {
    const reader = createReader({ source: 'bitly', format: 'ndjson' });
    const row = {
      link: 'https://bit.ly/3abc',
      custom_bitlinks: ['https://go.example.com/grün'],
      long_url: PAGE,
    };
    const rows = [...reader.write(Buffer.from(JSON.stringify(row))), ...reader.end()];
    assert.deepEqual(
      rows.map((row) => [row.line, 'links' in row ? row.links.length : row.failure.slice(0, 11)]),
      [
        [1, 1],
        [1, 'The path of'],
      ],
    );
  });
});

describe('a link of Rebrandly', () => {
  it('keeps clicks, tags and whether parameters are passed on', () => {
    const link = {
      id: 'ffs24',
      title: 'T',
      slashtag: 'Burn10M',
      destination: PAGE,
      shortUrl: 'go.example.com/Burn10M',
      domainName: 'go.example.com',
      domain: { id: '8f', fullName: 'go.example.com' },
      createdAt: '2016-07-13T10:54:12.000Z',
      updatedAt: '2016-07-13T10:54:12.000Z',
      clicks: 42,
      favourite: false,
      forwardParameters: true,
      tags: [{ id: '1', name: 'a' }],
    };
    const [first, second] = read('rebrandly', [
      link,
      { ...link, forwardParameters: false, shortUrl: null },
    ] as object);
    assert.deepEqual(first, {
      host: 'go.example.com',
      path: 'Burn10M',
      input: {
        deepLinkPath: '/p/1',
        deepLinkParams: { id: '2' },
        fallbackUrl: PAGE,
        ...ON_PHONES,
        title: 'T',
        tags: ['a'],
        passQuery: ['*'],
        metadata: { importedFrom: 'rebrandly', createdAt: '2016-07-13T10:54:12.000Z', id: 'ffs24' },
      },
      importedClicks: 42,
      notes: [],
    });
    assert.deepEqual(
      [second?.host, second?.path, second?.input.passQuery],
      ['go.example.com', 'Burn10M', []],
    );
  });

  it('is read from a table', () => {
    const table = `slashtag,destination,domainName,title,description,tags\nBurn,${PAGE},go.example.com,T,Long,"a, b"\n`;
    const { host, path, input, notes } = one('rebrandly', table);
    assert.deepEqual(
      [host, path, input.tags, input.passQuery, notes],
      [
        'go.example.com',
        'Burn',
        ['a', 'b'],
        undefined,
        ['The description is not imported: links here have none.'],
      ],
    );
  });
});

describe('a link of Short.io', () => {
  const base = {
    shortURL: 'https://go.example.com/Ab',
    secureShortURL: 'https://go.example.com/Ab',
    path: 'Ab',
    originalURL: PAGE,
  };

  it('keeps phones, countries, the split and UTM parameters', () => {
    const { input, notes } = one('shortio', {
      links: [
        {
          ...base,
          utmSource: 'news',
          utmCampaign: 'spring',
          iphoneURL: 'https://apps.apple.com/app/id1',
          splitURL: 'https://b.example.com/b',
          splitPercent: 30,
          countries: [
            { country: 'DE', originalURL: 'https://de.example.com/d' },
            { country: 'AT', originalURL: 'https://de.example.com/d' },
            { country: 'EU', originalURL: 'https://eu.example.com' },
          ],
          clicksLimit: 500,
          cloaking: true,
          createdAt: 1_577_836_800_000,
        },
      ],
      nextPageToken: null,
    });
    const utm = 'utm_source=news&utm_campaign=spring';
    const utmParams = { utm_source: 'news', utm_campaign: 'spring' };
    assert.deepEqual(input, {
      deepLinkPath: '/p/1',
      deepLinkParams: { id: '2', ...utmParams },
      fallbackUrl: `${PAGE}&${utm}`,
      iosDestination: 'https://apps.apple.com/app/id1',
      androidDestination: `${PAGE}&${utm}`,
      campaignId: 'spring',
      passQuery: ['*'],
      rules: [
        {
          when: { country: ['AT', 'DE'] },
          then: {
            fallbackUrl: `https://de.example.com/d?${utm}`,
            androidDestination: `https://de.example.com/d?${utm}`,
            deepLinkPath: '/d',
            deepLinkParams: utmParams,
          },
        },
        {
          when: { percent: 30 },
          then: {
            fallbackUrl: `https://b.example.com/b?${utm}`,
            androidDestination: `https://b.example.com/b?${utm}`,
            deepLinkPath: '/b',
            deepLinkParams: utmParams,
          },
        },
      ],
      metadata: { importedFrom: 'shortio', createdAt: '2020-01-01T00:00:00.000Z' },
    });
    assert.deepEqual(notes, [
      'The limit of clicks is not imported: the link works on after it.',
      'The address for EU is not imported: rules know countries, not regions.',
      'Cloaking is not imported: the link redirects.',
    ]);
  });

  const ends: [object, unknown][] = [
    [{ expiresAt: 1_577_836_800_000 }, ['2020-01-01T00:00:00.000Z', true, undefined]],
    [
      { expiresAt: '2020-01-01T00:00:00Z', expiredURL: 'https://over.example.com' },
      ['2020-01-01T00:00:00.000Z', undefined, 'https://over.example.com'],
    ],
    [
      { ttl: '2020-01-01T00:00:00Z', expiresAt: '2021-01-01T00:00:00Z' },
      ['2020-01-01T00:00:00.000Z', true, undefined],
    ],
    [{ ttl: 86_400_000, createdAt: '2020-01-01T00:00:00Z' }, ['2020-01-02T00:00:00.000Z', true, undefined]],
    [{ ttl: 0 }, [undefined, undefined, undefined]],
  ];
  for (const [fields, expected] of ends)
    it(`ends as it did there: ${JSON.stringify(fields)}`, () => {
      const { input } = one('shortio', { ...base, ...fields });
      assert.deepEqual([input.expiresAt, input.goneWhenExpired, input.expiredUrl], expected);
    });

  it('that leaves out the query passes nothing on', () => {
    assert.deepEqual(one('shortio', { ...base, skipQS: true }).input.passQuery, []);
  });
});

describe('a link of Shlink', () => {
  const base = {
    shortCode: 'Ab',
    shortUrl: 'https://s.example.com/base/Ab',
    longUrl: PAGE,
    dateCreated: '2024-01-01T00:00:00+01:00',
    visitsSummary: { total: 9, nonBots: 7, bots: 2 },
    tags: ['a'],
    meta: { validSince: '2024-02-01T00:00:00Z', validUntil: '2025-01-01T00:00:00Z', maxVisits: 100 },
    domain: null,
    title: 'T',
    crawlable: false,
    forwardQuery: false,
    hasRedirectRules: true,
  };

  it('keeps clicks of people, its end and its settings', () => {
    assert.deepEqual(one('shlink', { shortUrls: { data: [base], pagination: { pagesCount: 1 } } }), {
      host: 's.example.com',
      path: 'base/Ab',
      input: {
        deepLinkPath: '/p/1',
        deepLinkParams: { id: '2' },
        fallbackUrl: PAGE,
        ...ON_PHONES,
        title: 'T',
        tags: ['a'],
        passQuery: [],
        expiresAt: '2025-01-01T00:00:00.000Z',
        goneWhenExpired: true,
        metadata: { importedFrom: 'shlink', createdAt: '2023-12-31T23:00:00.000Z' },
      },
      importedClicks: 7,
      notes: [
        'The limit of clicks is not imported: the link works on after it.',
        'The time from which the link works is not imported: it works at once.',
        'Shlink has redirect rules for the link, which the file lacks. Add redirectRules of the API’s answer to the row.',
      ],
    });
  });

  it('is read from the CSV of the web client and that of its importer', () => {
    const client = one(
      'shlink',
      `createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n2024-01-01T00:00:00Z,s.example.com,Ab,https://s.example.com/Ab,${PAGE},T,a|b,5\n`,
    );
    assert.deepEqual(
      [client.importedClicks, client.input.tags, client.input.passQuery],
      [5, ['a', 'b'], ['*']],
    );
    const importer = one(
      'shlink',
      `Long URL;Short code;Domain;Title;Tags\n${PAGE};x/Ab;s.example.com;T;a,b\n`,
    );
    assert.deepEqual(
      [importer.host, importer.path, importer.input.tags],
      ['s.example.com', 'x/Ab', ['a', 'b']],
    );
  });

  const condition = (type: string, matchValue: string | null = null, matchKey: string | null = null) => ({
    type,
    matchKey,
    matchValue,
  });
  const held: [name: string, conditions: object[], when: RuleConditions[]][] = [
    ['device ios', [condition('device', 'ios')], [{ platform: 'IOS' }]],
    ['device mobile', [condition('device', 'mobile')], [{ platform: 'IOS' }, { platform: 'ANDROID' }]],
    ['language', [condition('language', 'pt_BR')], [{ language: 'pt-BR' }]],
    ['query-param', [condition('query-param', 'b', 'a')], [{ query: { a: 'b' } }]],
    ['any-value-query-param', [condition('any-value-query-param', null, 'a')], [{ query: { a: null } }]],
    ['geolocation-country-code', [condition('geolocation-country-code', 'de')], [{ country: 'DE' }]],
    [
      'dates',
      [condition('after-date', '2024-01-01T00:00:00Z'), condition('before-date', '2025-01-01T00:00:00Z')],
      [{ from: '2024-01-01T00:00:00.000Z', to: '2025-01-01T00:00:00.000Z' }],
    ],
    [
      'several',
      [
        condition('device', 'android'),
        condition('language', 'de'),
        condition('query-param', '1', 'x'),
        condition('query-param', '2', 'y'),
      ],
      [{ platform: 'ANDROID', language: 'de', query: { x: '1', y: '2' } }],
    ],
  ];
  for (const [name, conditions, when] of held)
    it(`has a rule for the condition: ${name}`, () => {
      const { input } = one('shlink', {
        ...base,
        redirectRules: [{ longUrl: 'https://r.example.com/r', priority: 1, conditions }],
      });
      const to = 'https://r.example.com/r';
      assert.deepEqual(
        input.rules,
        when.map((one) => ({
          when: one,
          then: {
            fallbackUrl: to,
            deepLinkPath: '/r',
            deepLinkParams: {},
            ...(one.platform !== 'ANDROID' && { iosDestination: to }),
            ...(one.platform !== 'IOS' && { androidDestination: to }),
          },
        })),
      );
    });

  const dropped: [name: string, conditions: object[]][] = [
    ['ip-address', [condition('ip-address', '192.0.2.1')]],
    ['geolocation-city-name', [condition('geolocation-city-name', 'Rome')]],
    ['browser', [condition('browser', 'firefox')]],
    ['valueless-query-param', [condition('valueless-query-param', null, 'a')]],
    ['device desktop', [condition('device', 'desktop')]],
    ['query-param', [condition('query-param', 'b', '')]],
    ['language', [condition('language', 'de'), condition('language', 'fr')]],
    ['unknown', [{}]],
    ['browser', [condition('language', 'de'), condition('browser', 'firefox')]],
  ];
  for (const [name, conditions] of dropped)
    it(`has no rule with a condition that rules here lack, and says so: ${name}`, () => {
      const { input, notes } = one('shlink', {
        ...base,
        redirectRules: [
          { longUrl: 'https://r.example.com/', priority: 1, conditions },
          { longUrl: 'https://s.example.com/', priority: 2, conditions: [condition('device', 'ios')] },
        ],
      });
      assert.deepEqual(
        input.rules?.map(({ when }) => when),
        [{ platform: 'IOS' }],
      );
      assert.ok(
        notes.some((note) => note.includes(`condition “${name}” is left out`)),
        notes.join(' '),
      );
    });

  it('has rules in the order of their priority', () => {
    const rule = (priority: number, language: string) => ({
      longUrl: PAGE,
      priority,
      conditions: [condition('language', language)],
    });
    const { input } = one('shlink', { ...base, redirectRules: [rule(10, 'fr'), rule(2, 'de')] });
    assert.deepEqual(
      input.rules?.map(({ when }) => when.language),
      ['de', 'fr'],
    );
  });
});
