import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { clientOf } from './clients/command.ts';
import { details } from './src/report.ts';
import { runScenario } from './src/run-scenario.ts';
import { type Service, startService } from './src/service.ts';
import { readScenarios } from './src/suite.ts';

const scenarios = readScenarios();
let service: Service;

before(async () => {
  service = await startService();
});
after(() => service.end());

describe('the scenarios', () => {
  const validate = new Ajv({ allErrors: true }).compile(
    JSON.parse(readFileSync(join(import.meta.dirname, 'scenario.schema.json'), 'utf8')),
  );
  it('each file has the fields of the schema and no others', () => {
    for (const [name, scenario] of scenarios)
      assert.ok(validate(scenario), `${name}: ${JSON.stringify(validate.errors)}`);
  });
});

describe('core in Node', { concurrency: 4 }, () => {
  for (const [name, scenario] of scenarios)
    it(`${scenario.title} (${name})`, async () => {
      const outcome = await runScenario(name, scenario, {
        service,
        client: clientOf('core-node'),
        patienceMs: 15_000,
      });
      assert.ok(outcome.passed, details(outcome));
    });
});
