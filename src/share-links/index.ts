export { createShareLimits } from './daily-limits.ts';
