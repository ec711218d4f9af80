import type { AppRow } from './app.ts';

/** What phones read to know which apps open the short links of a host; JSON as it is sent. */
export interface AssociationFiles {
  /** `apple-app-site-association` (developer.apple.com/documentation/bundleresources/applinks). */
  readonly apple: Buffer;
  /** `assetlinks.json` (developer.android.com/training/app-links/configure-assetlinks). */
  readonly android: Buffer;
}

/**
 * The files that name these apps, the same bytes for the same settings. An app whose settings do not suffice for a file
 * is left out of it.
 * @param basePath what stands before `/l/` in the path of a short link; mostly nothing.
 */
export function makeAssociationFiles(apps: readonly AppRow[], basePath: string): AssociationFiles {
  return { apple: toJson(appleFile(apps, basePath)), android: toJson(androidFile(apps)) };
}

/** Short links alone are claimed: in a browser, the API and everything else at the host stay where they are. */
function appleFile(apps: readonly AppRow[], basePath: string) {
  const appIDs = sortedOnce(
    apps.flatMap(({ ios_team_id: team, ios_bundle_id: bundle }) =>
      team === null || bundle === null ? [] : [`${team}.${bundle}`],
    ),
  );
  const components = [{ '/': `${basePath}/l/*`, comment: 'Short links' }];
  return { applinks: { details: appIDs.length === 0 ? [] : [{ appIDs, components }] } };
}

/** Which paths an Android app opens stands in its manifest, not here. */
function androidFile(apps: readonly AppRow[]) {
  const packages = sortedOnce(apps.flatMap(({ android_package: name }) => name ?? []));
  return packages.flatMap((name) => {
    const fingerprints = sortedOnce(
      apps.filter(({ android_package }) => android_package === name).flatMap(fingerprintsOf),
    );
    if (fingerprints.length === 0) return [];
    return {
      relation: ['delegate_permission/common.handle_all_urls'],
      target: { namespace: 'android_app', package_name: name, sha256_cert_fingerprints: fingerprints },
    };
  });
}

/** They are stored in upper case, which Android compares by. */
function fingerprintsOf({ android_cert_fingerprints: json }: AppRow): string[] {
  return JSON.parse(json) as string[];
}

function sortedOnce(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function toJson(file: unknown): Buffer {
  return Buffer.from(JSON.stringify(file));
}
