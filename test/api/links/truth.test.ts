/** Redirect, page, card, SDK calls, attribution and diagnosis give one answer to one visitor. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { newSeed, TruthScene } from '../../helpers/link-truth.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`one truth about links on ${engine}`, () => {
    const world = useWorld(engine, { TRUST_PROXY: '1' });

    it('random links give random visitors one answer on every way (SEED repeats a run)', async (t) => {
      const seed = newSeed();
      t.diagnostic(`SEED=${seed.toString(16)}`);
      try {
        const scene = new TruthScene(world, seed);
        let compared = 0;
        for (let round = 0; round < 8; round++) compared += await scene.round(4);
        assert.ok(compared > 100, String(compared));
      } catch (error) {
        throw new Error(`with SEED=${seed.toString(16)}`, { cause: error });
      }
    });
  });
