/** What Apple calls the models of its phones and tablets, as expo-device 57.0.2 (MIT) and Apple's support pages have them. */

/** Numbers of `iPhone17,1` and the like, by name. */
const IPHONES = {
  'iPhone 4': '3,1 3,2 3,3',
  'iPhone 4s': '4,1',
  'iPhone 5': '5,1 5,2',
  'iPhone 5c': '5,3 5,4',
  'iPhone 5s': '6,1 6,2',
  'iPhone 6': '7,2',
  'iPhone 6 Plus': '7,1',
  'iPhone 6s': '8,1',
  'iPhone 6s Plus': '8,2',
  'iPhone SE (1st generation)': '8,4',
  'iPhone 7': '9,1 9,3',
  'iPhone 7 Plus': '9,2 9,4',
  'iPhone 8': '10,1 10,4',
  'iPhone 8 Plus': '10,2 10,5',
  'iPhone X': '10,3 10,6',
  'iPhone XS': '11,2',
  'iPhone XS Max': '11,4 11,6',
  'iPhone XR': '11,8',
  'iPhone 11': '12,1',
  'iPhone 11 Pro': '12,3',
  'iPhone 11 Pro Max': '12,5',
  'iPhone SE (2nd generation)': '12,8',
  'iPhone 12 mini': '13,1',
  'iPhone 12': '13,2',
  'iPhone 12 Pro': '13,3',
  'iPhone 12 Pro Max': '13,4',
  'iPhone 13 Pro': '14,2',
  'iPhone 13 Pro Max': '14,3',
  'iPhone 13 mini': '14,4',
  'iPhone 13': '14,5',
  'iPhone SE (3rd generation)': '14,6',
  'iPhone 14': '14,7',
  'iPhone 14 Plus': '14,8',
  'iPhone 14 Pro': '15,2',
  'iPhone 14 Pro Max': '15,3',
  'iPhone 15': '15,4',
  'iPhone 15 Plus': '15,5',
  'iPhone 15 Pro': '16,1',
  'iPhone 15 Pro Max': '16,2',
  'iPhone 16 Pro': '17,1',
  'iPhone 16 Pro Max': '17,2',
  'iPhone 16': '17,3',
  'iPhone 16 Plus': '17,4',
  'iPhone 16e': '17,5',
  'iPhone 17 Pro': '18,1',
  'iPhone 17 Pro Max': '18,2',
  'iPhone 17': '18,3',
  'iPhone Air': '18,4',
  'iPhone 17e': '18,5',
};
const IPADS = {
  'iPad 2': '2,1 2,2 2,3 2,4',
  'iPad (3rd generation)': '3,1 3,2 3,3',
  'iPad (4th generation)': '3,4 3,5 3,6',
  'iPad (5th generation)': '6,11 6,12',
  'iPad (6th generation)': '7,5 7,6',
  'iPad (7th generation)': '7,11 7,12',
  'iPad (8th generation)': '11,6 11,7',
  'iPad (9th generation)': '12,1 12,2',
  'iPad (10th generation)': '13,18 13,19',
  'iPad (A16)': '15,7 15,8',
  'iPad mini': '2,5 2,6 2,7',
  'iPad mini 2': '4,4 4,5 4,6',
  'iPad mini 3': '4,7 4,8 4,9',
  'iPad mini 4': '5,1 5,2',
  'iPad mini (5th generation)': '11,1 11,2',
  'iPad mini (6th generation)': '14,1 14,2',
  'iPad mini (A17 Pro)': '16,1 16,2',
  'iPad Air': '4,1 4,2 4,3',
  'iPad Air 2': '5,3 5,4',
  'iPad Air (3rd generation)': '11,3 11,4',
  'iPad Air (4th generation)': '13,1 13,2',
  'iPad Air (5th generation)': '13,16 13,17',
  'iPad Air 11-inch (M2)': '14,8 14,9',
  'iPad Air 13-inch (M2)': '14,10 14,11',
  'iPad Air 11-inch (M3)': '15,3 15,4',
  'iPad Air 13-inch (M3)': '15,5 15,6',
  'iPad Air 11-inch (M4)': '16,8 16,9',
  'iPad Air 13-inch (M4)': '16,10 16,11',
  'iPad Pro (9.7-inch)': '6,3 6,4',
  'iPad Pro (12.9-inch) (1st generation)': '6,7 6,8',
  'iPad Pro (12.9-inch) (2nd generation)': '7,1 7,2',
  'iPad Pro (10.5-inch)': '7,3 7,4',
  'iPad Pro (11-inch) (1st generation)': '8,1 8,2 8,3 8,4',
  'iPad Pro (12.9-inch) (3rd generation)': '8,5 8,6 8,7 8,8',
  'iPad Pro (11-inch) (2nd generation)': '8,9 8,10',
  'iPad Pro (12.9-inch) (4th generation)': '8,11 8,12',
  'iPad Pro (11-inch) (3rd generation)': '13,4 13,5 13,6 13,7',
  'iPad Pro (12.9-inch) (5th generation)': '13,8 13,9 13,10 13,11',
  'iPad Pro (11-inch) (4th generation)': '14,3 14,4',
  'iPad Pro (12.9-inch) (6th generation)': '14,5 14,6',
  'iPad Pro 11-inch (M4)': '16,3 16,4',
  'iPad Pro 13-inch (M4)': '16,5 16,6',
  'iPad Pro 11-inch (M5)': '17,1 17,2',
  'iPad Pro 13-inch (M5)': '17,3 17,4',
};
const IPODS = { 'iPod touch (6th generation)': '7,1', 'iPod touch (7th generation)': '9,1' };

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({ iphone: IPHONES, ipad: IPADS, ipod: IPODS }).flatMap(([family, models]) =>
    Object.entries(models).flatMap(([name, numbers]) =>
      numbers.split(' ').map((number) => [family + number, name] as const),
    ),
  ),
);

/** @param model `utsname.machine`, which some iPads follow with `-A` or `-B`. */
export function appleName(model: string): string | null {
  return (
    NAMES.get(
      model
        .trim()
        .toLowerCase()
        .replace(/-[ab]$/, ''),
    ) ?? null
  );
}
