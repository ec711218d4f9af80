import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readAndroid } from './android-model.ts';
import { signalsOfClick, signalsOfDevice } from './index.ts';

const SEEN = readFileSync('test/fixtures/android-models.txt', 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [model = '', ...rest] = line.split(' | ');
    return { model, userAgent: rest.join(' | ') };
  });

const ENGINE = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36';
const modelOf = (userAgent: string) => readAndroid(userAgent)?.model;

describe('the model in the user agent of an Android phone', () => {
  it('is Build.MODEL for hundreds of phones that were seen', () => {
    assert.ok(SEEN.length >= 300, `${SEEN.length}`);
    for (const { model, userAgent } of SEEN) assert.equal(modelOf(userAgent), model, userAgent);
  });

  it('is Build.MODEL for the same phones in other browsers’ forms', () => {
    for (const { model } of SEEN)
      for (const comment of [
        `Linux; Android 15; ${model} Build/HONOR${model}; wv`,
        `Linux; Android 8.1.0; ${model}`,
        `Linux; U; Android 14; zh-cn; ${model} Build/UP1A.231005.007`,
        `Linux; U; Android 4.4.2; es_US; ${model}`,
        `Linux; arm_64; Android 13; ${model}`,
        `Linux, Android 13, ${model} Build/TP1A.220624.014, `,
      ])
        assert.equal(modelOf(`Mozilla/5.0 (${comment}) ${ENGINE}`), model, comment);
  });

  it('equals what an SDK reports, in any case and with the name of a known maker', () => {
    for (const { model, userAgent } of SEEN) {
      const click = signalsOfClick({ userAgent, acceptLanguage: null, page: null });
      for (const deviceModel of [model, model.toUpperCase(), ` ${model.toLowerCase()} `, `samsung ${model}`])
        assert.equal(signalsOfDevice({ platform: 'ANDROID', deviceModel }).model, click.model, deviceModel);
    }
  });

  it('is unknown where the browser hides it or writes something else in its place', () => {
    for (const comment of [
      'Linux; Android 10; K',
      'Linux; Android 10; K; wv',
      'Android 16; Mobile; rv:147.0',
      'Android 13; Tablet; rv:128.0',
      'Linux; U; Android 4.0.3; de-de',
      'Linux; Android 11; Build/RKQ1.201217.002; wv',
      'Linux; Android 12; wv',
      'Linux; Android 7.0;',
      'Linux; Android',
      'Linux; Android 12; HarmonyOS; HMSCore 6.13.0.302',
      'Android; Opera Mini/36.2.2254/119.132; U; id',
      'X11; Linux x86_64',
    ])
      assert.equal(modelOf(`Mozilla/5.0 (${comment}) ${ENGINE}`) ?? null, null, comment);
  });

  it('is found in linear time in repetitive user agents', () => {
    const startedAtMs = performance.now();
    for (const piece of [
      'Android 9; ',
      'Android ',
      '(',
      ')',
      ';',
      ' Build',
      'a Build/',
      'en-',
      'Adr 9;(',
      'é',
    ])
      readAndroid(`Mozilla/5.0 (Linux; Android 9; ${piece.repeat(100_000)}`);
    assert.ok(performance.now() - startedAtMs < 2_000);
  });
});
