import type { AppRow } from './app.ts';
import { RESERVED_NAMES } from './reserved-paths.ts';

const HANDLE_ALL_URLS = 'delegate_permission/common.handle_all_urls';
/** The first segment of short links by code. */
const SHORT_LINKS = 'l';

/** JSON files by which phones find the apps that open the short links of a host. */
export interface AssociationFiles {
  /** `apple-app-site-association` (developer.apple.com/documentation/bundleresources/applinks). */
  readonly apple: Buffer;
  /** `assetlinks.json` (developer.android.com/training/app-links/configure-assetlinks). */
  readonly android: Buffer;
}

/** What a host has below its base path. */
interface HostLinks {
  /** Of short links before `/l/`, usually empty. */
  readonly basePath: string;
  /** Whether links have their own paths there: at an app's own host. */
  readonly hasPaths: boolean;
  /** Whether the root is a link where it has the parameter `link`. */
  readonly hasLongLinks: boolean;
}

/** As both systems have them: the first that matches decides. */
interface Component {
  readonly '/': string;
  readonly '?'?: Readonly<Record<string, string>>;
  readonly exclude?: true;
  readonly comment?: string;
}

/** Deterministic. A file omits apps that lack its settings. */
export function makeAssociationFiles(apps: readonly AppRow[], links: HostLinks): AssociationFiles {
  return { apple: toJson(appleFile(apps, links)), android: toJson(androidFile(apps, links)) };
}

/** Claims links only, so that a browser opens other pages of the host. */
function appleFile(apps: readonly AppRow[], links: HostLinks) {
  const appIDs = sortedUnique(
    apps.flatMap(({ ios_team_id: team, ios_bundle_id: bundle }) =>
      team === null || bundle === null ? [] : [`${team}.${bundle}`],
    ),
  );
  const { basePath } = links;
  const components: Component[] = [{ '/': `${basePath}/l/*`, comment: 'Short links' }];
  if (links.hasPaths)
    components.push(...pagesOf(links), { '/': `${basePath}/*`, comment: 'Links by their paths' });
  return { applinks: { details: appIDs.length === 0 ? [] : [{ appIDs, components }] } };
}

/** Pages of the service, and the root of the host. `*` matches slashes, too. */
function pagesOf({ basePath, hasLongLinks }: HostLinks): Component[] {
  const root = `${basePath}/`;
  const names = RESERVED_NAMES.filter((name) => name !== SHORT_LINKS);
  return [
    ...(hasLongLinks ? [{ '/': root, '?': { link: '?*' } }] : []),
    { '/': root, exclude: true },
    { '/': `${root}_*`, exclude: true },
    ...names.flatMap((name): Component[] => [
      { '/': root + name, exclude: true },
      { '/': `${root}${name}/*`, exclude: true },
    ]),
  ];
}

/**
 * The manifest of an Android app declares its paths. From Android 15 on the file takes some away, which older versions
 * ignore: at an app's own host the pages of the service.
 */
function androidFile(apps: readonly AppRow[], links: HostLinks) {
  const packages = sortedUnique(apps.flatMap(({ android_package: name }) => name ?? []));
  const components = [...pagesOf(links), { '/': '*' }];
  return packages.flatMap((name) => {
    const fingerprints = sortedUnique(
      apps.filter(({ android_package }) => android_package === name).flatMap(fingerprintsOf),
    );
    if (fingerprints.length === 0) return [];
    return {
      relation: [HANDLE_ALL_URLS],
      target: { namespace: 'android_app', package_name: name, sha256_cert_fingerprints: fingerprints },
      ...(links.hasPaths && {
        relation_extensions: { [HANDLE_ALL_URLS]: { dynamic_app_link_components: components } },
      }),
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
