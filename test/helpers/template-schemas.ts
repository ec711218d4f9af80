/** The forms of templates, after the documents of each host in November 2026. */

const text = { type: 'string', minLength: 1 } as const;

/** https://caprover.com/docs/reference/one-click-schema and the README of caprover/one-click-apps. */
export const CAPROVER = {
  type: 'object',
  required: ['captainVersion', 'services', 'caproverOneClickApp'],
  additionalProperties: false,
  properties: {
    captainVersion: { const: 4 },
    services: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        type: 'object',
        // CapRover ignores every other property.
        additionalProperties: false,
        properties: {
          image: text,
          environment: { type: 'object', additionalProperties: { type: 'string' } },
          volumes: { type: 'array', items: text },
          ports: { type: 'array', items: text },
          depends_on: { type: 'array', items: text },
          caproverExtra: {
            type: 'object',
            additionalProperties: false,
            properties: {
              containerHttpPort: { type: 'string', pattern: '^\\d+$' },
              notExposeAsWebApp: { const: 'true' },
              websocketSupport: { const: 'true' },
              dockerfileLines: { type: 'array', items: text },
            },
          },
        },
      },
    },
    caproverOneClickApp: {
      type: 'object',
      required: ['variables', 'instructions', 'displayName', 'isOfficial', 'description', 'documentation'],
      additionalProperties: false,
      properties: {
        variables: {
          type: 'array',
          items: {
            type: 'object',
            required: ['id', 'label'],
            additionalProperties: false,
            properties: {
              id: { type: 'string', pattern: '^\\$\\$cap_\\w+$' },
              label: text,
              description: text,
              defaultValue: text,
              validRegex: { type: 'string', pattern: '^/.+/$' },
            },
          },
        },
        instructions: {
          type: 'object',
          required: ['start', 'end'],
          additionalProperties: false,
          properties: { start: text, end: text },
        },
        displayName: text,
        isOfficial: { type: 'boolean' },
        description: { type: 'string', maxLength: 200 },
        documentation: text,
      },
    },
  },
} as const;

/** https://docs.railway.com/config-as-code/reference, the fields that the template uses. */
export const RAILWAY = {
  type: 'object',
  additionalProperties: false,
  required: ['$schema', 'build', 'deploy'],
  properties: {
    $schema: { const: 'https://railway.com/railway.schema.json' },
    build: {
      type: 'object',
      additionalProperties: false,
      properties: { builder: { enum: ['RAILPACK', 'DOCKERFILE'] }, dockerfilePath: text },
    },
    deploy: {
      type: 'object',
      additionalProperties: false,
      properties: {
        numReplicas: { type: 'integer', minimum: 1 },
        requiredMountPath: { type: 'string', pattern: '^/' },
        healthcheckPath: { type: 'string', pattern: '^/' },
        healthcheckTimeout: { type: 'integer' },
        restartPolicyType: { enum: ['ON_FAILURE', 'ALWAYS', 'NEVER'] },
        restartPolicyMaxRetries: { type: 'integer', minimum: 1 },
        overlapSeconds: { type: 'integer', minimum: 0 },
        drainingSeconds: { type: 'integer', minimum: 0 },
      },
    },
  },
} as const;

/** Comments at the top of a file in templates/compose of coollabsio/coolify. */
export const COOLIFY_COMMENTS = ['documentation', 'slogan', 'category', 'tags', 'logo', 'port'];

/** Attributes of `<Config>`, from https://ca.unraid.net/submit/help/xml-field-reference. */
export const UNRAID_CONFIG = {
  type: 'object',
  required: ['Name', 'Target', 'Default', 'Mode', 'Description', 'Type', 'Display', 'Required', 'Mask'],
  additionalProperties: false,
  properties: {
    Name: text,
    Target: text,
    Default: { type: 'string' },
    Mode: { enum: ['', 'rw', 'ro', 'tcp', 'udp'] },
    Description: text,
    Type: { enum: ['Path', 'Variable', 'Port', 'Device', 'Label'] },
    Display: { enum: ['always', 'advanced'] },
    Required: { enum: ['true', 'false'] },
    Mask: { enum: ['true', 'false'] },
  },
} as const;
