import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { METHODS } from './bridge-script.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name).sort();
const EXPECTED = [...METHODS].sort();

it('the half for Android answers every method that JavaScript calls', () => {
  const kotlin = read('android/src/main/java/dev/throughline/capacitor/ThroughlinePlugin.kt');
  assert.deepEqual(namesIn(kotlin, /@PluginMethod\s+public fun (\w+)/g), EXPECTED);
});

it('the half for iOS names to Capacitor every method that JavaScript calls, and has it', () => {
  const swift = read('ios/Sources/ThroughlinePlugin/ThroughlinePlugin.swift');
  assert.deepEqual(
    namesIn(swift, /CAPPluginMethod\(name: "(\w+)", returnType: CAPPluginReturnPromise\)/g),
    EXPECTED,
  );
  assert.deepEqual(namesIn(swift, /@objc func (\w+)\(_ call: CAPPluginCall\)/g), EXPECTED);
});

it('JavaScript calls no other method', () => {
  const plugin = read('src/native/plugin.ts');
  const declared = namesIn(plugin, /^ {2}(\w+)\(/gm).filter((name) => name !== 'addListener');
  assert.deepEqual(declared, EXPECTED);
});
