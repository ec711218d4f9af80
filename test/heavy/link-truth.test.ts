/** Many random links and visitors, each with one answer: `test/api/links/truth.test.ts` has a few. SEED repeats a run. */
import { describe, it } from 'node:test';
import { engines } from '../helpers/engines.ts';
import { newSeed, TruthScene } from '../helpers/link-truth.ts';
import { liftRateLimits } from '../helpers/rate-limits.ts';
import { useWorld } from '../helpers/world.ts';

const ROUNDS = 200;

for (const engine of engines)
  describe(`one truth about many links on ${engine}`, () => {
    const world = useWorld(engine, { TRUST_PROXY: '1' });
    liftRateLimits();

    it('random links give random visitors one answer on every way', async (t) => {
      const seed = newSeed();
      t.diagnostic(`SEED=${seed.toString(16)}`);
      const scene = new TruthScene(world, seed);
      for (let round = 0; round < ROUNDS; round++) await scene.round(6);
    });
  });
