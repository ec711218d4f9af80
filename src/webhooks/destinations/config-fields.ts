/** Fields that the configs of several types have. */
import { Type } from 'typebox';

/** Printable, since it goes into a header or an address. */
export function Token(maxLength: number, description: string) {
  return Type.String({ pattern: '^[\\x21-\\x7e]+$', maxLength, description });
}

/** A user name or password of Basic authentication, where a colon would end the name. */
export function Credential(description: string) {
  return Type.String({ pattern: '^[\\x21-\\x39\\x3b-\\x7e]+$', maxLength: 256, description });
}

export function Region<Name extends string>(names: readonly ['us', ...Name[]], description: string) {
  return Type.Optional(Type.Enum(names, { description: `${description}. Default: us`, default: 'us' }));
}

/** @param id the field of the config with the network's ID of an app. */
export function Platform(id: string) {
  const description = `Of the app that ${id} stands for. Records of the other are not sent. Default: both`;
  return Type.Optional(Type.Enum(['ios', 'android'], { description }));
}
