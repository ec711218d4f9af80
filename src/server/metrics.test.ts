import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { requestDurations } from './metrics.ts';

const ANSWERS = [
  {
    labels: { method: 'GET', route: '/l/:shortCode', status: 302 },
    seconds: [0, 0.001, 0.0011, 0.3, 5, 5.1],
  },
  { labels: { method: 'GET', route: '/l/:shortCode', status: 404 }, seconds: [0.02] },
  { labels: { method: 'POST', route: 'a "quoted" one', status: 201 }, seconds: [0.004, 60] },
];

function observed(): Registry {
  const metrics = new Registry();
  const durations = requestDurations({ metrics });
  for (const { labels, seconds } of ANSWERS) for (const each of seconds) durations.of(labels).observe(each);
  return metrics;
}

describe('request durations', () => {
  it('equal the histogram of prom-client', async () => {
    const library = new Registry();
    const histogram = new Histogram({
      name: 'throughline_http_request_duration_seconds',
      help: 'From the arrival of a request to the end of its response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [library],
    });
    for (const { labels, seconds } of ANSWERS) for (const each of seconds) histogram.observe(labels, each);
    assert.equal(await observed().metrics(), await library.metrics());
  });

  it('are shared by all callers with the same registry', () => {
    const metrics = { metrics: new Registry() };
    assert.equal(requestDurations(metrics), requestDurations(metrics));
  });
});
