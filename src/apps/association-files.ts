import type { AppRow } from './app.ts';

/** JSON files by which phones find the apps that open the short links of a host. */
export interface AssociationFiles {
  /** `apple-app-site-association` (developer.apple.com/documentation/bundleresources/applinks). */
  readonly apple: Buffer;
  /** `assetlinks.json` (developer.android.com/training/app-links/configure-assetlinks). */
  readonly android: Buffer;
}

/**
 * Deterministic. A file omits apps that lack its settings.
 * @param basePath of short links before `/l/`, usually empty.
 */
export function makeAssociationFiles(apps: readonly AppRow[], basePath: string): AssociationFiles {
  return { apple: toJson(appleFile(apps, basePath)), android: toJson(androidFile(apps)) };
}

/** Claims short links only, so that a browser opens other pages of the host. */
function appleFile(apps: readonly AppRow[], basePath: string) {
  const appIDs = sortedUnique(
    apps.flatMap(({ ios_team_id: team, ios_bundle_id: bundle }) =>
      team === null || bundle === null ? [] : [`${team}.${bundle}`],
    ),
  );
  const components = [{ '/': `${basePath}/l/*`, comment: 'Short links' }];
  return { applinks: { details: appIDs.length === 0 ? [] : [{ appIDs, components }] } };
}

/** The manifest of an Android app declares its paths. */
function androidFile(apps: readonly AppRow[]) {
  const packages = sortedUnique(apps.flatMap(({ android_package: name }) => name ?? []));
  return packages.flatMap((name) => {
    const fingerprints = sortedUnique(
      apps.filter(({ android_package }) => android_package === name).flatMap(fingerprintsOf),
    );
    if (fingerprints.length === 0) return [];
    return {
      relation: ['delegate_permission/common.handle_all_urls'],
      target: { namespace: 'android_app', package_name: name, sha256_cert_fingerprints: fingerprints },
    };
  });
}

/** In upper case, as Android compares them. */
function fingerprintsOf({ android_cert_fingerprints: json }: AppRow): string[] {
  return JSON.parse(json) as string[];
}

function sortedUnique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function toJson(file: unknown): Buffer {
  return Buffer.from(JSON.stringify(file));
}
