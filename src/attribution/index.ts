export { Backtest, type BacktestDecision } from './backtest.ts';
export type { Method } from './decide.ts';
export { createKnowledgeBase } from './knowledge-base.ts';
export { findInstall, type InstallRow, listInstalls, updateInstallUser } from './queries.ts';
export { type ClickTouch, type InstallTouch, readTouch } from './touches.ts';
