import { resolve } from 'node:path';
import { build } from 'rolldown';
import { Site } from './site.ts';

const MODULES = ['react', 'react-dom'];

/** The example shop in a browser: React Native for web, bundled from the sources. */
export async function serveExampleApp(
  environment: Readonly<Record<`EXPO_PUBLIC_${string}`, string>>,
): Promise<Site> {
  const { output } = await build({
    input: 'examples/expo/index.web.js',
    platform: 'browser',
    write: false,
    // The optional modules are not installed here.
    logLevel: 'silent',
    resolve: {
      alias: {
        'react-native': resolve('node_modules/react-native-web'),
        '@throughline/react-native': resolve('packages/react-native/src/index.ts'),
        '@throughline/core': resolve('packages/core/src/index.ts'),
        // The example may have its own, and an app has one React.
        ...Object.fromEntries(MODULES.map((name) => [name, resolve('node_modules', name)])),
      },
    },
    transform: {
      define: {
        'process.env.NODE_ENV': '"production"',
        ...Object.fromEntries(
          Object.entries(environment).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]),
        ),
      },
    },
    output: { format: 'iife' },
  });
  return await Site.serveApp(output[0].code, '<div id="root"></div>');
}
