/** Concurrent claims of one click: exactly one succeeds, and the trace of the other gives the reason. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { useTwoNodes } from '../../helpers/nodes.ts';
import {
  type Answer,
  freshAddress,
  IPHONE_FINGERPRINT,
  type TestApp,
  useWorld,
  type World,
} from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };
/** Races in parallel, so that their statements also share batches and contend for connections. */
const AT_ONCE = 10;

/** The two competing nodes; the same node twice for the single-process tests. */
type Nodes = () => readonly [World, World];

/** Runs a race for each of `rounds` new clicks. */
async function raceForClicks<T>(
  nodes: Nodes,
  app: TestApp,
  rounds: number,
  race: (clickId: string, round: number) => Promise<T>,
): Promise<T[]> {
  const [world] = nodes();
  const { shortCode } = await world.newLink(app, PLAY);
  const results: T[] = [];
  for (let first = 0; first < rounds; first += AT_ONCE) {
    const taps = Array.from({ length: AT_ONCE }, () => world.clickId(shortCode, { from: freshAddress() }));
    const clickIds = await Promise.all(taps);
    await world.service.clickLog.applied();
    results.push(...(await Promise.all(clickIds.map((id, index) => race(id, first + index)))));
  }
  assert.equal(results.length, rounds);
  return results;
}

async function claimsOf(world: World, app: TestApp): Promise<Map<string, [string | null, string | null]>> {
  const query = world.service.db.selectFrom('clicks').selectAll().where('app_id', '=', app.id);
  const clicks = await query.execute();
  return new Map(clicks.map((click) => [click.id, [click.claimed_by_install, click.claimed_by_open]]));
}

const open = (node: World, app: TestApp, body: Record<string, unknown>, from = freshAddress()) =>
  node.call('POST', '/v1/sdk/open', {
    key: app.keys.live_publishable,
    from,
    body: { fingerprint: IPHONE_FINGERPRINT, ...body },
  });

/** @returns the winner's response, then the loser's; fails unless there is one of each. */
function winnerAndLoser(answers: readonly [Answer, Answer], clickId: string): [Answer, Answer] {
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  const [a, b] = answers;
  assert.deepEqual([a.body.method, b.body.method].sort(), ['CLICK_ID', 'ORGANIC'], clickId);
  const [winner, loser] = a.body.method === 'CLICK_ID' ? [a, b] : [b, a];
  assert.deepEqual([winner.body.clickId, loser.body.clickId], [clickId, null]);
  return [winner, loser];
}

const alreadyClaimed = (clickId: string) => [{ method: 'CLICK_ID', clickId, reason: 'already_claimed' }];

function defineRaces(nodes: Nodes, rounds: { installs: number; others: number }): void {
  it('exactly one of two concurrent installs with one click ID claims it, and the trace of the other has already_claimed', async () => {
    const [first, second] = nodes();
    const app = await first.newApp();
    const races = await raceForClicks(nodes, app, rounds.installs, async (clickId, round) => {
      const install = (node: World) => node.install(app, { clickId }, { from: freshAddress() });
      const inOrder = round % 2 === 0 ? [first, second] : [second, first];
      const [a, b] = await Promise.all(inOrder.map(install));
      assert.ok(a && b);
      return { clickId, result: winnerAndLoser([a, b], clickId) };
    });
    const claims = await claimsOf(first, app);
    for (const { clickId, result } of races) {
      const [winner, loser] = result;
      assert.deepEqual(claims.get(clickId), [winner.body.installId, null]);
      const { body } = await first.call('GET', `/v1/installs/${loser.body.installId}`, {
        key: app.keys.live,
      });
      assert.deepEqual(body.explanation.rejections, alreadyClaimed(clickId));
      assert.equal(body.method, 'ORGANIC');
    }
  });

  it('exactly one of two concurrent opens with one click ID claims it, and the trace of the other has already_claimed', async () => {
    const [first, second] = nodes();
    const app = await first.newApp();
    const { installId } = (await first.install(app, {}, { from: freshAddress() })).body;
    const races = await raceForClicks(nodes, app, rounds.others, async (clickId) => {
      const [a, b] = await Promise.all([
        open(first, app, { clickId, installId }),
        open(second, app, { clickId, installId }),
      ]);
      return { clickId, result: winnerAndLoser([a, b], clickId) };
    });
    const claims = await claimsOf(first, app);
    const traces = new Map<string, unknown>();
    const { body } = await first.call('GET', `/v1/installs/${installId}`, { key: app.keys.live });
    for (const { id: openId, explanation } of body.opens) traces.set(openId, explanation.rejections);
    for (const { clickId, result } of races) {
      const [winner, loser] = result;
      assert.deepEqual(claims.get(clickId), [null, winner.body.openId]);
      assert.deepEqual(traces.get(loser.body.openId), alreadyClaimed(clickId));
    }
  });

  it('a concurrent install and open that name one click both claim it', async () => {
    const [first, second] = nodes();
    const app = await first.newApp();
    const races = await raceForClicks(nodes, app, rounds.others, async (clickId) => {
      const [installed, opened] = await Promise.all([
        first.install(app, { clickId }, { from: freshAddress() }),
        open(second, app, { clickId }),
      ]);
      assert.deepEqual([installed.body.method, opened.body.method], ['CLICK_ID', 'CLICK_ID']);
      return { clickId, claimants: [installed.body.installId, opened.body.openId] };
    });
    const claims = await claimsOf(first, app);
    for (const { clickId, claimants } of races) assert.deepEqual(claims.get(clickId), claimants);
  });

  it('exactly one of two devices that match a click by fingerprint claims it', async () => {
    const [first, second] = nodes();
    const app = await first.newApp();
    const { shortCode } = await first.newLink(app);
    const races = Array.from({ length: rounds.others }, async () => {
      const from = freshAddress();
      await first.tap(shortCode, { from });
      await first.service.clickLog.applied();
      const answers = await Promise.all([
        first.install(app, {}, { from }),
        second.install(app, {}, { from }),
      ]);
      const methods = answers.map(({ body }) => body.method as string);
      assert.deepEqual(methods.sort(), ['FINGERPRINT', 'ORGANIC']);
    });
    await Promise.all(races);
  });
}

for (const engine of engines)
  describe(`races for a click on ${engine}`, () => {
    const world = useWorld(engine);
    defineRaces(() => [world, world], { installs: 30, others: 10 });
  });

if (engines.includes('postgres'))
  describe('races for a click between two nodes', () => {
    const nodes = useTwoNodes();
    defineRaces(() => [nodes.first, nodes.second], { installs: 40, others: 20 });
  });
