import { type Static, Type } from 'typebox';
import { Id, Named, Nullable } from '../../server/schemas.ts';

/** More than any screen. */
const MAX_PIXELS = 20_000;
/** More than any screen reports; Windows reports 256 at most. */
const MAX_TOUCH_POINTS = 256;
const Text = (maxLength: number, description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength }), { description }));

/** Device signals of a landing page; sizes in CSS pixels. */
export const Signals = Named('DeviceSignals', {
  clickId: Id,
  proof: Type.String({
    minLength: 22,
    maxLength: 22,
    description: 'Signature from the landing page of this click',
  }),
  screenWidth: Type.Integer({ minimum: 1, maximum: MAX_PIXELS }),
  screenHeight: Type.Integer({ minimum: 1, maximum: MAX_PIXELS }),
  pixelRatio: Type.Number({ minimum: 0.1, maximum: 20 }),
  timezone: Text(64, 'IANA zone name'),
  languages: Type.Optional(Type.Array(Type.String({ maxLength: 35 }), { maxItems: 16 })),
  model: Text(64, 'From client hints'),
  platformVersion: Text(64, 'From client hints'),
  maxTouchPoints: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, maximum: MAX_TOUCH_POINTS }), {
      description:
        '`navigator.maxTouchPoints`: tells an iPad or iPhone that asks for desktop pages from a Mac',
    }),
  ),
  coarsePointer: Type.Optional(
    Nullable(Type.Boolean(), {
      description: 'Whether the main pointer is a finger: tells an Android tablet from a laptop with Linux',
    }),
  ),
  platform: Type.Optional(
    Nullable(Type.Enum(['ANDROID', 'IOS']), {
      description:
        'Of a tablet that asks for desktop pages, for which the page goes on: the click then has the rule of that platform',
    }),
  ),
});
export type SignalsInput = Static<typeof Signals>;
