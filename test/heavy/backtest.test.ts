/** `throughline backtest`: its files and output, and that its decisions on recorded traffic equal the service's. */
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
import { backtest } from '../../src/commands/backtest/index.ts';
import { Backtest, type BacktestDecision } from '../../src/commands/backtest/replay.ts';
import { readTouch } from '../../src/commands/backtest/touches.ts';
import { PRESETS } from '../../src/commands/traffic/presets.ts';
import type { Click, Install, Touch } from '../../src/commands/traffic/touches.ts';
import { buildRun } from '../../src/commands/traffic/traffic.ts';
import { StartError } from '../../src/errors.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { IPHONE, IPHONE_FINGERPRINT } from '../helpers/callers.ts';
import { engines } from '../helpers/engines.ts';
import { runCommand } from '../helpers/process.ts';
import { type TestApp, useWorld, type World } from '../helpers/world.ts';

const uuid = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const click = (number: number) => ({
  type: 'click',
  id: uuid(number),
  at: '2026-03-03T12:00:00.000Z',
  userAgent: IPHONE,
  acceptLanguage: 'en-US',
  ipAddress: '203.0.113.7',
});
const install = (number: number, fields: object = {}) => ({
  type: 'install',
  id: uuid(number),
  at: '2026-03-03T12:01:00.000Z',
  fingerprint: { ...IPHONE_FINGERPRINT, ipAddress: '203.0.113.7' },
  ...fields,
});

describe('the backtest command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-backtest-'));
  after(() => rmSync(folder, { recursive: true }));
  const input = join(folder, 'touches.ndjson');
  const output = join(folder, 'decisions.ndjson');
  const FILES = ['--input', input, '--output', output];
  const run = (...args: string[]) => runCommand(['backtest', ...args], {});
  const writeLines = (lines: readonly (object | string)[], end = '\n') => {
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(input, texts.join(end) + end);
  };
  const isOneLine = (message: string) => assert.match(message, /^[^\n]+$/);
  /** Runs the command in this process; it must fail. */
  const failure = async (...args: string[]): Promise<string> => {
    try {
      await backtest(args);
    } catch (error) {
      assert.ok(error instanceof StartError, String(error));
      return error.message;
    }
    throw new Error('the command did not fail');
  };

  it('writes one line for each install in input order and prints the counts', async () => {
    const lines = [click(1), install(11, { clickId: uuid(1) }), '', install(12), install(13)];
    writeLines(lines);
    const { code, stdout, stderr } = await run(...FILES);
    assert.deepEqual([code, stderr], [0, '']);
    const decisions = readFileSync(output, 'utf8').trimEnd().split('\n');
    const reason = 'no_candidates';
    const organic = { method: 'ORGANIC', clickId: null, confidence: null, reason };
    assert.deepEqual(
      decisions.map((line) => Object.entries(JSON.parse(line))),
      [
        { installId: uuid(11), method: 'CLICK_ID', clickId: uuid(1), confidence: null, reason: 'named' },
        { installId: uuid(12), ...organic },
        { installId: uuid(13), ...organic },
      ].map((decision) => Object.entries(decision)),
    );
    assert.equal(
      stdout,
      '3 installs\nINSTALL_REFERRER  0\nCLICK_ID          1\nFINGERPRINT       0\nORGANIC           2\n',
    );
  });

  it('reads CRLF line ends and a byte order mark, and writes through a link to the file behind it', async () => {
    writeLines([`\ufeff${JSON.stringify(click(1))}`, install(2)], '\r\n');
    const [target, alias] = [join(folder, 'target'), join(folder, 'alias')];
    writeFileSync(target, '');
    symlinkSync(target, alias);
    const { code, stdout } = await run('--input', input, '--output', alias);
    assert.equal(code, 0);
    assert.match(stdout, /^1 install\n/);
    assert.match(readFileSync(target, 'utf8'), /FINGERPRINT/);
  });

  it('matches from the given threshold on, and says so', async () => {
    writeLines([click(1), { ...install(11), at: '2026-03-03T15:00:00.000Z' }]);
    const at = async (...threshold: string[]) => {
      const { stdout } = await run(...FILES, ...threshold);
      return [stdout.split('\n')[0], JSON.parse(readFileSync(output, 'utf8')).method];
    };
    assert.deepEqual(await at(), ['1 install', 'ORGANIC']);
    assert.deepEqual(await at('--threshold', '0.5'), [
      '1 install, fingerprints matched from 0.5 on',
      'FINGERPRINT',
    ]);
    assert.match(
      await failure(...FILES, '--threshold', '0.4'),
      /--threshold must be a number from 0\.5 to 0\.99/,
    );
  });

  it('writes an empty file for a recording without an install', async () => {
    writeLines([click(1)]);
    const { code, stdout } = await run(...FILES);
    assert.deepEqual([code, readFileSync(output, 'utf8')], [0, '']);
    assert.match(stdout, /^0 installs\n/);
  });

  it('exits with code 1 and one sentence on standard error when it fails', async () => {
    const { code, stdout, stderr } = await run('--input', folder, '--output', output);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^[^\n]+\(it is a folder\)[^\n]+\n$/);
  });

  it('names the number of a line that it cannot read, counting blank lines', async () => {
    const bad = [
      ['{"type":"click",', /is not valid JSON/],
      [install(1, { fingerprint: { platform: 'WINDOWS' } }), /platform/],
      [{ ...click(1), at: '2026-03-03T11:00:00.000Z' }, /at is before 2026-03-03T12:00:00.000Z/],
    ] as const;
    for (const [line, fault] of bad) {
      writeLines([click(1), '', line, click(2)]);
      const message = await failure(...FILES);
      isOneLine(message);
      assert.ok(message.startsWith(`${input}, line 3: `), message);
      assert.match(message, fault);
      assert.doesNotMatch(message, /\.\./);
    }
  });

  it('refuses to overwrite the recording, also through a link', async () => {
    writeLines([click(1), install(2)]);
    const recording = readFileSync(input, 'utf8');
    const [soft, hard] = [join(folder, 'soft'), join(folder, 'hard')];
    symlinkSync(input, soft);
    linkSync(input, hard);
    for (const same of [input, soft, hard]) {
      assert.match(await failure('--input', input, '--output', same), /^[^\n]+ is the input file[^\n]+$/);
      assert.equal(readFileSync(input, 'utf8'), recording);
    }
  });

  it('keeps the previous output and leaves no partial file if it stops at a line', async () => {
    writeFileSync(output, 'the previous output');
    writeLines([install(3), 'no touch']);
    await failure(...FILES);
    assert.equal(readFileSync(output, 'utf8'), 'the previous output');
    assert.ok(!readdirSync(folder).some((name) => name.endsWith('.partial')));
  });

  it('names the file that cannot be read or written', async () => {
    writeLines([click(1), install(2)]);
    const missing = join(folder, 'missing', 'file');
    for (const [from, to] of [
      [missing, output],
      [input, missing],
      [input, folder],
      [input, '/dev/full'],
    ] as const) {
      const message = await failure('--input', from, '--output', to);
      isOneLine(message);
      assert.ok(message.includes(from === input ? to : from), message);
    }
  });

  it('describes its lines and windows in its help', async () => {
    const { code, stdout } = await run('--help');
    assert.equal(code, 0);
    for (const part of [/^Usage:\nthroughline backtest --input/, /"type":"click"/, /windows are the default/])
      assert.match(stdout, part);
  });
});

/** More conversions than in the presets, so that every method occurs in little traffic. */
const TRAFFIC = { people: 60, convertingShare: 0.7, clickIdShare: 0.3 };
/** Sends traffic to a service with the time of each touch, and collects the service's records. */
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
    const { db, clickLog } = this.#world.service;
    await clickLog.applied();
    const newest = db.selectFrom('clicks').select(['id', 'clicked_at']).where('app_id', '=', this.#app.id);
    const { id, clicked_at } = await newest.orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
    assert.ok(![...this.#clickIds.values()].includes(id));
    // Set in the database, since the page's report would need a proof and its own request.
    const fingerprint = signals === null ? null : JSON.stringify(signals);
    await db.updateTable('clicks').set({ fingerprint }).where('id', '=', id).execute();
    this.#clickIds.set(touch.id, id);
    this.recorded.push({ ...touch, id, at: clicked_at });
  }

  /** A link for each campaign: the backtest counts clicks by campaign. */
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
      it(`make the same decision on every install: ${preset}`, async () => {
        const settings = PRESETS[preset];
        assert.ok(settings !== undefined);
        const { touches } = buildRun({ ...settings, ...TRAFFIC }, 20_261_120 + place);
        assert.ok(touches.length > 60, `${touches.length} lines`);
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
