/** What Capacitor puts into a page of an app before its own scripts: the bridge of its package, and the plugins of the app. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Of both native halves; a test compares them. */
export const METHODS = [
  'create',
  'start',
  'firstOpen',
  'handleUrl',
  'claim',
  'track',
  'identify',
  'logout',
  'setConsent',
  'createLink',
  'flush',
  'reset',
  'shutdown',
  'explain',
];

const BRIDGE = readFileSync(
  createRequire(import.meta.url).resolve('@capacitor/android/capacitor/src/main/assets/native-bridge.js'),
  'utf8',
);

/** @param send the name of a function of the page that takes what the plugin calls. @returns a script for before the page's own. */
export function bridgeScript(platform: 'android' | 'ios', send: string): string {
  const methods = [
    { name: 'addListener' },
    { name: 'removeListener' },
    { name: 'removeAllListeners', rtype: 'promise' },
    ...METHODS.map((name) => ({ name, rtype: 'promise' })),
  ];
  const headers = JSON.stringify([{ name: 'Throughline', methods }]);
  const native =
    platform === 'android'
      ? `window.androidBridge = { postMessage: (text) => ${send}(text) };`
      : `window.webkit = { messageHandlers: { bridge: { postMessage: (call) => ${send}(JSON.stringify(structuredClone(call))) } } };`;
  // The bridge asks iOS by dialogs which of its own plugins are on.
  return `${native}
window.prompt = () => 'false';
window.Capacitor = { DEBUG: false, isLoggingEnabled: false, Plugins: {} };
window.Capacitor.PluginHeaders = ${headers};
${BRIDGE}`;
}
