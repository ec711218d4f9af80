export { type InspectionDeps, inspectLink } from './diagnose-link.ts';
export type { Code, Finding } from './run-checks.ts';
export { USER_AGENTS } from './visitors.ts';
