/** Shapes of rules and versions in links. */
import { type TString, Type } from 'typebox';
import { JsonObject, Named, Nullable, Text } from '../../server/schemas.ts';
import { RULE_PLATFORMS } from './rules.ts';

/** Versions as stores have them, such as 4.12 or 17. */
const Version = Text('^[0-9]{1,9}([.][0-9]{1,9}){0,3}$', 'a version of up to four numbers, such as 4.12');
const oneOrMore = (item: TString, description: string) =>
  Type.Optional(Type.Union([item, Type.Array(item, { minItems: 1, maxItems: 20 })], { description }));
const Moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

const VersionRange = Named(
  'VersionRange',
  { min: Type.Optional(Version), max: Type.Optional(Version) },
  { additionalProperties: false, description: 'Both inclusive; 17 as `max` includes 17.6' },
);
const RuleConditions = Named(
  'RuleConditions',
  {
    platform: Type.Optional(Type.Enum([...RULE_PLATFORMS], { description: 'OTHER: neither of the two' })),
    osVersion: Type.Optional(VersionRange),
    language: oneOrMore(
      Text('^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$', 'a language tag, such as de or pt-BR'),
      'The visitor’s preferred language: de holds for de-AT',
    ),
    country: oneOrMore(Text('^[A-Z]{2}$', 'a country as ISO 3166 has it, such as DE'), 'Of the address'),
    query: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Nullable(Type.String({ maxLength: 255 })), {
        maxProperties: 10,
        description: 'Parameters of the tap by name; null: whatever its value',
      }),
    ),
    from: Moment('Inclusive'),
    to: Moment('Exclusive'),
    percent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'Of those who reach this rule, by chance' }),
    ),
  },
  { additionalProperties: false, description: 'All that are given must hold' },
);
const RuleOutcome = Named(
  'RuleOutcome',
  {
    iosDestination: Type.Optional(Type.String({ minLength: 1 })),
    androidDestination: Type.Optional(Type.String({ minLength: 1 })),
    fallbackUrl: Type.Optional(Type.String({ minLength: 1 })),
    deepLinkPath: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
    deepLinkParams: Type.Optional(JsonObject()),
    campaignId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  },
  { additionalProperties: false, minProperties: 1, description: 'In place of the fields of the link' },
);
export const Rule = Named('LinkRule', {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  when: RuleConditions,
  then: RuleOutcome,
});
export const MinAppVersion = Named('MinAppVersion', {
  ios: Type.Optional(Version),
  android: Type.Optional(Version),
});
