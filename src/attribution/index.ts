export { findInstall, type InstallRow, listInstalls, updateInstallUser } from './queries.ts';
