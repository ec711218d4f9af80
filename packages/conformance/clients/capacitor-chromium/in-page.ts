/** The plugin, with the fake native half in the same page: it has the phone that the driver plays. */
import { createThroughline as createPlugin } from '../../../capacitor/src/index.ts';
import { FakeNative } from '../../../capacitor/test/fake-native.ts';
import type { Config, Ports, Throughline } from '../../../core/src/index.ts';

export { StandardEvent } from '../../../capacitor/src/index.ts';

let phone: Ports = {};
const native = new FakeNative(
  () => phone,
  // As Android evaluates what a plugin answers.
  (expression) => setTimeout(() => new Function(expression)()),
);
Object.assign(globalThis, { toNative: (call: string) => native.receive(call) });

/** @param ports of the phone, which the native half gets. */
export function createThroughline(config: Config, ports: Ports): Throughline {
  phone = ports;
  return createPlugin(config, {});
}
