/** A worker that lives and never comes to the end of its start, where it is the second to start; any other serves. */
import { appendFileSync, readFileSync } from 'node:fs';
import { connectSupervisor } from '../src/platform/workers/index.ts';

const [, , starts = ''] = process.argv;
appendFileSync(starts, `${process.pid}\n`);
const isSecond = readFileSync(starts, 'utf8').trim().split('\n').length === 2;

const supervisor = connectSupervisor();
supervisor.onStop(() => process.exit(0));
if (isSecond) await new Promise(() => setInterval(() => undefined, 60_000));
await supervisor.mayListen();
supervisor.listening();
