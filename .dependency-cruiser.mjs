/** Which file may import which, for `npm run check`. */

/** Domain-independent modules, and the files that all modules share. */
const BASE = ['lib', 'db', 'server', 'schema', 'config.ts', 'errors.ts'];

/** The modules that each module may import, besides itself. */
const MAY_IMPORT = {
  'main.ts': ['cli', 'lib', 'errors.ts', 'tools'],
  'routes.ts': [
    ...[
      'accounts',
      'app.ts',
      'apps',
      'attribution',
      'audit',
      'console',
      'diagnosis',
      'events',
      'fraud',
      'health',
      'installs',
      'links',
      'live',
      'privacy',
    ],
    ...['records', 'redirect', 'server', 'skadnetwork', 'stats', 'webhooks'],
  ],
  'app.ts': [
    'routes.ts',
    ...BASE,
    ...['accounts', 'apps', 'attribution', 'audit', 'click-log', 'diagnosis', 'events', 'fraud'],
    ...['installs', 'links', 'live', 'privacy', 'redirect', 'skadnetwork', 'stats', 'webhooks', 'migrations'],
  ],
  'errors.ts': [],
  'settings.ts': [],
  'config.ts': ['lib', 'errors.ts', 'settings.ts'],
  'personal-data.ts': ['lib', 'db'],
  lib: ['config.ts', 'errors.ts'],
  schema: ['lib'],
  db: ['lib', 'schema', 'config.ts', 'errors.ts'],
  server: ['lib', 'db', 'schema', 'config.ts', 'errors.ts'],
  migrations: ['db'],
  cli: [
    ...BASE,
    'settings.ts',
    'tools',
    'accounts',
    'app.ts',
    'apps',
    'attribution',
    'click-log',
    'installs',
    'migrations',
    'records',
  ],
  accounts: [...BASE, 'apps', 'audit'],
  apps: [...BASE, 'audit'],
  audit: BASE,
  console: BASE,
  devices: BASE,
  visitors: [...BASE, 'devices'],
  links: [...BASE, 'apps', 'audit', 'devices'],
  stats: [...BASE, 'apps', 'links'],
  records: [...BASE, 'apps', 'links', 'stats'],
  live: [...BASE, 'apps', 'links', 'records', 'stats'],
  'click-log': [...BASE, 'personal-data.ts', 'stats', 'visitors'],
  redirect: [...BASE, 'apps', 'click-log', 'devices', 'links', 'visitors'],
  fraud: [...BASE, 'apps', 'click-log', 'links', 'stats', 'visitors'],
  health: [...BASE, 'audit', 'click-log', 'privacy', 'stats', 'webhooks'],
  diagnosis: [...BASE, 'apps', 'links', 'redirect', 'visitors'],
  webhooks: [...BASE, 'apps', 'audit'],
  attribution: [
    ...[...BASE, 'personal-data.ts', 'apps', 'click-log', 'devices', 'links', 'redirect', 'stats'],
    ...['visitors', 'webhooks'],
  ],
  events: [...BASE, 'personal-data.ts', 'apps', 'attribution', 'stats', 'webhooks'],
  installs: [
    ...[...BASE, 'apps', 'attribution', 'audit', 'click-log', 'events', 'links', 'stats', 'webhooks'],
  ],
  skadnetwork: [...BASE, 'apps', 'audit', 'webhooks'],
  privacy: [
    ...[...BASE, 'personal-data.ts', 'accounts', 'apps', 'attribution', 'audit', 'click-log', 'events'],
    ...['skadnetwork', 'stats', 'webhooks'],
  ],
};

/** They assemble the service, and may import any file of a module. */
const ASSEMBLERS = '^src/(main\\.ts|app\\.ts|routes\\.ts|cli/)';
/** Folders of independent files. */
const WITHOUT_INDEX = ['lib', 'server', 'schema'];

/** A folder or file of `src`, or a folder beside it. */
function pathOf(module) {
  if (module.endsWith('.ts')) return `^src/${module.replace('.', '\\.')}$`;
  return module === 'migrations' || module === 'tools' ? `^${module}/` : `^src/${module}/`;
}

const OURS = '^(src|migrations|tools|test|bench|packages|console)/';

const modules = Object.entries(MAY_IMPORT).map(([module, allowed]) => ({
  name: `imports-of-${module}`,
  comment: `${module} may import ${allowed.join(', ') || 'no other module'}; see MAY_IMPORT in .dependency-cruiser.mjs.`,
  severity: 'error',
  from: { path: pathOf(module) },
  to: { path: OURS, pathNot: [module, ...allowed].map(pathOf) },
}));

export default {
  forbidden: [
    ...modules,
    {
      name: 'listed',
      comment: 'Add the module and its imports to MAY_IMPORT.',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: Object.keys(MAY_IMPORT).map(pathOf) },
      to: {},
    },
    {
      name: 'index-only',
      comment: 'Other modules import only the index.ts of a module.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ASSEMBLERS },
      to: {
        path: '^src/[^/]+/',
        pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', ...WITHOUT_INDEX.map(pathOf)],
      },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-driver-outside-db',
      comment:
        'lib/data-dir uses SQLite for its file lock, which the system releases when the process dies, and to look for data before the start.',
      severity: 'error',
      from: {
        path: '^(src|migrations)/',
        pathNot: ['^src/db/', '^src/lib/data-dir/(lock|stored-data)\\.ts$'],
      },
      to: { path: '(^|node_modules/)(pg|pg-[a-z-]+|node:sqlite|sqlite)($|/)' },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$' },
    builtInModules: { add: ['node:sqlite'] },
  },
};
