import type { AssociationFiles } from '../apps/index.ts';

/** The apps that phones are told of at a host. */
export interface NamedApps {
  /** Team and bundle, as `A1B2C3D4E5.com.example.shop`. */
  readonly ios: readonly string[];
  /** Packages. */
  readonly android: readonly string[];
}

interface AppleFile {
  readonly applinks: { readonly details: readonly { readonly appIDs: readonly string[] }[] };
}
type AndroidFile = readonly { readonly target: { readonly package_name: string } }[];

/** Reads association files as a phone does: from the bytes that are served. */
export function namedApps({ apple, android }: AssociationFiles): NamedApps {
  const { applinks } = JSON.parse(apple.toString()) as AppleFile;
  const statements = JSON.parse(android.toString()) as AndroidFile;
  return {
    ios: applinks.details.flatMap(({ appIDs }) => appIDs),
    android: statements.map(({ target }) => target.package_name),
  };
}
