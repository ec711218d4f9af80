/** The files of a deployment, without running them: form, versions, and what keeps a container harmless. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { validate } from 'dockerfile-utils';
import { parseDocument } from 'htmlparser2';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../src/settings.ts';
import { CAPROVER, COOLIFY_COMMENTS, RAILWAY, UNRAID_CONFIG } from './helpers/template-schemas.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const VERSION = JSON.parse(read('package.json')).version;
const COMPOSE_FILES = ['compose.yaml', 'compose.postgres.yaml'];

describe('the Dockerfile', () => {
  it('has no fault that a linter knows, and no instruction that a host refuses', () => {
    const text = read('Dockerfile');
    assert.deepEqual(validate(text), []);
    assert.doesNotMatch(text, /^VOLUME|--mount=type=cache/m);
  });

  it('runs nothing in its last stage, so that any platform can assemble any other', () => {
    const last =
      read('Dockerfile')
        .split(/^FROM /m)
        .at(-1) ?? '';
    assert.doesNotMatch(last, /^RUN /m);
    assert.match(last, /^USER 65532:65532$/m);
  });
});

describe('compose files', () => {
  for (const file of COMPOSE_FILES) {
    const { services } = parse(read(file), { merge: true }) as { services: Record<string, Service> };
    const ours = Object.values(services).filter(({ image }) => image.includes('/throughline:'));

    it(`${file} runs the service of this version without a writable root, capabilities and privileges`, () => {
      assert.ok(ours.length > 0);
      for (const service of ours) {
        assert.equal(service.image, `ghcr.io/throughline/throughline:${VERSION}`);
        assert.equal(service.read_only, true);
        assert.equal(service.init, true);
        assert.deepEqual(service.cap_drop, ['ALL']);
        assert.deepEqual(service.security_opt, ['no-new-privileges:true']);
      }
    });

    it(`${file} sets settings only, and no secret by itself`, () => {
      for (const { environment } of ours)
        for (const [name, value] of Object.entries(environment)) {
          assert.ok(Object.hasOwn(SETTINGS, name), name);
          if (/TOKEN|SECRET|DATABASE_URL/.test(name)) assert.match(value, /\$\{\w+:\?/, name);
        }
    });

    it(`${file} starts every container again after a reboot`, () => {
      for (const { restart } of Object.values(services)) assert.equal(restart, 'unless-stopped');
    });

    it(`${file} bounds what Docker keeps of the output of every container`, () => {
      for (const { logging } of Object.values(services))
        assert.deepEqual(logging?.options, { 'max-size': '10m', 'max-file': '3' });
    });
  }
});

describe('manifests of Kubernetes', () => {
  const manifests = globSync('deploy/kubernetes/*.yaml', { cwd: ROOT })
    .filter((file) => !file.endsWith('kustomization.yaml'))
    .flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest));

  it('have the types of its API, without unknown fields', () => {
    const lines = manifests.map(({ apiVersion, kind, ...rest }, index) => {
      const module = apiVersion.includes('/')
        ? apiVersion.replace(/\.k8s\.io|(?<=^)\./, '')
        : `core/${apiVersion}`;
      const type = `import('${join(ROOT, 'node_modules/kubernetes-types', module)}').${kind}`;
      return `export const m${index}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })};`;
    });
    assert.deepEqual(typeErrors(lines.join('\n')), '');
    assert.notEqual(typeErrors(lines.join('\n').replace('"replicas"', '"replica"')), '');
  });

  it('are all listed, and name this version', () => {
    const { resources, images } = parse(read('deploy/kubernetes/kustomization.yaml'));
    const files = globSync('*.yaml', { cwd: join(ROOT, 'deploy/kubernetes') });
    assert.deepEqual(resources.toSorted(), files.filter((file) => file !== 'kustomization.yaml').sort());
    assert.equal(images[0].newTag, VERSION);
  });

  it('refer to settings that exist, and to ports, labels and claims that are there', () => {
    const settings = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
    for (const name of Object.keys(settings)) assert.ok(Object.hasOwn(SETTINGS, name), name);
    const text = JSON.stringify(manifests.find(({ kind }) => kind === 'StatefulSet'));
    for (const [, name = ''] of text.matchAll(/"name":"([A-Z_]+)"/g))
      assert.ok(Object.hasOwn(SETTINGS, name), name);
    assert.match(text, /"runAsNonRoot":true.*"readOnlyRootFilesystem":true.*"drop":\["ALL"\]/);
  });
});

describe('files of the Debian package', () => {
  it('name documents by the path that the bundle has them at', () => {
    const files = ['env', 'throughline.service', 'throughline.socket'];
    const texts = files.map((file) => read(`deploy/debian/${file}`)).join('\n');
    const documents = [...texts.matchAll(/\/usr\/lib\/throughline\/(\S+\.md)/g)].map(([, path = '']) => path);
    assert.equal(documents.length, files.length);
    for (const path of documents) {
      assert.match(path, /^site\/dist\//);
      assert.ok(existsSync(join(ROOT, path.replace('site/dist', 'docs'))), path);
    }
  });
});

describe('templates of hosts', () => {
  const ajv = new Ajv({ allErrors: true });
  const check = (schema: object, value: unknown) => {
    const isValid = ajv.compile(schema);
    assert.ok(isValid(value), JSON.stringify(isValid.errors));
  };

  it('of CapRover and Railway have the form that these hosts document', () => {
    const template = parse(read('deploy/templates/caprover.yml'));
    check(CAPROVER, template);
    const declared = template.caproverOneClickApp.variables.map(({ id }: { id: string }) => id);
    const used = read('deploy/templates/caprover.yml').match(/\$\$cap_\w+/g) ?? [];
    const builtIn = ['$$cap_appname', '$$cap_root_domain'];
    for (const name of used) assert.ok([...builtIn, ...declared].includes(name), name);
    check(RAILWAY, JSON.parse(read('deploy/templates/railway.json')));
  });

  it('of Coolify names what its list shows, and passes its address on', () => {
    const text = read('deploy/templates/coolify.yaml');
    for (const name of COOLIFY_COMMENTS) assert.match(text, new RegExp(`^# ${name}: \\S`, 'm'));
    const { image, environment } = parse(text).services.throughline;
    assert.equal(image, `ghcr.io/throughline/throughline:${VERSION}`);
    assert.match(environment.join('\n'), /^PUBLIC_URL=\$\{SERVICE_URL_THROUGHLINE\}$/m);
  });

  it('of Unraid has fields of the kinds that it knows, for settings that exist', () => {
    const document = parseDocument(read('deploy/templates/unraid.xml'), { xmlMode: true });
    const container = document.children.find((node) => 'name' in node && node.name === 'Container');
    assert.ok(container !== undefined && 'children' in container);
    const fields = container.children.flatMap((node) =>
      'attribs' in node && node.name === 'Config' ? [{ ...node.attribs }] : [],
    );
    assert.ok(fields.length > 0);
    for (const field of fields) {
      check(UNRAID_CONFIG, field);
      if (field.Type === 'Variable') assert.ok(Object.hasOwn(SETTINGS, field.Target ?? ''), field.Target);
    }
  });
});

interface Service {
  readonly image: string;
  readonly restart: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly read_only?: boolean;
  readonly init?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
}

function typeErrors(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-types-'));
  try {
    writeFileSync(join(folder, 'manifests.ts'), source);
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--lib', 'es2022'];
    return spawnSync(tsc, [...options, 'manifests.ts'], { cwd: folder, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
