import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { licencesText, refusalsOf } from './licences.ts';

const MIT = { name: 'a', version: '1.0.0', identifier: 'MIT', text: 'Permission is hereby granted' };

describe('licences of the bundle', () => {
  for (const identifier of ['MIT', '(MIT OR GPL-3.0)', 'SEE LICENSE IN DBIP-LICENSE (CC-BY-4.0)'])
    it(`a package under ${identifier} is bundled`, () => {
      assert.deepEqual(refusalsOf([{ ...MIT, identifier }]), []);
    });

  for (const identifier of [
    'AGPL-3.0-only',
    'LGPL-2.1',
    'GPL-3.0',
    'MIT AND LGPL-3.0',
    'SEE LICENSE IN LICENSE',
    'UNLICENSED',
  ])
    it(`a package under ${identifier} stops the build`, () => {
      assert.match(refusalsOf([{ ...MIT, identifier }]).join(), /a 1\.0\.0 has the licence/);
    });

  it('a package without a licence, or without its text, stops the build', () => {
    const [{ identifier: _identifier, ...unnamed }, { text: _text, ...textless }] = [MIT, MIT];
    assert.deepEqual(refusalsOf([unnamed, textless]), [
      'a 1.0.0 names no licence',
      'a 1.0.0 comes without the text of its licence',
    ]);
  });

  it('the file has each version of a package once, with its text', () => {
    const text = licencesText([MIT, MIT, { ...MIT, version: '2.0.0' }]);
    assert.equal(text.split('Permission is hereby granted').length, 3);
  });
});
