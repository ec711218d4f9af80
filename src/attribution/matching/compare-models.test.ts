import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signalsOfDevice } from '../../devices/index.ts';
import { compareModelNames } from './compare-models.ts';

function named(deviceModel: string) {
  const { model, maker } = signalsOfDevice({ platform: 'ANDROID', deviceModel });
  return { model: model ?? '', maker };
}

/** In both orders. */
function compared(a: string, b: string): Set<string | null> {
  const [one, other] = [named(a), named(b)];
  return new Set([compareModelNames(one, other), compareModelNames(other, one)]);
}

const SAME = [
  ['SM-S938B', 'SAMSUNG SM-S938B', 'samsung sm-s938b', 'SAMSUNG-SM-S938B', 'SM_S938B'],
  ['Redmi Note 8', 'Redmi_Note_8', 'Xiaomi Redmi Note 8', 'REDMI NOTE 8'],
  ['moto g(7) play', 'motorola moto g7 play', 'moto_g(7)_play'],
  ['HTC One_M8', 'HTC_One_M8', 'One M8'],
  ['Nexus 6P', 'HUAWEI Nexus 6P', 'google Nexus 6P'],
  ['LG-H870', 'LGE LG-H870'],
];

/** A part or a cut tail: no evidence that the phones differ. */
const UNKNOWN = [
  ['motorola edge 50 pro', 'edge'],
  ['motorola edge 50 pro', 'edge 50'],
  ['SC-51D', 'sc-51'],
  ['Nokia C21 Plus', 'C21'],
  ['TECNO Mobile KG6p', 'KG6p 4G'],
  ['ASUSAI2501', 'AI2501'],
  ['SM-S918B', 'SM-S918'],
  ['Galaxy S23', 'Galaxy S23 Ultra'],
  ['Acme Z5', 'Z5'],
];

/** A code or an internal name beside a title. */
const OTHER_FORM = [
  ['SM-S918B', 'Galaxy S23 Ultra'],
  ['SM-A307GT', 'Ranger'],
  ['M1908C3JGG', 'Redmi Note 8'],
  ['2201117TG', 'Redmi 9'],
  ['23124RA7EO', 'Redmi Note 13'],
  ['Pixel 9', 'tokay'],
  ['VOG-L29', 'HUAWEI P30 Pro'],
  ['ANE-LX1', 'P20 lite'],
  ['TA-1426', 'Nokia C21 Plus'],
  ['XT2301-4', 'moto g73 5G'],
  ['RMX3867', 'realme 12+ 5G'],
  ['CPH2581', 'OnePlus 12'],
  ['V2307', 'vivo V29e'],
  ['Infinix X6815', 'Infinix ZERO 5G'],
  ['itel S681LN', 'S23+'],
];

const UNLIKE = [
  ['Mi 9T', 'Redmi K20'],
  ['Redmi Note 9S', 'POCO X3 NFC'],
  ['Figgers DragonX', 'AURII ULTRA'],
  ['P9', 'K20'],
  ['tokay', 'begonia'],
];

const DIFFERENT = [
  ['SM-S938B', 'SM-A546B'],
  ['SM-S938B', 'Pixel 9'],
  ['SM-S938B', 'CPH2581'],
  ['CPH2581', 'CPH2661'],
  ['V2307', 'V2334'],
  ['V2307', 'vivo 1906'],
  ['23124RA7EO', '2201117TG'],
  ['Pixel 7', 'Pixel 8'],
  ['moto g84 5G', 'moto g54 5G'],
  ['moto g84 5G', 'motorola edge 50'],
  ['Redmi Note 8', 'Redmi 9A'],
  ['Redmi Note 8', 'Galaxy A54'],
  ['ABR-NX1', 'LGN-NX3'],
  ['LLY-AN00', 'CLK-LX3'],
  ['PDKT00', 'PEFM00'],
  ['PGEM10', 'CPH2581'],
  ['PCRT01', 'V1963A'],
  ['TECNO KL4', 'TECNO CK6n'],
  ['TECNO BD3', 'TECNO KF6p'],
  ['Infinix X6525', 'Infinix X671'],
  ['Infinix X6812', 'Infinix X689'],
  ['X6710', 'X676B'],
  ['ASUS_I005D', 'ASUS_AI2202'],
  ['KFMAWI', 'KFTRWI'],
  ['SO-52D', 'A204SO'],
  ['SM-S918B', 'A065'],
  ['A065', 'Pixel 9'],
  ['FP4', 'SM-S918B'],
  ['SM-A307GT', 'BISON'],
  ['Infinix X6815', 'Infinix X6826'],
  ['POCO X3 Pro', 'HUAWEI P30 Pro'],
];

describe('the names of two phones', () => {
  it('are the same with or without the maker, in any case and with any separators', () => {
    for (const names of SAME)
      for (const name of names)
        for (const other of names)
          assert.deepEqual([...compared(name, other)], ['same'], `${name}, ${other}`);
  });

  it('are no evidence if one is a part of the other', () => {
    for (const [a = '', b = ''] of UNKNOWN) assert.deepEqual([...compared(a, b)], [null], `${a}, ${b}`);
  });

  it('may be of one phone if one is a code and the other a title', () => {
    for (const [a = '', b = ''] of OTHER_FORM)
      assert.deepEqual([...compared(a, b)], ['other_form'], `${a}, ${b}`);
  });

  it('are unlike if they are unequal titles of two series, or unequal names without a known form', () => {
    for (const [a = '', b = ''] of UNLIKE) assert.deepEqual([...compared(a, b)], ['unlike'], `${a}, ${b}`);
  });

  it('are different by their makers, by two codes, and by two titles of one series', () => {
    for (const [a = '', b = ''] of DIFFERENT)
      assert.deepEqual([...compared(a, b)], ['different'], `${a}, ${b}`);
  });
});
