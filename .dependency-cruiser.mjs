/** Which file may import which, for `npm run check`. */

/** Domain-independent modules, and the files that all modules share. */
const BASE = ['lib', 'db', 'server', 'schema', 'config.ts', 'errors.ts', 'foundation.ts'];

/** The modules that each module may import, besides itself. */
const MAY_IMPORT = {
  'main.ts': ['commands', 'lib', 'errors.ts'],
  'routes.ts': [
    'accounts',
    'app.ts',
    'foundation.ts',
    'apps',
    'auth',
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
    'opens',
    'privacy',
    'records',
    'redirect',
    'server',
    'skadnetwork',
    'stats',
    'webhooks',
  ],
  'app.ts': [
    'routes.ts',
    ...BASE,
    'accounts',
    'apps',
    'auth',
    'attribution',
    'click-log',
    'events',
    'links',
    'live',
    'privacy',
    'redirect',
    'skadnetwork',
    'stats',
    'webhooks',
    'migrations',
  ],
  'errors.ts': [],
  'settings.ts': [],
  'config.ts': ['lib', 'errors.ts', 'settings.ts'],
  'foundation.ts': ['lib', 'db', 'config.ts'],
  'personal-data.ts': ['lib', 'db'],
  'tokens.ts': ['lib', 'links', 'foundation.ts'],
  lib: ['config.ts', 'errors.ts'],
  schema: ['lib'],
  db: ['lib', 'schema', 'config.ts', 'errors.ts'],
  server: ['lib', 'db', 'schema', 'config.ts', 'errors.ts', 'foundation.ts'],
  migrations: ['db'],
  commands: [
    ...BASE,
    'settings.ts',
    'app.ts',
    'migrations',
    'accounts',
    'apps',
    'auth',
    'attribution',
    'audit',
    'click-log',
    'devices',
    'events',
    'installs',
    'links',
    'opens',
    'records',
    'redirect',
    'skadnetwork',
    'stats',
    'redirect/visitors',
    'webhooks',
  ],
  auth: [...BASE, 'audit'],
  accounts: [...BASE, 'apps', 'audit', 'auth'],
  apps: [...BASE, 'audit', 'auth'],
  audit: BASE,
  console: BASE,
  devices: BASE,
  'redirect/visitors': [...BASE, 'devices'],
  links: [...BASE, 'apps', 'auth', 'audit', 'devices'],
  stats: [...BASE, 'auth', 'links'],
  records: [...BASE, 'audit', 'auth', 'events', 'links', 'stats'],
  live: [...BASE, 'auth', 'links', 'records', 'stats'],
  'click-log': [...BASE, 'personal-data.ts', 'stats', 'redirect/visitors'],
  redirect: [...BASE, 'tokens.ts', 'apps', 'click-log', 'devices', 'links', 'redirect/visitors'],
  fraud: [...BASE, 'auth', 'click-log', 'links', 'stats', 'redirect/visitors'],
  health: [...BASE, 'audit', 'click-log', 'privacy', 'stats', 'webhooks'],
  diagnosis: [...BASE, 'apps', 'auth', 'links', 'redirect', 'redirect/visitors'],
  webhooks: [...BASE, 'apps', 'auth', 'audit'],
  attribution: [
    ...BASE,
    'tokens.ts',
    'apps',
    'auth',
    'click-log',
    'devices',
    'links',
    'redirect/visitors',
    'stats',
    'webhooks',
  ],
  events: [...BASE, 'personal-data.ts', 'apps', 'auth', 'installs', 'stats', 'webhooks'],
  installs: [
    ...BASE,
    'personal-data.ts',
    'auth',
    'attribution',
    'audit',
    'click-log',
    'events',
    'links',
    'opens',
    'stats',
    'webhooks',
  ],
  opens: [
    ...BASE,
    'personal-data.ts',
    'apps',
    'auth',
    'attribution',
    'installs',
    'links',
    'stats',
    'webhooks',
  ],
  skadnetwork: [...BASE, 'apps', 'auth', 'audit', 'webhooks'],
  privacy: [
    ...BASE,
    'personal-data.ts',
    'accounts',
    'apps',
    'auth',
    'audit',
    'click-log',
    'events',
    'installs',
    'opens',
    'skadnetwork',
    'stats',
    'webhooks',
  ],
};

/** They assemble the service, and may import any file of a module. */
const ASSEMBLERS = '^src/(main\\.ts|app\\.ts|routes\\.ts|commands/)';
/** Folders of independent files. */
const WITHOUT_INDEX = ['lib', 'server', 'schema'];

/** A folder or file of `src`, or a folder beside it. */
function pathOf(module) {
  if (module === 'redirect') return '^src/redirect/(?!visitors/)';
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
        pathNot: ['^src/$1/', '^src/[^/]+/(visitors/)?index\\.ts$', ...WITHOUT_INDEX.map(pathOf)],
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
