/** Formats of versions in user agents. */

/** `18.7.2` as `18_7_2` */
export function underscored(version: string): string {
  return version.replaceAll('.', '_');
}

/** The build of an iOS version, as in `Mobile/22D72`: major release, letter of the minor version, build number. */
export function iosBuild(version: string): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const year = major >= 26 ? major - 3 : major + 4;
  return `${year}${'ABCDEFGH'[minor] ?? 'H'}${60 + minor * 7 + patch * 13}`;
}

export function androidBuild(version: string): string {
  return BUILDS[version] ?? 'QP1A.190711.020';
}

const BUILDS: Readonly<Record<string, string>> = {
  16: 'BP2A.250605.031.A3',
  15: 'AP3A.240905.015.A2',
  14: 'UP1A.231005.007',
  13: 'TP1A.220624.014',
  12: 'SP1A.210812.016',
  11: 'RP1A.200720.012',
};
