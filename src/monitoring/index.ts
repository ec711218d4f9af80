export { startMonitoring } from './monitoring.ts';
export { observeStatements } from './statements.ts';
