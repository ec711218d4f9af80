/** Phones, OS versions and browsers of March 2026, with rough shares. */

/** Hardware id, name, CSS width, CSS height, pixel ratio */
type Apple = readonly [string, string, number, number, number];
const apple = (weight: number, ...is: Apple) => ({ weight, is });

export const IPHONES = [
  apple(9, 'iPhone17,3', 'iPhone 16', 393, 852, 3),
  apple(9, 'iPhone17,1', 'iPhone 16 Pro', 402, 874, 3),
  apple(10, 'iPhone17,2', 'iPhone 16 Pro Max', 440, 956, 3),
  apple(3, 'iPhone17,5', 'iPhone 16e', 390, 844, 3),
  apple(6, 'iPhone18,3', 'iPhone 17', 402, 874, 3),
  apple(5, 'iPhone18,1', 'iPhone 17 Pro', 402, 874, 3),
  apple(8, 'iPhone18,2', 'iPhone 17 Pro Max', 440, 956, 3),
  apple(1, 'iPhone18,4', 'iPhone Air', 420, 912, 3),
  apple(8, 'iPhone15,4', 'iPhone 15', 393, 852, 3),
  apple(2, 'iPhone15,5', 'iPhone 15 Plus', 430, 932, 3),
  apple(6, 'iPhone16,1', 'iPhone 15 Pro', 393, 852, 3),
  apple(8, 'iPhone16,2', 'iPhone 15 Pro Max', 430, 932, 3),
  apple(6, 'iPhone14,7', 'iPhone 14', 390, 844, 3),
  apple(4, 'iPhone15,2', 'iPhone 14 Pro', 393, 852, 3),
  apple(5, 'iPhone15,3', 'iPhone 14 Pro Max', 430, 932, 3),
  apple(9, 'iPhone14,5', 'iPhone 13', 390, 844, 3),
  apple(3, 'iPhone14,2', 'iPhone 13 Pro', 390, 844, 3),
  apple(3, 'iPhone14,3', 'iPhone 13 Pro Max', 428, 926, 3),
  apple(5, 'iPhone13,2', 'iPhone 12', 390, 844, 3),
  // Reports a ratio of 3, but has fewer physical pixels.
  apple(1, 'iPhone13,1', 'iPhone 12 mini', 375, 812, 2.88),
  apple(6, 'iPhone12,1', 'iPhone 11', 414, 896, 2),
  apple(2, 'iPhone12,8', 'iPhone SE (2nd generation)', 375, 667, 2),
  apple(3, 'iPhone14,6', 'iPhone SE (3rd generation)', 375, 667, 2),
  apple(1, 'iPhone10,6', 'iPhone X', 375, 812, 3),
];

export const IPADS = [
  apple(4, 'iPad13,18', 'iPad (10th generation)', 820, 1180, 2),
  apple(4, 'iPad12,1', 'iPad (9th generation)', 810, 1080, 2),
  apple(2, 'iPad13,16', 'iPad Air (5th generation)', 820, 1180, 2),
  apple(2, 'iPad14,3', 'iPad Pro 11-inch (4th generation)', 834, 1194, 2),
];

/** Maker, model, physical width and height, density, oldest and newest Android */
type Droid = readonly [string, string, number, number, number, number, number];
const android = (weight: number, ...is: Droid) => ({ weight, is });

export const ANDROIDS = [
  android(9, 'samsung', 'SM-S921B', 1080, 2340, 3, 14, 16),
  android(7, 'samsung', 'SM-S928B', 1080, 2340, 2.8125, 14, 16),
  android(6, 'samsung', 'SM-S938B', 1080, 2340, 2.8125, 15, 16),
  android(6, 'samsung', 'SM-G991B', 1080, 2400, 3, 13, 15),
  android(9, 'samsung', 'SM-A546B', 1080, 2340, 2.8125, 14, 16),
  android(9, 'samsung', 'SM-A556B', 1080, 2340, 2.8125, 14, 16),
  android(8, 'samsung', 'SM-A155F', 1080, 2340, 2.8125, 14, 16),
  android(6, 'samsung', 'SM-A057F', 720, 1600, 1.875, 13, 15),
  android(5, 'samsung', 'SM-A346B', 1080, 2340, 2.8125, 13, 16),
  android(4, 'samsung', 'SM-A127F', 720, 1600, 1.875, 11, 13),
  android(3, 'google', 'Pixel 6a', 1080, 2400, 2.625, 14, 16),
  android(3, 'google', 'Pixel 7', 1080, 2400, 2.625, 14, 16),
  android(4, 'google', 'Pixel 8', 1080, 2400, 2.625, 15, 16),
  android(3, 'google', 'Pixel 8a', 1080, 2400, 2.625, 15, 16),
  android(2, 'google', 'Pixel 8 Pro', 1008, 2244, 2.25, 15, 16),
  android(4, 'google', 'Pixel 9', 1080, 2424, 2.625, 15, 16),
  android(6, 'xiaomi', '23124RA7EO', 1080, 2400, 2.75, 13, 15),
  android(5, 'xiaomi', '23053RN02A', 1080, 2460, 2.75, 13, 15),
  android(4, 'xiaomi', '2201117TG', 1080, 2400, 2.75, 12, 13),
  android(4, 'xiaomi', '23106RN0DA', 720, 1650, 2, 13, 15),
  android(3, 'xiaomi', '23113RKC6G', 1220, 2712, 2.8125, 14, 16),
  android(2, 'xiaomi', '23127PN0CG', 1200, 2670, 2.875, 14, 16),
  android(4, 'motorola', 'moto g84 5G', 1080, 2400, 2.625, 13, 15),
  android(4, 'motorola', 'moto g54 5G', 1080, 2400, 2.625, 13, 15),
  android(3, 'motorola', 'moto g play - 2024', 720, 1600, 1.75, 13, 14),
  android(2, 'motorola', 'motorola edge 50', 1220, 2712, 2.8125, 14, 15),
  android(3, 'oneplus', 'CPH2581', 1080, 2376, 3, 14, 16),
  android(4, 'oneplus', 'CPH2661', 1080, 2412, 3, 14, 15),
  android(3, 'oneplus', 'CPH2467', 1080, 2400, 3, 13, 15),
  android(5, 'vivo', 'V2307', 1080, 2388, 3, 13, 15),
  android(5, 'vivo', 'V2334', 720, 1612, 2, 13, 14),
  android(4, 'vivo', 'V2348', 1080, 2408, 3, 14, 15),
  android(4, 'vivo', 'vivo 1906', 720, 1544, 2, 11, 11),
  android(5, 'realme', 'RMX3867', 1080, 2400, 3, 13, 15),
  android(4, 'realme', 'RMX3710', 1080, 2400, 3, 13, 14),
  android(4, 'realme', 'RMX3830', 720, 1600, 2, 13, 14),
];

/** Display size setting. */
export const DISPLAY_SIZES = [
  { factor: 1, weight: 0.88 },
  { factor: 1.12, weight: 0.07 },
  { factor: 0.9, weight: 0.05 },
];

/** Newest first */
export const IOS_VERSIONS = [
  { version: '26.3.1', weight: 0.1 },
  { version: '26.3', weight: 0.2 },
  { version: '26.2.1', weight: 0.14 },
  { version: '26.2', weight: 0.12 },
  { version: '26.1', weight: 0.08 },
  { version: '26.0.1', weight: 0.04 },
  { version: '18.7.5', weight: 0.05 },
  { version: '18.7.2', weight: 0.06 },
  { version: '18.6.2', weight: 0.07 },
  { version: '18.5', weight: 0.05 },
  { version: '18.3.2', weight: 0.03 },
  { version: '17.7.2', weight: 0.02 },
  { version: '17.6.1', weight: 0.02 },
  { version: '16.7.12', weight: 0.02 },
];

/** Newest first */
export const ANDROID_VERSIONS = [
  { version: '16', weight: 0.27 },
  { version: '15', weight: 0.26 },
  { version: '14', weight: 0.2 },
  { version: '13', weight: 0.14 },
  { version: '12', weight: 0.08 },
  { version: '11', weight: 0.05 },
];

export const CHROMES = [
  { major: 145, weight: 0.5 },
  { major: 144, weight: 0.28 },
  { major: 143, weight: 0.1 },
  { major: 142, weight: 0.05 },
  { major: 138, weight: 0.04 },
  { major: 131, weight: 0.03 },
];
