import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { spoken } from './android-names.ts';
import { readDeviceName } from './device-name.ts';

describe('the name of a device', () => {
  for (const [model, name] of [
    ['iPhone17,1', 'iPhone 16 Pro'],
    ['iPhone14,6', 'iPhone SE (3rd generation)'],
    ['IPHONE18,4', 'iPhone Air'],
    ['iPad16,3-A', 'iPad Pro 11-inch (M4)'],
    ['SM-A546B', 'Galaxy A54'],
    ['samsung SM-A546B', 'Galaxy A54'],
    ['sm-a546b', 'Galaxy A54'],
    ['SM-A145F', 'Galaxy A14'],
    ['SM-A146B', 'Galaxy A14 5G'],
    ['SM-S931B', 'Galaxy S25'],
    ['SM-S928U1', 'Galaxy S24 Ultra'],
    ['LE2123', 'OnePlus 9 Pro'],
    ['CPH2043', 'Reno3'],
    ['ASUS_AI2201_A', 'ROG Phone 6'],
    ['KOB-L09', 'Huawei MediaPad T3'],
    ['SM-G991U', 'Galaxy S21'],
    ['SM-G991W', 'Galaxy S21'],
    ['SM-E045F', 'Galaxy F04'],
    ['21061110AG', 'POCO X3 GT'],
    ['24129PN74G', 'Xiaomi 15'],
    ['RMX3310', '真我GT 2'],
    ['2201117TG', 'Redmi Note 11'],
    ['ONEPLUS A6003', 'OnePlus 6'],
    ['ELE-L29', 'HUAWEI P30'],
    ['Pixel 9 Pro', 'Pixel 9 Pro'],
    ['Google Pixel 8', 'Pixel 8'],
    ['Redmi_Note_8', 'Redmi Note 8'],
  ] as const)
    it(`${model} is ${name}`, () => assert.equal(readDeviceName(model), name));

  for (const [title, models] of [
    [
      'of an unknown or hidden model',
      ['iPhone99,1', 'iPhone', 'K', '', ' ', 'SM-X000', 'toString', 'x'.repeat(5_000)],
    ],
    ['of a code that several phones share', ['VFD 720', 'ai pont']],
    ['of a name that was decoded wrongly', ['SKR-A0', 'BND-AL10', 'XT2143-1', 'RMX2121', 'PCHM10', 'SHV46']],
    ['of a name that is the code of another model', ['V2136', 'SHARK KLE-H0', 'HUAWEI C8812', 'CPH21859']],
    ['of a carrier’s edition with a name of its own', ['SM-A556S']],
    ['of a name that the list has for another maker', ['HTC Hype']],
  ] as const)
    it(`is null ${title}`, () => {
      for (const model of models) assert.equal(readDeviceName(model), null, model);
    });

  it('has 5G where another model goes without it', () => {
    const known = new Set(['galaxy a14', 'galaxy a14 5g', 'galaxy a54 5g']);
    assert.equal(spoken('Galaxy A14 5G', known), 'Galaxy A14 5G');
    assert.equal(spoken('Galaxy A54 5G', known), 'Galaxy A54');
  });
});
