/** `throughline backtest`: recorded traffic is decided as the service would have decided it. */
import assert from 'node:assert/strict';
import {
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PRESETS } from '../bench/matching/presets.ts';
import type { Click, Install, Touch } from '../bench/matching/touches.ts';
import { buildRun } from '../bench/matching/traffic.ts';
import { Backtest, type BacktestDecision, readTouch } from '../src/attribution/index.ts';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from '../src/platform/clock.ts';
import { engines } from './engines.ts';
import { runCommand } from './process.ts';
import { IPHONE, IPHONE_FINGERPRINT, PIXEL, type TestApp, useWorld, type World } from './world.ts';

const START_MS = Date.parse('2026-03-03T12:00:00.000Z');
const uuid = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const at = (afterMs: number) => new Date(START_MS + afterMs).toISOString();
const click = (number: number, afterMs: number, fields: object = {}) => ({
  type: 'click',
  id: uuid(number),
  at: at(afterMs),
  userAgent: IPHONE,
  acceptLanguage: 'en-US',
  ipAddress: '203.0.113.7',
  signals: null,
  campaignId: null,
  ...fields,
});
const install = (number: number, afterMs: number, fields: object = {}, ipAddress = '203.0.113.7') => ({
  type: 'install',
  id: uuid(number),
  at: at(afterMs),
  fingerprint: { ...IPHONE_FINGERPRINT, ipAddress },
  ...fields,
});

describe('the backtest command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-backtest-'));
  after(() => rmSync(folder, { recursive: true }));
  const input = join(folder, 'touches.ndjson');
  const output = join(folder, 'decisions.ndjson');
  const run = (...args: string[]) => runCommand(['backtest', ...args], {});
  const runFile = (lines: readonly (object | string)[], end = '\n') => {
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(input, texts.join(end) + end);
    return run('--input', input, '--output', output);
  };
  const decisions = () =>
    readFileSync(output, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as BacktestDecision);

  it('writes a line for each install in their order, each by the clock of its own line, and prints the counts', async () => {
    const elsewhere = '198.51.100.9';
    const lines = [
      click(1, 0),
      click(2, SECOND_MS, { ipAddress: elsewhere, userAgent: PIXEL }),
      click(3, 2 * SECOND_MS, { ipAddress: elsewhere, userAgent: PIXEL }),
      install(11, MINUTE_MS, { installReferrer: `utm_source=x&svc_click_id=${uuid(2)}` }),
      '',
      install(12, 2 * MINUTE_MS, { clickId: uuid(2).toUpperCase() }, '192.0.2.1'),
      install(13, 3 * MINUTE_MS),
      install(14, 4 * MINUTE_MS),
      click(4, HOUR_MS),
      install(15, 25 * HOUR_MS + SECOND_MS),
      install(16, 7 * DAY_MS, { clickId: uuid(3) }, '192.0.2.1'),
      click(5, 8 * DAY_MS),
      install(17, 15 * DAY_MS + SECOND_MS, { clickId: uuid(5) }, '192.0.2.1'),
      install(18, 15 * DAY_MS + 2 * SECOND_MS, { clickId: uuid(6) }, '192.0.2.1'),
    ];
    const { code, stdout, stderr } = await runFile(lines);
    assert.deepEqual([code, stderr], [0, '']);
    const { confidence } = decisions()[2] ?? {};
    assert.match(String(confidence), /^0\.\d{3}$/);
    const expected = [
      [uuid(11), 'INSTALL_REFERRER', uuid(2), null, 'named'],
      [uuid(12), 'ORGANIC', null, null, 'no_candidates (CLICK_ID already_claimed)'],
      [uuid(13), 'FINGERPRINT', uuid(1), confidence, 'matched'],
      [uuid(14), 'ORGANIC', null, null, 'no_candidates'],
      [uuid(15), 'ORGANIC', null, null, 'no_candidates'],
      [uuid(16), 'CLICK_ID', uuid(3), null, 'named'],
      [uuid(17), 'ORGANIC', null, null, 'no_candidates (CLICK_ID outside_window)'],
      [uuid(18), 'ORGANIC', null, null, 'no_candidates (CLICK_ID unknown)'],
    ];
    assert.deepEqual(decisions().map(Object.values), expected);
    const fields = ['installId', 'method', 'clickId', 'confidence', 'reason'];
    for (const decision of decisions()) assert.deepEqual(Object.keys(decision), fields);
    assert.equal(
      stdout,
      '8 installs\nINSTALL_REFERRER  1\nCLICK_ID          1\nFINGERPRINT       1\nORGANIC           5\n',
    );
  });

  it('finds the click in the address that a clickId came in, and takes a token for no click ID', async () => {
    const elsewhere = '192.0.2.1';
    const clickIds = [
      `https://go.example.com/l/a?svc_click_id=${uuid(1)}`,
      `shop://a?b=c&svc_click_id=${uuid(2).toUpperCase()}#d`,
      'https://go.example.com/l/a?svc_click_id=a-token',
    ];
    const installs = clickIds.map((clickId, n) => install(11 + n, MINUTE_MS, { clickId }, elsewhere));
    const { code } = await runFile([click(1, 0), click(2, SECOND_MS), ...installs]);
    const found = decisions().map(({ clickId, reason }) => [clickId, reason]);
    const malformed = [null, 'no_candidates (CLICK_ID malformed)'];
    assert.deepEqual([code, found], [0, [[uuid(1), 'named'], [uuid(2), 'named'], malformed]]);
  });

  it('reads lines that end as on Windows, and a file without an install', async () => {
    const { code } = await runFile([click(1, 0), install(2, MINUTE_MS)], '\r\n');
    assert.deepEqual([code, decisions()[0]?.method], [0, 'FINGERPRINT']);
    const none = await runFile([click(1, 0)]);
    assert.deepEqual([none.code, readFileSync(output, 'utf8')], [0, '']);
    assert.match(none.stdout, /^0 installs\n/);
  });

  it('names the number of a line that it cannot read, counting blank ones, in one sentence, with exit code 1', async () => {
    const bad = [
      ['{"type":"click",', /this is no JSON/],
      [{ ...install(1, 0), fingerprint: { platform: 'WINDOWS' } }, /platform/],
    ] as const;
    for (const [line, message] of bad) {
      const { code, stdout, stderr } = await runFile([click(1, 0), '', line, click(2, 0)]);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^[^\n]+\n$/);
      assert.ok(stderr.includes(`${input}, line 3: `), stderr);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\.\./);
    }
  });

  it('leaves the recording as it is when it is named as the output too, be it through a link', async () => {
    await runFile([click(1, 0), install(2, MINUTE_MS)]);
    const recording = readFileSync(input, 'utf8');
    const [soft, hard] = [join(folder, 'soft'), join(folder, 'hard')];
    symlinkSync(input, soft);
    linkSync(input, hard);
    for (const same of [input, soft, hard]) {
      const { code, stdout, stderr } = await run('--input', input, '--output', same);
      assert.deepEqual([code, stdout], [1, ''], same);
      assert.match(stderr, /^[^\n]+ is the recording itself[^\n]+\n$/);
      assert.equal(readFileSync(input, 'utf8'), recording);
    }
  });

  it('leaves the decisions of the run before, and nothing beside them, when it stops at a line', async () => {
    await runFile([click(1, 0), install(2, MINUTE_MS)]);
    const before = readFileSync(output, 'utf8');
    assert.equal((await runFile([install(3, 0), 'no touch'])).code, 1);
    assert.equal(readFileSync(output, 'utf8'), before);
    assert.ok(!readdirSync(folder).some((name) => name.endsWith('.partial')));
  });

  it('writes through a link to the file behind it', async () => {
    writeFileSync(input, JSON.stringify(install(1, 0)));
    const [target, alias] = [join(folder, 'target'), join(folder, 'alias')];
    writeFileSync(target, '');
    symlinkSync(target, alias);
    assert.equal((await run('--input', input, '--output', alias)).code, 0);
    assert.match(readFileSync(target, 'utf8'), /ORGANIC/);
  });

  it('reads a file that begins with a byte order mark, and counts one install as one', async () => {
    const { code, stdout } = await runFile([`\ufeff${JSON.stringify(install(1, 0))}`]);
    assert.equal(code, 0);
    assert.match(stdout, /^1 install\n/);
  });

  it('explains its lines and windows when asked for help', async () => {
    const { code, stdout } = await run('--help');
    assert.equal(code, 0);
    for (const what of [/^Usage:\nthroughline backtest --input/, /"type":"click"/, /windows are the default/])
      assert.match(stdout, what);
  });

  it('decides an install that is sent again once, as the service does: one line, counted once, nothing more claimed', async () => {
    const lines = [
      click(1, 0),
      install(11, MINUTE_MS),
      click(2, 2 * MINUTE_MS),
      install(11, 3 * MINUTE_MS),
      { ...install(11, 4 * MINUTE_MS, { clickId: uuid(2) }), id: uuid(11).toUpperCase() },
      install(12, 5 * MINUTE_MS, { clickId: uuid(2) }),
    ];
    const { code, stdout } = await runFile(lines);
    assert.equal(code, 0);
    const claims = decisions().map(({ installId, clickId }) => [installId, clickId]);
    assert.deepEqual(claims, [
      [uuid(11), uuid(1)],
      [uuid(12), uuid(2)],
    ]);
    assert.match(stdout, /^2 installs\n/);
  });

  it('records a click that comes twice once: what is claimed stays claimed', async () => {
    const { code } = await runFile([
      click(1, 0),
      click(1, SECOND_MS, { ipAddress: '198.51.100.9' }),
      install(11, MINUTE_MS, {}, '198.51.100.9'),
      install(12, MINUTE_MS),
      click(1, 2 * MINUTE_MS),
      install(13, 3 * MINUTE_MS, { clickId: uuid(1) }),
    ]);
    assert.equal(code, 0);
    const expected = ['no_candidates', 'matched', 'no_candidates (CLICK_ID already_claimed)'];
    assert.deepEqual(
      decisions().map(({ reason }) => reason),
      expected,
    );
  });

  it('stops at a line that is older than one before it, and names it', async () => {
    const { code, stderr } = await runFile([click(1, SECOND_MS), click(2, SECOND_MS), install(3, 0)]);
    assert.equal(code, 1);
    assert.ok(stderr.startsWith(`${input}, line 3: at is before ${at(SECOND_MS)}`), stderr);
  });

  it('says of a line what is wrong with it', () => {
    const faults = [
      ['', /no JSON/],
      ['null', /no JSON object/],
      ['[]', /no JSON object/],
      ['"click"', /no JSON object/],
      ['{}', /^type must be/],
      [{ ...click(1, 0), type: 'open' }, /^type must be/],
      [{ ...click(1, 0), id: 'x' }, /^id /],
      [{ ...click(1, 0), at: 'yesterday' }, /^at must be an ISO 8601 time/],
      [{ ...click(1, 0), at: 1 }, /^at /],
      [{ ...click(1, 0), at: '2026-03-03T12:00:00' }, /^at .* ends in Z or an offset/],
      [{ ...click(1, 0), at: '2026-03-03' }, /^at .* ends in Z or an offset/],
      [{ ...click(1, 0), at: '2026-03-03T25:00:00Z' }, /^at /],
      [click(1, 0, { ipAddress: '203.0.113.300' }), /^ipAddress must be an IPv4 or IPv6 address/],
      [click(1, 0, { ipAddress: '' }), /^ipAddress /],
      [install(1, 0, {}, 'unknown'), /^fingerprint\.ipAddress must be an IPv4 or IPv6 address/],
      [{ ...click(1, 0), signals: { screenWidth: 'wide' } }, /^signals\.screenWidth /],
      [{ ...install(1, 0), fingerprint: undefined }, /fingerprint/],
      [{ ...install(1, 0), fingerprint: {} }, /platform/],
      [{ ...install(1, 0), clickId: 7 }, /^clickId /],
    ] as const;
    for (const [line, message] of faults) {
      const text = typeof line === 'string' ? line : JSON.stringify(line);
      assert.throws(() => readTouch(text), { message }, text);
    }
  });

  it('takes a time in any zone that it names, and a line without an address', () => {
    for (const time of ['2026-03-03T12:00Z', '2026-03-03T14:00:00.5+02:00', '2026-03-03T12:00:00-0430'])
      assert.equal(readTouch(JSON.stringify({ ...click(1, 0), at: time })).at, time);
    for (const ipAddress of [null, undefined])
      for (const line of [
        click(1, 0, { ipAddress }),
        { ...install(1, 0), fingerprint: { platform: 'IOS', ipAddress } },
      ])
        assert.equal(readTouch(JSON.stringify(line)).id, uuid(1));
  });

  it('says in one sentence which file cannot be read or written, with exit code 1', async () => {
    await runFile([click(1, 0), install(2, MINUTE_MS)]);
    const missing = join(folder, 'missing', 'file');
    for (const [from, to] of [
      [missing, output],
      [input, missing],
      [input, folder],
      [input, '/dev/full'],
    ] as const) {
      const { code, stdout, stderr } = await run('--input', from, '--output', to);
      assert.deepEqual([code, stdout], [1, ''], `${from} ${to}`);
      assert.match(stderr, /^[^\n]+\n$/);
      assert.ok(stderr.includes(from === input ? to : from), stderr);
    }
  });

  it('says in one sentence that a folder is no file to read, with exit code 1', async () => {
    const { code, stderr } = await run('--input', folder, '--output', output);
    assert.equal(code, 1);
    assert.match(stderr, /^[^\n]+\n$/);
  });
});

/** People, not lines: each comes with some clicks and installs, here more than mostly. */
const LIVELY = { people: 90, convertingShare: 0.7, clickIdShare: 0.3 };
/** Plays traffic against a service with the clock of each touch, and gives it as the service recorded it. */
class Replay {
  readonly #world: World;
  readonly #app: TestApp;
  readonly #shortCodes = new Map<string, string>();
  readonly #clickIds = new Map<string, string>();
  readonly recorded: (Touch & { at: string })[] = [];
  readonly decisions: BacktestDecision[] = [];
  #address = 0;

  private constructor(world: World, app: TestApp) {
    this.#world = world;
    this.#app = app;
  }

  static async play(world: World, touches: readonly Touch[]): Promise<Replay> {
    const app = await world.newApp();
    const replay = new Replay(world, app);
    const [first] = touches;
    const aheadMs = world.clock.nowMs() - Date.parse(first?.at ?? '');
    for (const touch of touches) {
      world.clock.advance(Math.max(0, Date.parse(touch.at) + aheadMs - world.clock.nowMs()));
      if (touch.type === 'click') await replay.#click(touch);
      else await replay.#install(touch);
    }
    return replay;
  }

  async #click(touch: Click): Promise<void> {
    const { ipAddress, userAgent, acceptLanguage, signals } = touch;
    const headers = {
      'user-agent': userAgent,
      ...(acceptLanguage !== null && { 'accept-language': acceptLanguage }),
    };
    await this.#world.call('GET', `/l/${await this.#shortCodeOf(touch)}`, { from: ipAddress, headers });
    const { db, clickLog } = this.#world.service.ctx;
    await clickLog.applied();
    const newest = db.selectFrom('clicks').select(['id', 'clicked_at']).where('app_id', '=', this.#app.id);
    const { id, clicked_at } = await newest.orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
    assert.ok(![...this.#clickIds.values()].includes(id));
    // What a page tells of the device has no way in yet but its column.
    const fingerprint = signals === null ? null : JSON.stringify(signals);
    await db.updateTable('clicks').set({ fingerprint }).where('id', '=', id).execute();
    this.#clickIds.set(touch.id, id);
    this.recorded.push({ ...touch, id, at: clicked_at });
  }

  /** A link for each campaign, as the backtest takes them. */
  async #shortCodeOf({ campaignId }: Click): Promise<string> {
    const known = this.#shortCodes.get(campaignId);
    if (known !== undefined) return known;
    const { shortCode } = await this.#world.newLink(this.#app);
    this.#shortCodes.set(campaignId, shortCode);
    return shortCode;
  }

  async #install(touch: Install): Promise<void> {
    const clickId = touch.clickId && (this.#clickIds.get(touch.clickId) ?? touch.clickId);
    const installReferrer =
      touch.installReferrer?.replace(/[0-9a-f-]{36}/, (id) => this.#clickIds.get(id) ?? id) ?? null;
    const { fingerprint } = touch;
    const body = { fingerprint, clickId, installReferrer, installId: touch.id };
    const key = this.#app.keys.live;
    this.#address += 1;
    const { status, text } = await this.#world.install(this.#app, body, {
      key,
      from: `10.9.8.${this.#address}`,
    });
    assert.equal(status, 200, text);
    const read = await this.#world.call('GET', `/v1/installs/${touch.id}`, { key });
    const { method, clickId: claimed, confidence, explanation, installedAt } = read.body;
    const [named] = explanation.rejections.filter((one: { method: string }) => one.method !== 'FINGERPRINT');
    const { outcome } = explanation.fingerprint;
    const because = named === undefined ? outcome : `${outcome} (${named.method} ${named.reason})`;
    const reason = outcome === 'not_needed' ? 'named' : because;
    this.decisions.push({ installId: touch.id, method, clickId: claimed, confidence, reason });
    this.recorded.push({ ...touch, clickId, installReferrer, at: isoTime(Date.parse(installedAt)) });
  }
}

for (const engine of engines)
  describe(`backtest and service on ${engine}`, () => {
    const world = useWorld(engine);
    for (const [place, preset] of ['smallApp', 'denseCity'].entries())
      it(`decide alike, install by install: ${preset}`, async () => {
        const settings = PRESETS[preset];
        assert.ok(settings !== undefined);
        const { touches } = buildRun({ ...settings, ...LIVELY }, 20_261_120 + place);
        assert.ok(touches.length > 100, `${touches.length} lines`);
        const { recorded, decisions } = await Replay.play(world, touches);
        const backtest = new Backtest();
        const replayed = recorded.map((touch) => backtest.take(readTouch(JSON.stringify(touch))));
        assert.deepEqual(
          replayed.filter((decision) => decision !== null),
          decisions,
        );
        for (const method of ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'])
          assert.ok(decisions.filter((decision) => decision.method === method).length >= 3, method);
      });
  });
