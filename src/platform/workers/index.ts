export { sumMetrics } from './machine-metrics.ts';
export type { ClickLogHealth } from './messages.ts';
export type { Siblings } from './siblings.ts';
export { connectSupervisor, type Supervisor, workerNumber } from './supervisor.ts';
export { Workers } from './workers.ts';
