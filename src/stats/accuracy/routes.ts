import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Db } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { readDays } from '../../server/days.ts';
import type { ReadInTurn } from '../../server/read-turns.ts';
import { errorResponses } from '../../server/schemas.ts';
import type { AccuracyCounts } from './accuracy-counts.ts';
import type { Platform } from './count.ts';
import { curveOf } from './curve.ts';
import { sumCounts } from './queries.ts';
import { Accuracy, presentCurve, ReadAccuracy } from './schemas.ts';

interface AccuracyDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly accuracyCounts: Pick<AccuracyCounts, 'save'>;
  /** The settings of an app. */
  readonly settingsOf: (appId: string) => Promise<{
    readonly threshold: number;
    readonly measureAccuracy: boolean;
    /** Whether it is on. */
    readonly fingerprint: Readonly<Record<Platform, boolean>>;
  }>;
  readonly inTurn: ReadInTurn;
}

const PLATFORMS = ['ANDROID', 'IOS'] as const;

/** `GET /v1/stats/accuracy`. */
export const accuracyRoutes: FastifyPluginAsyncTypebox<AccuracyDeps> = async (api, deps) => {
  api.get('/v1/stats/accuracy', {
    schema: {
      operationId: 'readAccuracy',
      tags: ['Statistics'],
      summary: 'Measure how right the fingerprint is, on installs with a certain match',
      description:
        'Of a sample of the live installs that a referrer, a click ID or a copied token matched: what the fingerprint alone would have said, for each threshold. From one UTC day to another, both included: at most 366 days; by default the last 30. A test key gets zeros. See docs/guide/accuracy.md.',
      querystring: ReadAccuracy,
      response: { 200: Accuracy, ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query: { platform, ...days } }) => {
      const range = readDays(deps, days);
      const { fingerprint, ...settings } = await deps.settingsOf(actor.appId);
      const counts =
        actor.mode === 'test'
          ? []
          : await deps.inTurn(actor.appId, () => readCounts(deps, actor.appId, range));
      return {
        ...{ from: range.fromDay, to: range.toDay },
        ...settings,
        platforms: PLATFORMS.filter((each) => platform === undefined || each === platform).map((each) => ({
          ...presentCurve(curveOf(each, counts, settings.threshold)),
          fingerprint: fingerprint[each],
        })),
      };
    },
  });
};

async function readCounts(
  { db, accuracyCounts }: Pick<AccuracyDeps, 'db' | 'accuracyCounts'>,
  appId: string,
  range: { fromDay: string; toDay: string },
) {
  await accuracyCounts.save(appId);
  return await sumCounts(db, appId, range);
}
